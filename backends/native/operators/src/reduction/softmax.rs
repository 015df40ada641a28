//! Softmax, LogSoftmax, Hardmax.
//!
//! Up to since 11 the tensor is a matrix, split at `axis`; from 13 on the operator works along one axis.

use native_kernels::norm::Softmax;
use onnx_tensor::Tensor;

use super::super::call::{axis, one};
use super::super::fast::Fast;
use super::super::movement::split_at;
use super::super::numbers::{floats, from_floats, sum};
use super::super::{Call, Outcome, Row, row};
use crate::error::Problem;
use crate::shapes::SAME;

pub const ROWS: &[Row] = &[
    row("Softmax", 1, SAME, |call| flat(call, softmax_rows)).fast(Fast::Softmax(Softmax::Linear)),
    row("Softmax", 13, SAME, |call| along(call, softmax_rows)).fast(Fast::Softmax(Softmax::Linear)),
    row("LogSoftmax", 1, SAME, |call| flat(call, log_softmax_rows)).fast(Fast::Softmax(Softmax::Logarithm)),
    row("LogSoftmax", 13, SAME, |call| along(call, log_softmax_rows)).fast(Fast::Softmax(Softmax::Logarithm)),
    row("Hardmax", 1, SAME, |call| flat(call, hardmax_rows)),
    row("Hardmax", 13, SAME, |call| along(call, hardmax_rows)),
];

type OfRows = fn(&mut [f64]);

fn flat(call: &Call, of_row: OfRows) -> Outcome {
    let tensor = call.tensor(0)?;
    let at = axis(call.attributes.int("axis")?, tensor.rank())?;
    let length: usize = tensor.shape()[at..].iter().product();
    one(apply(tensor, (tensor.len() / length.max(1), length, 1), of_row)?)
}

fn along(call: &Call, of_row: OfRows) -> Outcome {
    let tensor = call.tensor(0)?;
    let at = axis(call.attributes.int("axis")?, tensor.rank())?;
    one(apply(tensor, split_at(tensor.shape(), at), of_row)?)
}

fn apply(tensor: &Tensor, cut: (usize, usize, usize), of_row: OfRows) -> Result<Tensor, Problem> {
    let (outer, length, inner) = cut;
    let mut values = floats(tensor)?;
    if values.is_empty() {
        return Ok(tensor.clone());
    }
    let mut line = vec![0.0; length];
    for row in 0..outer {
        for column in 0..inner {
            let at = |along: usize| (row * length + along) * inner + column;
            (0..length).for_each(|along| line[along] = values[at(along)]);
            of_row(&mut line);
            (0..length).for_each(|along| values[at(along)] = line[along]);
        }
    }
    from_floats(tensor.dtype(), tensor.shape(), values)
}

fn greatest(line: &[f64]) -> f64 {
    line.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// Computes the softmax of one line, in place.
pub fn softmax_rows(line: &mut [f64]) {
    let most = greatest(line);
    line.iter_mut().for_each(|x| *x = (*x - most).exp());
    let sum = sum(line.iter().copied());
    line.iter_mut().for_each(|x| *x /= sum);
}

fn log_softmax_rows(line: &mut [f64]) {
    let most = greatest(line);
    let sum = sum(line.iter().map(|x| (x - most).exp()));
    let logarithm = sum.ln();
    // The difference is computed first; the sum with the maximum would lose precision.
    line.iter_mut().for_each(|x| *x = (*x - most) - logarithm);
}

fn hardmax_rows(line: &mut [f64]) {
    // As in ArgMax, the first NaN is the maximum.
    let most = greatest(line);
    let is_nan = line.iter().position(|x| x.is_nan());
    let first = is_nan.or_else(|| line.iter().position(|&x| x == most));
    line.iter_mut()
        .enumerate()
        .for_each(|(at, x)| *x = f64::from(u8::from(Some(at) == first)));
}
