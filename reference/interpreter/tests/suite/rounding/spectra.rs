//! Fourier transforms.

use onnx_model::AttributeValue;
use onnx_tensor::Tensor;

use super::order::Order;
use super::{Case, Floats, check};

/// The length of a signal and of a frame, and the frame step.
const N: usize = 24;
const FRAME: usize = 8;
const STEP: usize = 4;

/// One-sided spectrum of a real signal, summed directly or, if the length is even, by halves.
fn spectrum(signal: &[f32], order: Order) -> Vec<f32> {
    let n = signal.len();
    let whole: Vec<(f32, f32)> = match order {
        Order::Pairwise => halved(signal),
        _ => (0..n).map(|bin| directly(signal, bin, order)).collect(),
    };
    whole
        .into_iter()
        .take(n / 2 + 1)
        .flat_map(|(re, im)| [re, im])
        .collect()
}

fn root(at: usize, n: usize) -> (f32, f32) {
    let angle = -2.0 * std::f32::consts::PI * (at % n) as f32 / n as f32;
    (angle.cos(), angle.sin())
}

fn directly(signal: &[f32], bin: usize, order: Order) -> (f32, f32) {
    let n = signal.len();
    let part = |of: fn((f32, f32)) -> f32| order.dot(signal, (0..n).map(|at| of(root(at * bin, n))));
    (part(|root| root.0), part(|root| root.1))
}

/// Decimation in time, down to odd lengths.
fn halved(signal: &[f32]) -> Vec<(f32, f32)> {
    let n = signal.len();
    if n % 2 == 1 {
        return (0..n).map(|bin| directly(signal, bin, Order::Forward)).collect();
    }
    let part = |first: usize| {
        halved(
            &signal
                .iter()
                .skip(first)
                .step_by(2)
                .copied()
                .collect::<Vec<f32>>(),
        )
    };
    let (even, odd) = (part(0), part(1));
    let bin = |bin: usize| {
        let ((a, b), (c, d), (re, im)) = (even[bin % (n / 2)], odd[bin % (n / 2)], root(bin, n));
        (a + (c * re - d * im), b + (c * im + d * re))
    };
    (0..n).map(bin).collect()
}

#[test]
fn transforms() {
    let onesided = || vec![("onesided", AttributeValue::Int(1))];
    check(&Case {
        operator: "DFT",
        attributes: onesided(),
        inputs: vec![Some(vec![1, N, 1])],
        given: Vec::new(),
        outputs: 1,
        evaluate: |inputs: Floats<'_>, order| vec![spectrum(&inputs[0], order)],
    });
    check(&Case {
        operator: "STFT",
        attributes: onesided(),
        inputs: vec![Some(vec![1, N, 1]), Some(vec![]), Some(vec![FRAME])],
        given: vec![(1, Tensor::scalar(STEP as i64))],
        outputs: 1,
        evaluate: |inputs, order| {
            let frame = |from: usize| {
                let samples = inputs[0][from..from + FRAME].iter().zip(&inputs[2]);
                spectrum(&samples.map(|(x, w)| x * w).collect::<Vec<f32>>(), order)
            };
            vec![(0..=N - FRAME).step_by(STEP).flat_map(frame).collect()]
        },
    });
}
