//! Mod — remainder of a division whose quotient is rounded down (`fmod` = 0) or toward zero (`fmod` = 1),
//! elementwise.
//!
//! Truncated remainders are exact; floored ones of floats are rounded once. The remainder of an integer by
//! 0 is undefined and is an error. Version 28 defines a floored remainder of floats; before, `fmod` = 0
//! with floats is rejected, as the text says. Version 13 says that `fmod` = 1 is only for floats, but the
//! official case `test_mod_int64_fmod` has integers: accepted.

use onnx_tensor::{Int, Real, dispatch};

use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::elementwise::Broadcasting::Multidirectional;
use crate::shared::elementwise::binary;

pub const OP: OpDef = op(
    "Mod",
    &[
        v(10, First, |call| modulo(call, None)),
        v(13, TypesOnly, |call| modulo(call, None)),
        v(28, Semantics, |call| modulo(call, Some(floored))),
    ],
);

fn modulo(call: &Call<'_>, floored: Option<fn(f64, f64) -> f64>) -> Result<Outputs, OpError> {
    let truncate = call.flag("fmod")?;
    let dtype = call.dtype(0)?;
    if !dtype.is_float() {
        return dispatch!(int, dtype, T => binary(call, Multidirectional, |a: &T, b: &T| {
            integer(a.to_i128(), b.to_i128(), truncate).map(T::wrap_i128)
        }));
    }
    let remainder = match floored {
        _ if truncate => |a: f64, b: f64| a % b,
        Some(floored) => floored,
        None => return Err(OpError::invalid("`fmod` must be 1 for floats in this version")),
    };
    dispatch!(float, dtype, T => binary(call, Multidirectional, |a: &T, b: &T| {
        Ok(<T as Real>::from_f64(remainder(Real::to_f64(*a), Real::to_f64(*b))))
    }))
}

fn integer(a: i128, b: i128, truncate: bool) -> Result<i128, OpError> {
    let remainder = a
        .checked_rem(b)
        .ok_or_else(|| OpError::undefined("the remainder of an integer divided by zero"))?;
    let floor = !truncate && remainder != 0 && (remainder < 0) != (b < 0);
    Ok(if floor { remainder + b } else { remainder })
}

fn floored(a: f64, b: f64) -> f64 {
    let remainder = a % b;
    if remainder == 0.0 {
        0.0_f64.copysign(b)
    } else if (remainder < 0.0) != (b < 0.0) {
        remainder + b
    } else {
        remainder
    }
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact, refused, values};

    #[test]
    fn floats_are_floored_since_28() {
        let (infinity, nan) = (f32::INFINITY, f32::NAN);
        // The cases that the text of version 28 lists, and the signs of ordinary remainders.
        let cases = [
            (-5.0, 3.0, 1.0),
            (5.0, -3.0, -1.0),
            (-0.0, 2.0, 0.0),
            (0.0, -2.0, -0.0),
            (infinity, 2.0, nan),
            (1.0, 0.0, nan),
            (1.0, infinity, 1.0),
            (1.0, -infinity, -infinity),
            (nan, 1.0, nan),
        ];
        for (a, b, expected) in cases {
            exact(
                ("", "Mod", 28),
                &[Tensor::scalar(a), Tensor::scalar(b)],
                &[],
                &[Tensor::scalar(expected)],
            );
        }
    }

    #[test]
    fn undefined_remainders_are_rejected() {
        refused(
            ("", "Mod", 13),
            &values(&[Tensor::scalar(1.0_f32), Tensor::scalar(1.0_f32)]),
            &[],
            "`fmod` must be 1",
        );
        refused(
            ("", "Mod", 10),
            &values(&[Tensor::scalar(1_u8), Tensor::scalar(0_u8)]),
            &[attribute("fmod", 1)],
            "divided by zero",
        );
    }

    #[test]
    fn the_widest_integers_are_exact() {
        let (a, b) = (
            Tensor::vector(vec![i64::MIN, i64::MIN]),
            Tensor::vector(vec![-1, i64::MAX]),
        );
        exact(
            ("", "Mod", 10),
            &[a, b],
            &[],
            &[Tensor::vector(vec![0, i64::MAX - 1])],
        );
    }
}
