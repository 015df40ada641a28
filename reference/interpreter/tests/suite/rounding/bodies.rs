//! Operators with bodies.

use onnx_model::AttributeValue;
use onnx_tensor::Tensor;

use super::order::Order;
use super::{Case, body, check};
use crate::build::{graph, node};

const N: usize = 4;
const STEPS: usize = 6;

/// state ← tanh(0.75·state + x), and its square.
#[test]
fn scan() {
    let factor = AttributeValue::Tensor(Tensor::scalar(0.75_f32));
    let nodes = [
        node("Constant", "", "factor", &[("value", factor)]),
        node("Mul", "state factor", "product", &[]),
        node("Add", "product x", "sum", &[]),
        node("Tanh", "sum", "next", &[]),
        node("Mul", "next next", "square", &[]),
    ];
    check(&Case {
        operator: "Scan",
        attributes: vec![
            ("num_scan_inputs", AttributeValue::Int(1)),
            ("body", body(graph("state x", "next square", &nodes))),
        ],
        inputs: vec![Some(vec![N]), Some(vec![STEPS, N])],
        given: Vec::new(),
        outputs: 2,
        evaluate: |inputs, _| {
            let (mut state, mut squares) = (inputs[0].clone(), Vec::new());
            for x in inputs[1].chunks(N) {
                let next = |(state, x): (&f32, &f32)| (state * 0.75 + x).tanh();
                state = state.iter().zip(x).map(next).collect();
                squares.extend(state.iter().map(|x| x * x));
            }
            vec![state, squares]
        },
    });
}

#[test]
fn iteration_with_a_count() {
    let nodes = [
        node("MatMul", "matrix state", "next", &[]),
        node("Identity", "matrix", "same", &[]),
        node("Identity", "condition", "on", &[]),
    ];
    check(&Case {
        operator: "Loop",
        attributes: vec![(
            "body",
            body(graph("count condition state matrix", "on next same", &nodes)),
        )],
        inputs: vec![Some(vec![]), None, Some(vec![N]), Some(vec![N, N])],
        given: vec![(0, Tensor::scalar(3_i64))],
        outputs: 2,
        evaluate: |inputs, order| {
            let step = |state: Vec<f32>, _| {
                let row = |row: &[f32]| order.dot(row, state.iter().copied());
                inputs[3].chunks(N).map(row).collect()
            };
            vec![(0..3).fold(inputs[2].clone(), step), inputs[3].clone()]
        },
    });
}

/// softmax(2·tanh(Q·Kᵀ / √d))·V.
fn attention(inputs: &[Vec<f32>], order: Order) -> Vec<Vec<f32>> {
    let [q, k, v] = inputs else { return Vec::new() };
    let mut y = Vec::new();
    for q in q.chunks(N) {
        let scores = k
            .chunks(N)
            .map(|k| 2.0 * (order.dot(q, k.iter().copied()) / (N as f32).sqrt()).tanh());
        let scores: Vec<f32> = scores.collect();
        let greatest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let powers: Vec<f32> = scores.iter().map(|score| (score - greatest).exp()).collect();
        let sum = order.sum(&powers);
        let weights: Vec<f32> = powers.iter().map(|power| power / sum).collect();
        y.extend((0..N).map(|at| order.dot(&weights, v.iter().skip(at).step_by(N).copied())));
    }
    vec![y]
}

#[test]
fn attention_with_changed_scores() {
    let two = AttributeValue::Tensor(Tensor::scalar(2.0_f32));
    let nodes = [
        node("Constant", "", "two", &[("value", two)]),
        node("Tanh", "score", "squashed", &[]),
        node("Mul", "two squashed", "changed", &[]),
    ];
    let rows = |count: usize| Some(vec![1, 1, count, N]);
    check(&Case {
        operator: "ai.onnx.preview:FlexAttention",
        attributes: vec![("score_mod", body(graph("score", "changed", &nodes)))],
        inputs: vec![rows(3), rows(STEPS), rows(STEPS)],
        given: Vec::new(),
        outputs: 1,
        evaluate: attention,
    });
}
