//! Sign — −1, 0 or 1, elementwise; exact.
//!
//! A zero of either sign becomes +0. Interpretation: the specification does not mention NaN; NaN stays NaN.

use onnx_tensor::{Real, dispatch};

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::elementwise::map;

pub const OP: OpDef = op("Sign", &[v(9, First, sign), v(13, TypesOnly, sign)]);

fn sign(call: &Call<'_>) -> Result<Outputs, OpError> {
    dispatch!(real, call.dtype(0)?, T => map(call, |x: &T| sign_of(*x)))
}

fn sign_of<T: Real>(x: T) -> T {
    if x > T::ZERO {
        T::ONE
    } else if x < T::ZERO {
        T::ZERO.sub(T::ONE)
    } else if x.is_nan() {
        x
    } else {
        T::ZERO
    }
}
