//! QLinearMatMul and QLinearConv: exact sums of integers, scaled and rounded once.

use onnx_tensor::{DType, Tensor};

use super::super::call::one;
use super::super::convolution::integer_convolution;
use super::super::matrix::{MatMulShape, int_product, without_zero_point};
use super::super::numbers::{floats, from_floats, int_range};
use super::super::{Call, Outcome, Row, row};
use crate::error::{Problem, invalid, unsupported};

pub const ROWS: &[Row] = &[row("QLinearMatMul", 10, matmul), row("QLinearConv", 10, conv)];

/// Sums by their factors to integers of a type.
fn requantize(
    shape: &[usize],
    sums: Vec<i128>,
    factor: impl Fn(usize) -> f64,
    zero: &Tensor,
) -> Result<Tensor, Problem> {
    let Some((least, most)) = int_range(zero.dtype()) else {
        return unsupported(format!("there is no code for results of {}", zero.dtype()));
    };
    let Some(&offset) = floats(zero)?.first() else {
        return invalid("the zero point of the result is empty");
    };
    let place = |(at, sum): (usize, i128)| {
        let value = (sum as f64 * factor(at)).round_ties_even() + offset;
        value.clamp(least as f64, most as f64)
    };
    from_floats(
        zero.dtype(),
        shape,
        sums.into_iter().enumerate().map(place).collect(),
    )
}

fn only(tensor: &Tensor) -> Result<f64, Problem> {
    match floats(tensor)?[..] {
        [value] => Ok(value),
        ref many => unsupported(format!(
            "there is code for one scale here, not for {}",
            many.len()
        )),
    }
}

fn matmul(call: &Call) -> Outcome {
    let (a, b) = (call.tensor(0)?, call.tensor(3)?);
    if a.dtype().bits() != Some(8) || matches!(a.dtype(), DType::Bool) {
        return unsupported(format!("there is no code for operands of {}", a.dtype()));
    }
    let shape = MatMulShape::new(a.shape(), b.shape())?;
    let left = without_zero_point(a, call.find_tensor(2)?, a.rank().saturating_sub(2))?;
    let right = without_zero_point(b, call.find_tensor(5)?, b.rank().saturating_sub(1))?;
    let sums = int_product(&shape, &left, &right);
    let (a_scale, b_scale, y_scale) = (
        only(call.tensor(1)?)?,
        floats(call.tensor(4)?)?,
        only(call.tensor(6)?)?,
    );
    let columns = shape.extents[1];
    if b_scale.len() != 1 && b_scale.len() != columns {
        return unsupported("there is code for one scale of B, or one for each column");
    }
    let factor = |at: usize| a_scale * b_scale[if b_scale.len() == 1 { 0 } else { at % columns }] / y_scale;
    one(requantize(&shape.result, sums, factor, call.tensor(7)?)?)
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
    if w_scale.len() != 1 && w_scale.len() != filters {
        return invalid("there is not one scale for each filter");
    }
    let area = shape[2..].iter().product::<usize>().max(1);
    let factor = |at: usize| {
        let filter = if w_scale.len() == 1 {
            0
        } else {
            (at / area) % filters
        };
        x_scale * w_scale[filter] / y_scale
    };
    one(requantize(&shape, sums, factor, call.tensor(7)?)?)
}
