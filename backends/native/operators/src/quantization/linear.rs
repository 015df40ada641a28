//! QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear.

use onnx_tensor::minifloat::Overflow;
use onnx_tensor::{DType, RoundMode, Tensor, Value};

use super::super::call::{axis, extent, one};
use super::super::fast::{self, Fast};
use super::super::movement::{positions, strides};
use super::super::numbers::{floats, from_floats, from_floats_with, from_ints, int_range};
use super::super::{Call, Outcome, Row, row};
use crate::error::{Problem, invalid};
use crate::shapes::SAME;
use crate::shapes::Shapes::Each;

pub const ROWS: &[Row] = &[
    row("QuantizeLinear", 10, SAME, quantize)
        .of_type(|known| known.quantized_dtype())
        .fast(Fast::Quantized(fast::Quantized::Quantize)),
    row("DequantizeLinear", 10, SAME, dequantize)
        .of_type(|known| known.named_dtype("output_dtype").or(known.dtype(1)))
        .fast(Fast::Quantized(fast::Quantized::Dequantize)),
    row(
        "DynamicQuantizeLinear",
        11,
        Each(|known| Some(vec![known.shape_like(0), Some(Vec::new()), Some(Vec::new())])),
        dynamic,
    )
    .fast(Fast::Quantized(fast::Quantized::DynamicQuantize)),
];

/// Returns the position of the scale of each element: one for all, one for each position along an axis, or
/// one for each block.
fn scale_positions(call: &Call, tensor: &Tensor, scale: &Tensor) -> Result<Vec<usize>, Problem> {
    let shape = tensor.shape();
    if scale.len() == 1 && scale.rank() <= 1 {
        return Ok(vec![0; tensor.len()]);
    }
    let at = axis(call.attributes.find_int("axis")?.unwrap_or(1), shape.len())?;
    let block = extent(call.attributes.find_int("block_size")?.unwrap_or(0))?;
    if block == 0 {
        return match scale.shape() {
            &[extent] if shape.get(at) == Some(&extent) => {
                let steps: Vec<usize> = (0..shape.len()).map(|axis| usize::from(axis == at)).collect();
                Ok(positions(shape, &steps, 0))
            }
            given => invalid(format!(
                "scales of shape {given:?} do not match axis {at} of shape {shape:?}"
            )),
        };
    }
    let blocks = shape[at].div_ceil(block);
    let fits = |axis: usize| scale.shape()[axis] == if axis == at { blocks } else { shape[axis] };
    if scale.rank() != shape.len() || !(0..shape.len()).all(fits) {
        return invalid("the shape of the scales does not match the blocks");
    }
    let (own, theirs) = (strides(shape), strides(scale.shape()));
    let locate = |linear: usize| {
        let coordinate =
            |axis: usize| (linear / own[axis]) % shape[axis] / if axis == at { block } else { 1 };
        (0..shape.len()).map(|axis| coordinate(axis) * theirs[axis]).sum()
    };
    Ok((0..tensor.len()).map(locate).collect())
}

/// Returns the zero point of each scale; 0 if there is none.
fn zero_points(scale: &Tensor, zero: Option<&Tensor>) -> Result<Vec<f64>, Problem> {
    let Some(zero) = zero else {
        return Ok(vec![0.0; scale.len()]);
    };
    let alone = |tensor: &Tensor| tensor.rank() <= 1 && tensor.len() == 1;
    if zero.shape() != scale.shape() && !(alone(zero) && alone(scale)) {
        return invalid(format!(
            "the scale has shape {:?}, the zero point {:?}",
            scale.shape(),
            zero.shape()
        ));
    }
    floats(zero)
}

/// The element type is that of the zero point, else `output_dtype`, else uint8.
fn quantize(call: &Call) -> Outcome {
    let (tensor, scale, zero) = (call.tensor(0)?, call.tensor(1)?, call.find_tensor(2)?);
    let named = call.attributes.dtype("output_dtype")?;
    let dtype = zero.map(Tensor::dtype).or(named).unwrap_or(DType::Uint8);
    let at = scale_positions(call, tensor, scale)?;
    let scales = floats(scale)?;
    let zeros = zero_points(scale, zero)?;
    // Before since 23 the specification states no precision. Scale and tensor have the same type then, except
    // for int32.
    let precision = call.attributes.dtype("precision")?.unwrap_or(scale.dtype());
    let quotient = |x: f64, scale: f64| round_to(precision, x / scale);
    let divided = floats(tensor)?
        .into_iter()
        .zip(&at)
        .map(|(x, &at)| quotient(x, scales[at]));
    match int_range(dtype) {
        Some((least, most)) => {
            let place = |(x, &at): (f64, &usize)| {
                // NaN becomes the zero point; ONNX does not define its integer.
                let rounded = if x.is_nan() { 0.0 } else { x.round_ties_even() };
                let value = rounded + zeros[at];
                value.clamp(least as f64, most as f64)
            };
            one(from_floats(
                dtype,
                tensor.shape(),
                divided.zip(&at).map(place).collect(),
            )?)
        }
        None => {
            let saturate = call.attributes.find_int("saturate")?.is_none_or(|flag| flag != 0);
            let overflow = if saturate {
                Overflow::Saturate
            } else {
                Overflow::Special
            };
            let values = divided.zip(&at).map(|(x, &at)| x + zeros[at]).collect();
            one(from_floats_with(
                dtype,
                tensor.shape(),
                values,
                overflow,
                RoundMode::Up,
            )?)
        }
    }
}

/// Rounds a quotient to the type of the division.
fn round_to(dtype: DType, value: f64) -> f64 {
    use onnx_tensor::{Real, bf16, f16};
    match dtype {
        DType::Float => f64::from(value as f32),
        DType::Float16 => Real::to_f64(<f16 as Real>::from_f64(value)),
        DType::Bfloat16 => Real::to_f64(<bf16 as Real>::from_f64(value)),
        _ => value,
    }
}

fn dequantize(call: &Call) -> Outcome {
    let (tensor, scale, zero) = (call.tensor(0)?, call.tensor(1)?, call.find_tensor(2)?);
    let dtype = call.attributes.dtype("output_dtype")?.unwrap_or(scale.dtype());
    let at = scale_positions(call, tensor, scale)?;
    let scales = floats(scale)?;
    let zeros = zero_points(scale, zero)?;
    if tensor.dtype() == DType::Int32 && zeros.iter().any(|&zero| zero != 0.0) {
        return invalid("int32 has no zero point: it must be 0");
    }
    let restored = floats(tensor)?
        .into_iter()
        .zip(&at)
        .map(|(x, &at)| (x - zeros[at]) * scales[at]);
    one(from_floats(dtype, tensor.shape(), restored.collect())?)
}

/// Quantizes to uint8, with a range that contains the minimum, the maximum and zero.
fn dynamic(call: &Call) -> Outcome {
    let tensor = call.tensor(0)?;
    let values: Vec<f32> = tensor.to_vec::<f32>()?;
    let least = values.iter().copied().fold(0.0_f32, f32::min);
    let most = values.iter().copied().fold(0.0_f32, f32::max);
    // If all elements are zero, the formula divides by a scale of 0; ONNX Runtime uses 1.
    let scale = if most == least {
        1.0
    } else {
        (most - least) / 255.0
    };
    let zero = (0.0 - least / scale).round_ties_even().clamp(0.0, 255.0) as u8;
    // NaN becomes the zero point.
    let quotient = |x: f32| {
        Some(x / scale)
            .filter(|quotient| !quotient.is_nan())
            .unwrap_or(0.0)
    };
    let place = |x: f32| (quotient(x).round_ties_even() + f32::from(zero)).clamp(0.0, 255.0) as i128;
    let quantized = from_ints(
        DType::Uint8,
        tensor.shape(),
        values.into_iter().map(place).collect(),
    )?;
    Ok(vec![
        Value::Tensor(quantized),
        Value::Tensor(Tensor::scalar(scale)),
        Value::Tensor(Tensor::scalar(zero)),
    ])
}
