//! Recurrent layers and attention without softmax.

use onnx_model::AttributeValue;

use super::order::{Order, sigmoid};
use super::{Case, Floats, check, string};

/// Steps, batch, inputs and hidden units.
const T: usize = 5;
const B: usize = 2;
const I: usize = 3;
const H: usize = 4;

fn layer(operator: &'static str, gates: usize, further: &[(usize, Vec<usize>)], outputs: usize) -> Case {
    let mut inputs = vec![
        Some(vec![T, B, I]),
        Some(vec![1, gates * H, I]),
        Some(vec![1, gates * H, H]),
        Some(vec![1, 2 * gates * H]),
    ];
    for (index, shape) in further {
        inputs.resize(*index, None);
        inputs.push(Some(shape.clone()));
    }
    let evaluate = match operator {
        "RNN" => rnn,
        "GRU" => gru,
        _ => lstm,
    };
    Case {
        operator,
        attributes: vec![("hidden_size", AttributeValue::Int(H as i64))],
        inputs,
        given: Vec::new(),
        outputs,
        evaluate,
    }
}

/// Row `row` of W·x + R·h + Wb + Rb.
fn gate(inputs: Floats<'_>, row: usize, x: &[f32], h: &[f32], order: Order) -> f32 {
    let [_, w, r, bias, ..] = inputs else {
        return f32::NAN;
    };
    let input = order.dot(&w[row * I..(row + 1) * I], x.iter().copied());
    let recurrent = order.dot(&r[row * H..(row + 1) * H], h.iter().copied());
    order.sum(&[input, recurrent, bias[row], bias[bias.len() / 2 + row]])
}

/// Runs all sequences. A step maps input, hidden and cell state to the next states. Returns Y, Y_h, Y_c.
fn walk(inputs: Floats<'_>, step: impl Fn(&[f32], &mut Vec<f32>, &mut Vec<f32>)) -> Vec<Vec<f32>> {
    let mut y = vec![0.0; T * B * H];
    let (mut last_h, mut last_c) = (Vec::new(), Vec::new());
    for b in 0..B {
        let (mut h, mut c) = (vec![0.0; H], vec![0.0; H]);
        for t in 0..T {
            let from = (t * B + b) * I;
            step(&inputs[0][from..from + I], &mut h, &mut c);
            let to = (t * B + b) * H;
            y[to..to + H].copy_from_slice(&h);
        }
        last_h.extend(h);
        last_c.extend(c);
    }
    vec![y, last_h, last_c]
}

fn rnn(inputs: Floats<'_>, order: Order) -> Vec<Vec<f32>> {
    walk(inputs, |x, h, _| {
        *h = (0..H)
            .map(|unit| gate(inputs, unit, x, h, order).tanh())
            .collect();
    })
}

fn gru(inputs: Floats<'_>, order: Order) -> Vec<Vec<f32>> {
    walk(inputs, |x, h, _| {
        let reset: Vec<f32> = (0..H)
            .map(|unit| sigmoid(gate(inputs, H + unit, x, h, order)))
            .collect();
        let kept: Vec<f32> = reset.iter().zip(&*h).map(|(r, h)| r * h).collect();
        let next = |unit: usize| {
            let update = sigmoid(gate(inputs, unit, x, h, order));
            let new = gate(inputs, 2 * H + unit, x, &kept, order).tanh();
            (1.0 - update) * new + update * h[unit]
        };
        *h = (0..H).map(next).collect();
    })
}

fn lstm(inputs: Floats<'_>, order: Order) -> Vec<Vec<f32>> {
    let peephole = |gate: usize, unit: usize| inputs[7][gate * H + unit];
    walk(inputs, |x, h, c| {
        let mut next = Vec::new();
        for (unit, c) in c.iter_mut().enumerate() {
            let row = |which: usize| gate(inputs, which * H + unit, x, h, order);
            let input = sigmoid(row(0) + peephole(0, unit) * *c);
            let forget = sigmoid(row(2) + peephole(2, unit) * *c);
            *c = forget * *c + input * row(3).tanh();
            next.push(sigmoid(row(1) + peephole(1, unit) * *c) * c.tanh());
        }
        *h = next;
    })
}

#[test]
fn recurrent_layers() {
    check(&layer("RNN", 1, &[], 2));
    check(&layer("GRU", 3, &[], 2));
    check(&layer("LSTM", 4, &[(7, vec![1, 3 * H])], 3));
}

/// One head of keys and values of size H, which two query heads share; T tokens.
fn gated_delta(inputs: Floats<'_>, order: Order) -> Vec<Vec<f32>> {
    let [query, key, value, past, decay, beta] = inputs else {
        return Vec::new();
    };
    let mut state = past.clone();
    let mut output = vec![0.0; T * 2 * H];
    for t in 0..T {
        let row = |of: &[f32]| of[t * H..(t + 1) * H].to_vec();
        let (k, mut v, decay) = (row(key), row(value), row(decay));
        let column =
            |state: &[f32], at: usize| state.iter().skip(at).step_by(H).copied().collect::<Vec<f32>>();
        for (held, decay) in state.chunks_mut(H).zip(decay) {
            held.iter_mut().for_each(|held| *held *= decay.exp());
        }
        for (at, v) in v.iter_mut().enumerate() {
            *v = (*v - order.dot(&k, column(&state, at))) * beta[t];
        }
        for (held, k) in state.chunks_mut(H).zip(&k) {
            held.iter_mut().zip(&v).for_each(|(held, v)| *held += k * v);
        }
        for head in 0..2 {
            let q = &query[(t * 2 + head) * H..(t * 2 + head + 1) * H];
            for at in 0..H {
                output[(t * 2 + head) * H + at] = order.dot(q, column(&state, at)) / (H as f32).sqrt();
            }
        }
    }
    vec![output, state]
}

#[test]
fn linear_attention() {
    let tokens = |width: usize| Some(vec![1, T, width]);
    check(&Case {
        operator: "LinearAttention",
        attributes: vec![
            ("update_rule", string("gated_delta")),
            ("q_num_heads", AttributeValue::Int(2)),
            ("kv_num_heads", AttributeValue::Int(1)),
        ],
        inputs: vec![
            tokens(2 * H),
            tokens(H),
            tokens(H),
            Some(vec![1, 1, H, H]),
            tokens(H),
            tokens(1),
        ],
        given: Vec::new(),
        outputs: 2,
        evaluate: gated_delta,
    });
}
