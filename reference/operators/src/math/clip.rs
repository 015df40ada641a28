//! Clip — clamps each element to an interval: min(max, max(x, min)); exact.
//!
//! - If min exceeds max, the result is max (stated since 13, applied to all versions). NaN stays NaN: it is
//!   neither above nor below a bound.
//! - Up to 6 the bounds are float attributes. Version 6 defines defaults, the finite range of *float*,
//!   which also limits double to that range. A bound is rounded to the type of the tensor. Since 11 the
//!   bounds are inputs.
//! - An absent bound is the least or greatest *finite* value ("numeric_limits::lowest() … max()"), so that
//!   ±Inf is clipped too. The function body of 13 keeps ±Inf if the bound is absent (question
//!   `clip-infinity`).

use onnx_tensor::{DType, Real, dispatch};

use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, Reading, op, v};
use crate::shared::elementwise::{clip_floats, map};

pub const OP: OpDef = op(
    "Clip",
    &[
        v(1, First, by_attributes),
        v(6, Semantics, by_attributes),
        v(11, Semantics, by_inputs),
        v(12, TypesOnly, by_inputs),
        v(13, TypesOnly, by_inputs),
    ],
);

fn by_attributes(call: &Call<'_>) -> Result<Outputs, OpError> {
    let (low, high) = (call.optional_float("min")?, call.optional_float("max")?);
    dispatch!(float, call.dtype(0)?, T => {
        let bound = |given: Option<f32>| given.map(|value| <T as Real>::from_f64(f64::from(value)));
        clip::<T>(call, bound(low), bound(high))
    })
}

fn by_inputs(call: &Call<'_>) -> Result<Outputs, OpError> {
    dispatch!(real, call.dtype(0)?, T => {
        let bound = |index| call.optional(index).map(|_| call.scalar::<T>(index)).transpose();
        clip::<T>(call, bound(1)?, bound(2)?)
    })
}

fn clip<T: Real>(call: &Call<'_>, low: Option<T>, high: Option<T>) -> Result<Outputs, OpError> {
    let (least, greatest) = if call.takes(Reading::ClipInfinityKept) {
        (T::from_f64(f64::NEG_INFINITY), T::from_f64(f64::INFINITY))
    } else {
        (T::LEAST_FINITE, T::GREATEST_FINITE)
    };
    let (low, high) = (low.unwrap_or(least), high.unwrap_or(greatest));
    if T::DTYPE == DType::Float {
        // Both are floats in f64 as well.
        return clip_floats(call, low.to_f64() as f32, high.to_f64() as f32);
    }
    map(call, |&x: &T| {
        let raised = if x < low { low } else { x };
        if raised > high { high } else { raised }
    })
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact};

    #[test]
    fn bounds_by_version() {
        let x = || Tensor::vector(vec![f64::NEG_INFINITY, -1.0, f64::NAN, 1e300]);
        let clipped = |values: [f64; 4]| [Tensor::vector(values.to_vec())];
        let (low, high) = (f64::from(f32::MIN), f64::from(f32::MAX));
        exact(
            ("", "Clip", 1),
            &[x()],
            &[],
            &clipped([f64::MIN, -1.0, f64::NAN, 1e300]),
        );
        exact(
            ("", "Clip", 6),
            &[x()],
            &[],
            &clipped([low, -1.0, f64::NAN, high]),
        );
        exact(
            ("", "Clip", 6),
            &[x()],
            &[attribute("min", 0.5)],
            &clipped([0.5, 0.5, f64::NAN, high]),
        );
        let crossed = [x(), Tensor::scalar(3.0), Tensor::scalar(2.0)];
        exact(
            ("", "Clip", 13),
            &crossed,
            &[],
            &clipped([2.0, 2.0, f64::NAN, 2.0]),
        );
    }
}
