//! QLinearMatMul and QLinearConv: exact sums of integers, scaled and rounded once.

use onnx_tensor::{DType, Tensor};

use super::super::call::one;
use super::super::convolution::integer_convolution;
use super::super::fast::{self, Fast};
use super::super::matrix::{MatMulShape, quantized_product};
use super::super::numbers::{floats, from_floats, int_range};
use super::super::rules::Arguments;
use super::super::{Call, Outcome, Row, row};
use super::bytes;
use super::bytes::Sums;
use crate::error::{Problem, invalid, unsupported};
use crate::shapes::Shapes::First;

pub const ROWS: &[Row] = &[
    row("QLinearMatMul", 10, First(|known| known.matmul(3)), matmul)
        .fast(Fast::Quantized(fast::Quantized::Product)),
    row("QLinearConv", 10, First(|known| known.conv(3)), conv)
        .fast(Fast::Quantized(fast::Quantized::Convolution))
        .requires(for_each_filter),
];

/// The filters have one scale, or a vector with one for each, and a vector of biases.
fn for_each_filter(node: &Arguments) -> Result<(), Problem> {
    let Some(&filters) = node.shape(3).as_deref().and_then(<[usize]>::first) else {
        return Ok(());
    };
    for (position, name, shared) in [(4, "w_scale", true), (8, "B", false)] {
        let Some(shape) = node.shape(position) else {
            continue;
        };
        let one = shared && shape.iter().product::<usize>() == 1;
        if !one && shape[..] != [filters] {
            return invalid(format!(
                "`{name}` has the shape {shape:?}, expected one value for each of {filters} filters"
            ));
        }
    }
    Ok(())
}

/// Multiplies sums of `[outer][channels][inner]` by their scales (one, or one for each channel) and rounds to
/// integers of a type.
fn requantize(
    shape: &[usize],
    extents: [usize; 3],
    sums: Sums,
    scales: &[f64],
    zero: &Tensor,
) -> Result<Tensor, Problem> {
    if let Sums::Narrow(sums) = &sums
        && scales.iter().all(|scale| scale.is_finite())
        && let Some(result) = bytes::requantize(shape, extents, sums, scales, zero)?
    {
        return Ok(result);
    }
    let Some((least, most)) = int_range(zero.dtype()) else {
        return unsupported(format!("results of {} are not implemented", zero.dtype()));
    };
    let Some(&offset) = floats(zero)?.first() else {
        return invalid("the zero point of the result is empty");
    };
    let [_, channels, inner] = extents;
    let scale = |at: usize| match scales {
        [one] => *one,
        _ => scales[at / inner.max(1) % channels],
    };
    let place = |(at, sum): (usize, i128)| {
        let scaled = sum as f64 * scale(at);
        // NaN becomes 0; ONNX does not define its integer.
        let rounded = if scaled.is_nan() {
            0.0
        } else {
            scaled.round_ties_even()
        };
        let value = rounded + offset;
        value.clamp(least as f64, most as f64)
    };
    let values = sums.wide().into_iter().enumerate().map(place).collect();
    from_floats(zero.dtype(), shape, values)
}

fn only(tensor: &Tensor) -> Result<f64, Problem> {
    match floats(tensor)?[..] {
        [value] => Ok(value),
        ref many => unsupported(format!("only one scale is implemented here, got {}", many.len())),
    }
}

fn matmul(call: &Call) -> Outcome {
    let (a, b) = (call.tensor(0)?, call.tensor(3)?);
    if a.dtype().bits() != Some(8) || matches!(a.dtype(), DType::Bool) {
        return unsupported(format!("operands of {} are not implemented", a.dtype()));
    }
    let shape = MatMulShape::new(a.shape(), b.shape())?;
    let sums = quantized_product(&shape, (a, call.find_tensor(2)?), (b, call.find_tensor(5)?))?;
    let (a_scale, b_scale, y_scale) = (
        only(call.tensor(1)?)?,
        floats(call.tensor(4)?)?,
        only(call.tensor(6)?)?,
    );
    let [rows, columns, _] = shape.extents;
    if b_scale.len() != 1 && b_scale.len() != columns {
        return unsupported("only one scale of B, or one for each column, is implemented");
    }
    let scales: Vec<f64> = b_scale
        .iter()
        .map(|b_scale| a_scale * b_scale / y_scale)
        .collect();
    let extents = [shape.pairs.len() * rows, columns, 1];
    one(requantize(
        &shape.result,
        extents,
        sums,
        &scales,
        call.tensor(7)?,
    )?)
}

fn conv(call: &Call) -> Outcome {
    let (x, w) = (call.tensor(0)?, call.tensor(3)?);
    let operands = ((x, call.find_tensor(2)?), (w, call.find_tensor(5)?));
    let (shape, sums) = integer_convolution(call.attributes, operands.0, operands.1, call.find_tensor(8)?)?;
    let (x_scale, w_scale, y_scale) = (
        only(call.tensor(1)?)?,
        floats(call.tensor(4)?)?,
        only(call.tensor(6)?)?,
    );
    let filters = shape[1];
    let scales: Vec<f64> = w_scale
        .iter()
        .map(|w_scale| x_scale * w_scale / y_scale)
        .collect();
    let extents = [shape[0], filters, shape[2..].iter().product()];
    one(requantize(&shape, extents, sums, &scales, call.tensor(7)?)?)
}
