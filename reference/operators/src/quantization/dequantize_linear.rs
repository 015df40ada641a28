//! DequantizeLinear — (x − x_zero_point) · x_scale, with one scale for the tensor, an index of an axis or a
//! block.
//!
//! The difference is exact; the product is that of real numbers, rounded once to the output type (like IEEE
//! 754-2019, 5.4.1, for operands whose format differs from that of the result). Version 23 says so ("the
//! output type also determines the precision of the multiplication"); before, the output has the type of
//! the scale, and the text leaves the precision open.
//!
//! Versions: 10 has one scale for the tensor; 13 one for each index along `axis`; 19 adds floats of 8 bits
//! and output types other than float; 21 blocks, 16 and 4 bits; 23 `output_dtype`; 24 scales of float8e8m0,
//! which require it.
//!
//! Interpretation: for "in the case of dequantizing int32, there's no zero point (zero point is supposed to
//! be 0)", a zero point must be 0.

use std::cmp::Ordering;

use ndarray::Zip;
use onnx_arithmetic::quantized::{self, Byte};
use onnx_tensor::minifloat::round_to_odd;
use onnx_tensor::{Array, DType, Float, Tensor, dispatch};

use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::broadcast;
use crate::shared::quantize::Granularity;
use crate::shared::quantized::reals;

use super::scaling::{Runs, scale, zero_point};

pub const OP: OpDef = op(
    "DequantizeLinear",
    &[
        v(10, First, |call| {
            dequantize(call, Granularity::Tensor, call.dtype(1)?)
        }),
        v(13, Semantics, eval_13),
        v(19, Semantics, eval_13),
        v(21, Semantics, |call| {
            dequantize(call, Granularity::of(call)?, call.dtype(1)?)
        }),
        v(23, Semantics, eval_23),
        v(24, TypesOnly, eval_23),
        v(25, TypesOnly, eval_23),
        v(28, TypesOnly, eval_23),
    ],
);

fn eval_13(call: &Call<'_>) -> Result<Outputs, OpError> {
    dequantize(call, Granularity::Axis(call.int("axis")?), call.dtype(1)?)
}

fn eval_23(call: &Call<'_>) -> Result<Outputs, OpError> {
    let to = match call.int("output_dtype")? {
        0 => call.dtype(1)?,
        _ => call.dtype_attribute("output_dtype")?,
    };
    dequantize(call, Granularity::of(call)?, to)
}

fn dequantize(call: &Call<'_>, granularity: Granularity, to: DType) -> Result<Outputs, OpError> {
    let to = call.output_dtype(0, to)?;
    if let Some(y) = of_bytes(call, granularity, to)? {
        return one(y);
    }
    let x = reals(call.tensor(0)?)?;
    let scale = scale(call, granularity, x.shape())?;
    call.reserve(x.shape(), to)?;
    let zero_point = zero_point(call, granularity, x.shape())?;
    if call.dtype(0)? == DType::Int32 && zero_point.iter().any(|&value| value != 0.0) {
        return Err(OpError::invalid("the zero point of int32 must be 0"));
    }
    let difference = &x - &broadcast::view(&zero_point, x.shape())?;
    let scale = broadcast::view(&scale, difference.shape())?;
    dispatch!(float, to, T => {
        one(Tensor::from(Zip::from(&difference).and(&scale).map_collect(|&x, &scale| product::<T>(x, scale))))
    })
}

/// The result in float for bytes and scales in float; `None` for others.
fn of_bytes(call: &Call<'_>, granularity: Granularity, to: DType) -> Result<Option<Tensor>, OpError> {
    let x = call.tensor(0)?;
    if (to, call.dtype(1)?) != (DType::Float, DType::Float) || x.is_empty() {
        return Ok(None);
    }
    let (scale, zero_point) = (
        scale(call, granularity, x.shape())?,
        zero_point(call, granularity, x.shape())?,
    );
    let Some(runs) = Runs::new(x.shape(), &scale, &zero_point) else {
        return Ok(None);
    };
    match x {
        Tensor::Uint8(array) => dequantized(call, array, &runs),
        Tensor::Int8(array) => dequantized(call, array, &runs),
        _ => Ok(None),
    }
}

fn dequantized<B: Byte>(call: &Call<'_>, x: &Array<B>, runs: &Runs) -> Result<Option<Tensor>, OpError> {
    let Some(elements) = x.as_slice() else {
        return Ok(None);
    };
    call.reserve(x.shape(), DType::Float)?;
    let mut y = vec![0.0; elements.len()];
    let parts = elements.chunks(runs.length).zip(y.chunks_mut(runs.length));
    for (index, (x, y)) in parts.enumerate() {
        let (scale, zero) = runs.of(index);
        quantized::dequantize(x, scale, zero, y);
    }
    Ok(Some(Tensor::new(x.shape(), y)?))
}

/// The product, rounded once: that of an int32 and a float has up to 55 bits, two more than f64.
fn product<T: Float>(x: f64, scale: f64) -> T {
    let nearest = x * scale;
    if x.abs() < 536_870_912.0 && f64::from(scale as f32) == scale {
        // 29 and 24 bits: the product is exact.
        return T::from_f64(nearest);
    }
    let lost = x.mul_add(scale, -nearest);
    let magnitude = if lost.is_nan() || lost == 0.0 {
        Ordering::Equal
    } else if (lost < 0.0) == (nearest < 0.0) {
        Ordering::Greater
    } else {
        Ordering::Less
    };
    T::from_f64(round_to_odd(nearest, magnitude))
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{F8E8M0, Value};

    use super::*;
    use crate::frame::testing::{attribute, check, evaluate, refused};

    /// (2²⁴ + 1) · 3 is between two floats that are 4 apart; if 2²⁴ + 1 were first rounded to float, the
    /// product would be 50331648.
    #[test]
    fn the_product_is_rounded_once() {
        let inputs = [
            Tensor::vector(vec![(1 << 24) + 1]).into(),
            Tensor::scalar(3.0_f32).into(),
        ];
        for since in [10, 13, 19, 21, 23, 24, 25, 28] {
            let outputs = evaluate(("", "DequantizeLinear", since), &inputs, &[]).expect("a result");
            let y = outputs[0].as_tensor().expect("a tensor");
            assert!(
                y.same_bits(&Tensor::vector(vec![50_331_652.0_f32])),
                "{since}: {y:?}"
            );
        }
    }

    #[test]
    fn types_and_zero_points_are_those_of_the_version() {
        let under = |since| ("", "DequantizeLinear", since);
        let bytes = || Value::from(Tensor::vector(vec![1_i8, -3]));
        let power = || Value::from(Tensor::scalar(F8E8M0(126)));
        let halves = [attribute("output_dtype", 10_i64)];
        let expected = [0.5, -1.5].map(onnx_tensor::f16::from_f32).to_vec();
        check(
            under(24),
            &[bytes(), power()],
            &halves,
            &[Tensor::vector(expected).into()],
        );
        refused(under(24), &[bytes(), power()], &[], "float8e8m0");
        let whole = || Value::from(Tensor::vector(vec![1_i32]));
        let scale = || Value::from(Tensor::scalar(2.0_f32));
        check(
            under(10),
            &[whole(), scale(), Tensor::scalar(0_i32).into()],
            &[],
            &[Tensor::vector(vec![2.0_f32]).into()],
        );
        refused(
            under(10),
            &[whole(), scale(), Tensor::scalar(1_i32).into()],
            &[],
            "must be 0",
        );
    }
}
