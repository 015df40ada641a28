//! QuantizeLinear — saturate(round(x / y_scale) + y_zero_point), with one scale for the tensor, an index of
//! an axis or a block.
//!
//! The quotient is that of the real numbers x and y_scale, rounded once to the precision of the division
//! (like IEEE 754-2019, 5.4.1, for operands whose format differs from that of the result), then rounded
//! half to even. The first rounding affects ties. Since version 23 the text defines the precision:
//! `precision`, otherwise the type of y_scale. Interpretation for earlier versions: also the type of
//! y_scale, which is that of x, except for int32.
//!
//! Versions: 10 has one scale for the tensor; 13 one for each index along `axis`; 19 adds floats of 8 bits
//! and `saturate`; 21 blocks, 16 and 4 bits, `output_dtype`; 23 scales of a type other than that of x, and
//! `precision`.
//!
//! Interpretation: for int32 and float8e8m0 scales, "precision of the division" is not a float format, so
//! the quotient is not rounded (a quotient by a power of two is exact). A zero point of a float type is
//! added before the only rounding to that type, as "the quantization formula remains the same" says. NaN
//! becomes the zero point of an integer type (question `quantize-nan`).

use ndarray::Zip;
use onnx_arithmetic::quantized::{self, Byte};
use onnx_tensor::minifloat::Overflow;
use onnx_tensor::{DType, Element, Float, Tensor, bf16, f16};

use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, Reading, one, op, v};
use crate::shared::broadcast;
use crate::shared::convert::Rules;
use crate::shared::quantize::{Granularity, Quantized, dispatch_quantized};
use crate::shared::quantized::reals;

use super::scaling::{Runs, scale, zero_point};

pub const OP: OpDef = op(
    "QuantizeLinear",
    &[
        v(10, First, eval_10),
        v(13, Semantics, eval_13),
        v(19, Semantics, eval_13),
        v(21, Semantics, eval_21),
        v(23, Semantics, eval_23),
        v(24, TypesOnly, eval_23),
        v(25, TypesOnly, eval_23),
        v(28, TypesOnly, eval_23),
    ],
);

fn eval_10(call: &Call<'_>) -> Result<Outputs, OpError> {
    quantize(call, Granularity::Tensor, of_zero_point(call)?, call.dtype(1)?)
}

fn eval_13(call: &Call<'_>) -> Result<Outputs, OpError> {
    let granularity = Granularity::Axis(call.int("axis")?);
    quantize(call, granularity, of_zero_point(call)?, call.dtype(1)?)
}

fn eval_21(call: &Call<'_>) -> Result<Outputs, OpError> {
    quantize(call, Granularity::of(call)?, of_attribute(call)?, call.dtype(1)?)
}

fn eval_23(call: &Call<'_>) -> Result<Outputs, OpError> {
    let precision = match call.int("precision")? {
        0 => call.dtype(1)?,
        _ => call.dtype_attribute("precision")?,
    };
    quantize(call, Granularity::of(call)?, of_attribute(call)?, precision)
}

/// The type of the zero point; uint8 without a zero point.
fn of_zero_point(call: &Call<'_>) -> Result<DType, OpError> {
    Ok(call.optional_tensor(2)?.map_or(DType::Uint8, Tensor::dtype))
}

/// The type of `output_dtype`, which must match the zero point.
fn of_attribute(call: &Call<'_>) -> Result<DType, OpError> {
    let of_zero_point = of_zero_point(call)?;
    if call.int("output_dtype")? == 0 {
        return Ok(of_zero_point);
    }
    let named = call.output_dtype(0, call.dtype_attribute("output_dtype")?)?;
    if call.optional(2).is_some() && named != of_zero_point {
        return Err(OpError::invalid(format!(
            "`output_dtype` is {named}, but the zero point is {of_zero_point}"
        )));
    }
    Ok(named)
}

fn quantize(
    call: &Call<'_>,
    granularity: Granularity,
    to: DType,
    precision: DType,
) -> Result<Outputs, OpError> {
    let overflow = Rules::of(call)?.overflow;
    let y = match to {
        _ if precision != DType::Float || call.takes(Reading::QuantizeNanLeast) => None,
        DType::Uint8 => of_floats::<u8>(call, granularity)?,
        DType::Int8 => of_floats::<i8>(call, granularity)?,
        _ => None,
    };
    if let Some(y) = y {
        return one(y);
    }
    dispatch_quantized!(to, T => to_type::<T>(call, granularity, precision, overflow))
}

/// The bytes of floats with scales in float; `None` for others.
fn of_floats<B: Byte + Element>(
    call: &Call<'_>,
    granularity: Granularity,
) -> Result<Option<Tensor>, OpError> {
    let Tensor::Float(x) = call.tensor(0)? else {
        return Ok(None);
    };
    let (Some(elements), DType::Float) = (x.as_slice().filter(|x| !x.is_empty()), call.dtype(1)?) else {
        return Ok(None);
    };
    let scale = scale(call, granularity, x.shape())?;
    let zero_point = zero_point(call, granularity, x.shape())?;
    let Some(runs) = Runs::new(x.shape(), &scale, &zero_point) else {
        return Ok(None);
    };
    let mut y = vec![B::default(); elements.len()];
    let parts = elements.chunks(runs.length).zip(y.chunks_mut(runs.length));
    for (index, (x, y)) in parts.enumerate() {
        let (scale, zero) = runs.of(index);
        quantized::quantize(x, scale, zero, y);
    }
    Ok(Some(Tensor::new(x.shape(), y)?))
}

fn to_type<T: Quantized>(
    call: &Call<'_>,
    granularity: Granularity,
    precision: DType,
    overflow: Overflow,
) -> Result<Outputs, OpError> {
    let x = reals(call.tensor(0)?)?;
    let scale = scale(call, granularity, x.shape())?;
    let zero_point = zero_point(call, granularity, x.shape())?;
    let divide = division(precision)?;
    let least_for_nan = !T::DTYPE.is_float() && call.takes(Reading::QuantizeNanLeast);
    let divide = |x, scale| match divide(x, scale) {
        quotient if quotient.is_nan() && least_for_nan => f64::NEG_INFINITY,
        quotient => quotient,
    };
    let y = Zip::from(&x)
        .and(broadcast::view(&scale, x.shape())?)
        .and(broadcast::view(&zero_point, x.shape())?)
        .map_collect(|&x, &scale, &zero_point| T::quantize(divide(x, scale), zero_point, overflow));
    one(Tensor::from(y))
}

/// The quotient, rounded once to a precision. The error of f64 is too small to affect the second rounding
/// (Figueroa, "When is double rounding innocuous?", 1995; the distance of an int32 divided by a float from
/// a tie is at least 2⁻⁵⁰).
fn division(precision: DType) -> Result<fn(f64, f64) -> f64, OpError> {
    fn through<T: Float>(x: f64, scale: f64) -> f64 {
        T::from_f64(x / scale).to_f64()
    }
    match precision {
        DType::Float => Ok(through::<f32>),
        DType::Float16 => Ok(through::<f16>),
        DType::Bfloat16 => Ok(through::<bf16>),
        DType::Double | DType::Int32 | DType::Float8E8M0 => Ok(|x, scale| x / scale),
        other => Err(OpError::undefined(format!(
            "a division with the precision {other}"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use onnx_model::Attribute;
    use onnx_tensor::{F6E3M2, F8E8M0, Value};

    use super::*;
    use crate::frame::testing::{attribute, check, refused};

    fn floats(values: &[f32]) -> Value {
        Tensor::vector(values.to_vec()).into()
    }

    fn scalar<T: onnx_tensor::Element>(value: T) -> Value {
        Tensor::scalar(value).into()
    }

    /// 0.85 / 0.1 in float is 8.5, a tie; the quotient of the same numbers in double is 8.5000001.
    #[test]
    fn the_precision_of_the_division_affects_ties() {
        let inputs = [floats(&[0.85]), scalar(0.1_f32), scalar(0_u8)];
        let cases: [(u32, &[Attribute], u8); 5] = [
            (10, &[], 8),
            (13, &[], 8),
            (21, &[], 8),
            (23, &[], 8),
            (23, &[attribute("precision", 11_i64)], 9),
        ];
        for (since, attributes, expected) in cases {
            check(
                ("", "QuantizeLinear", since),
                &inputs,
                attributes,
                &[Tensor::vector(vec![expected]).into()],
            );
        }
    }

    #[test]
    fn types_follow_the_zero_point_or_the_attribute() {
        let x = || floats(&[2.5, -300.0]);
        let under = |since| ("", "QuantizeLinear", since);
        check(
            under(10),
            &[x(), scalar(1.0_f32)],
            &[],
            &[Tensor::vector(vec![2_u8, 0]).into()],
        );
        check(
            under(10),
            &[x(), scalar(1.0_f32), scalar(1_i8)],
            &[],
            &[Tensor::vector(vec![3_i8, -128]).into()],
        );
        let int16 = [attribute("output_dtype", 5_i64)];
        check(
            under(21),
            &[x(), scalar(1.0_f32)],
            &int16,
            &[Tensor::vector(vec![2_i16, -300]).into()],
        );
        refused(
            under(21),
            &[x(), scalar(1.0_f32), scalar(1_i8)],
            &int16,
            "the zero point is int8",
        );
        // The bit patterns are those of ml_dtypes; the quotient 1.25 becomes 1.25, −150 the least value.
        let float6 = [attribute("output_dtype", 28_i64)];
        let expected = Tensor::vector(vec![F6E3M2(0x0D), F6E3M2(0x3F)]);
        check(under(28), &[x(), scalar(2.0_f32)], &float6, &[expected.into()]);
    }

    #[test]
    fn scales_of_other_types_divide_exactly() {
        let under = |since| ("", "QuantizeLinear", since);
        let whole = [Tensor::vector(vec![7, 5, -5]).into(), scalar(2)];
        check(under(19), &whole, &[], &[Tensor::vector(vec![4_u8, 2, 0]).into()]);
        let power = [floats(&[5.0, 7.0]), scalar(F8E8M0(128))];
        check(under(24), &power, &[], &[Tensor::vector(vec![2_u8, 4]).into()]);
        refused(
            under(23),
            &[floats(&[1.0]), scalar(1.0_f32)],
            &[attribute("precision", 3_i64)],
            "int8",
        );
    }
}
