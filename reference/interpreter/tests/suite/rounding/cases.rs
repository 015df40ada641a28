//! Single nodes of other operators.

use onnx_model::AttributeValue;
use onnx_tensor::Tensor;

use super::order::{Order, sigmoid};
use super::{Case, Evaluate, check, string};

/// One node without attributes, on inputs of these shapes.
fn case(operator: &'static str, shapes: &[&[usize]], evaluate: Evaluate) -> Case {
    Case {
        operator,
        attributes: Vec::new(),
        inputs: shapes.iter().map(|shape| Some(shape.to_vec())).collect(),
        given: Vec::new(),
        outputs: 1,
        evaluate,
    }
}

/// Channels, positions of a line, and taps.
const C: usize = 3;
const L: usize = 7;
const K: usize = 4;

#[test]
fn causal_convolution() {
    let mut convolution = case(
        "CausalConvWithState",
        &[&[1, C, L], &[C, 1, K], &[C], &[1, C, K - 1]],
        |inputs, order| {
            let (mut y, mut state) = (Vec::new(), Vec::new());
            for channel in 0..C {
                let line = |of: &[f32], length: usize| of[channel * length..(channel + 1) * length].to_vec();
                let whole = [line(&inputs[3], K - 1), line(&inputs[0], L)].concat();
                y.extend(whole.windows(K).map(|window| {
                    let sum = order.dot(window, line(&inputs[1], K)) + inputs[2][channel];
                    sum * sigmoid(sum)
                }));
                state.extend_from_slice(&whole[L..]);
            }
            vec![y, state]
        },
    );
    convolution.attributes.push(("activation", string("silu")));
    convolution.outputs = 2;
    check(&convolution);
}

#[test]
fn rotation() {
    check(&case(
        "RotaryEmbedding",
        &[&[1, 2, C, 2 * K], &[1, C, K], &[1, C, K]],
        |inputs, order| {
            let mut y = inputs[0].clone();
            for (row, x) in y.chunks_mut(2 * K).enumerate() {
                let (a, b) = x.split_at_mut(K);
                let angles = row % C * K..(row % C + 1) * K;
                let angles = inputs[1][angles.clone()].iter().zip(&inputs[2][angles]);
                for ((a, b), (cos, sin)) in a.iter_mut().zip(b).zip(angles) {
                    (*a, *b) = (
                        order.sum(&[cos * *a, -sin * *b]),
                        order.sum(&[sin * *a, cos * *b]),
                    );
                }
            }
            vec![y]
        },
    ));
}

#[test]
fn affine_map() {
    let mut grid = case("AffineGrid", &[&[1, 2, 3], &[4]], |inputs, order| {
        let mut y = Vec::new();
        for row in 0..C {
            for column in 0..L {
                let at = |at: usize, extent: usize| (2.0 * at as f32 + 1.0) / extent as f32 - 1.0;
                let point = [at(column, L), at(row, C), 1.0];
                y.extend(inputs[0].chunks(3).map(|map| order.dot(map, point)));
            }
        }
        vec![y]
    });
    grid.given
        .push((1, Tensor::vector(vec![1_i64, 1, C as i64, L as i64])));
    check(&grid);
}

#[test]
fn determinant() {
    check(&case("Det", &[&[K, K]], |inputs, _| {
        let mut rows: Vec<Vec<f32>> = inputs[0].chunks(K).map(<[f32]>::to_vec).collect();
        let mut result = 1.0;
        for column in 0..K {
            let size = |row: &usize| rows[*row][column].abs();
            let pivot = (column..K)
                .max_by(|a, b| size(a).total_cmp(&size(b)))
                .unwrap_or(column);
            if pivot != column {
                rows.swap(pivot, column);
                result = -result;
            }
            let head = rows[column].clone();
            result *= head[column];
            for row in &mut rows[column + 1..] {
                let factor = row[column] / head[column];
                row.iter_mut().zip(&head).for_each(|(x, y)| *x -= factor * y);
            }
        }
        vec![vec![result]]
    }));
}

/// The statistics of a batch, in one pass or two.
fn batch_statistics(inputs: &[Vec<f32>], order: Order) -> Vec<Vec<f32>> {
    let [x, scale, bias, mean, variance] = inputs else {
        return Vec::new();
    };
    let (mut y, mut means, mut variances) = (x.clone(), Vec::new(), Vec::new());
    for channel in 0..C {
        let places: Vec<usize> = (0..2)
            .flat_map(|image| (0..L).map(move |at| (image * C + channel) * L + at))
            .collect();
        let of: Vec<f32> = places.iter().map(|&place| x[place]).collect();
        let average = |values: Vec<f32>| order.sum(&values) / of.len() as f32;
        let m = average(of.clone());
        let v = match order {
            Order::Backward => average(of.iter().map(|x| x * x).collect()) - m * m,
            _ => average(of.iter().map(|x| (x - m) * (x - m)).collect()),
        };
        let factor = scale[channel] / (v + 1e-5).sqrt();
        for &place in &places {
            y[place] = match order {
                Order::Forward => (x[place] - m) * factor + bias[channel],
                _ => x[place] * factor + (bias[channel] - m * factor),
            };
        }
        means.push(0.9 * mean[channel] + (1.0 - 0.9) * m);
        variances.push(0.9 * variance[channel] + (1.0 - 0.9) * v);
    }
    vec![y, means, variances]
}

#[test]
fn batch_normalization_in_training() {
    let mut normalization = case(
        "BatchNormalization",
        &[&[2, C, L], &[C], &[C], &[C], &[C]],
        batch_statistics,
    );
    normalization
        .attributes
        .push(("training_mode", AttributeValue::Int(1)));
    normalization.outputs = 3;
    check(&normalization);
}
