//! Cast and CastLike.

use onnx_tensor::minifloat::Overflow;
use onnx_tensor::{DType, RoundMode, Tensor};

use super::super::call::one;
use super::super::fast::Fast;
use super::super::numbers::{floats, from_floats_with, from_ints, from_ints_with, ints, truncated};
use super::super::{Call, Outcome, Row, row};
use super::half;
use super::literal::parse_to_odd;
use super::wide;
use crate::error::{Problem, invalid, unsupported};
use crate::shapes::SAME;

pub const ROWS: &[Row] = &[
    row("Cast", 6, SAME, |call| match call.attributes.dtype("to")? {
        Some(to) => cast(call, to),
        None => invalid("attribute `to` is not an element type"),
    })
    .of_type(|known| known.named_dtype("to"))
    .fast(Fast::Cast),
    row("CastLike", 15, SAME, |call| cast(call, call.tensor(1)?.dtype())),
];

fn cast(call: &Call, to: DType) -> Outcome {
    let tensor = call.tensor(0)?;
    let saturate = call.attributes.find_int("saturate")?.is_none_or(|flag| flag != 0);
    let overflow = if saturate {
        Overflow::Saturate
    } else {
        Overflow::Special
    };
    let mode = match call.attributes.text("round_mode")? {
        "" | "up" => RoundMode::Up,
        "down" => RoundMode::Down,
        "nearest" => RoundMode::Nearest,
        other => return invalid(format!("unknown round_mode `{other}`")),
    };
    one(convert(tensor, to, overflow, mode)?)
}

fn convert(tensor: &Tensor, to: DType, overflow: Overflow, mode: RoundMode) -> Result<Tensor, Problem> {
    if let Some(converted) = half::cast(tensor, to)? {
        return Ok(converted);
    }
    if let Some(converted) = wide::cast(tensor, to)? {
        return Ok(converted);
    }
    let (from, shape) = (tensor.dtype(), tensor.shape());
    match (from, to) {
        _ if from == to => Ok(tensor.clone()),
        (DType::String, _) => from_text(tensor, to, overflow, mode),
        (_, DType::String) => to_text(tensor),
        _ if from.is_integer() || from == DType::Bool => {
            from_ints_with(to, shape, ints(tensor)?, overflow, mode)
        }
        // "Cast to a 4 bit type is done by rounding to the nearest-integer (with ties to even) nearest-even
        // integer and truncating", to the low bits (int4.md; the same in int2.md).
        (_, DType::Int4 | DType::Uint4 | DType::Int2 | DType::Uint2) => {
            let nearest = floats(tensor)?.into_iter().map(f64::round_ties_even);
            from_ints(to, shape, nearest.map(truncated).collect())
        }
        _ if to.is_integer() => from_ints(to, shape, floats(tensor)?.into_iter().map(truncated).collect()),
        _ => from_floats_with(to, shape, floats(tensor)?, overflow, mode),
    }
}

fn from_text(tensor: &Tensor, to: DType, overflow: Overflow, mode: RoundMode) -> Result<Tensor, Problem> {
    let texts = tensor.to_vec::<String>()?;
    let wrong = |text: &str| Problem::Invalid(format!("`{text}` is not a number"));
    if to.is_integer() {
        let parse = |text: &String| text.trim().parse::<i128>().map_err(|_| wrong(text));
        let values = texts.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
        return from_ints(to, tensor.shape(), values);
    }
    if to == DType::Float {
        let parse = |text: &String| text.trim().parse::<f32>().map_err(|_| wrong(text));
        let values = texts.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
        return Ok(Tensor::new(tensor.shape(), values)?);
    }
    let parse = |text: &String| match to {
        DType::Double => text.trim().parse::<f64>().ok(),
        // The number is rounded once more, to a narrower type.
        _ => parse_to_odd(text.trim()),
    };
    let parse = |text: &String| parse(text).ok_or_else(|| wrong(text));
    let values = texts.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
    from_floats_with(to, tensor.shape(), values, overflow, mode)
}

/// Writes integers as digits. ONNX does not define the text of floats; the official cases have the shortest
/// digits of f32.
fn to_text(tensor: &Tensor) -> Result<Tensor, Problem> {
    if tensor.dtype().is_integer() {
        let texts = ints(tensor)?.into_iter().map(|x| x.to_string()).collect();
        return Ok(Tensor::new::<String>(tensor.shape(), texts)?);
    }
    unsupported(format!(
        "conversion of {} to text is not implemented",
        tensor.dtype()
    ))
}
