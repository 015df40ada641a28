//! Pow — powers, elementwise. The result has the type of the base.
//!
//! - A float base: evaluated in f64 and rounded once; an integer exponent keeps its parity beyond 2⁵³.
//! - An integer base and an integral exponent ≥ 0: exact, wrapping. A negative exponent: the reciprocal
//!   truncated toward zero, so 0 except for the bases ±1; base 0 is undefined and is an error. A fractional
//!   exponent: the exact power, truncated toward zero; a result that is NaN or outside the type is an
//!   error. The specification does not say how a real result becomes an integer; Cast truncates.
//! - Below version 12 both operands have one type, since then each its own; below 7 the exponent is
//!   broadcast unidirectionally.

use onnx_arithmetic::functions::Function;
use onnx_tensor::{Array, DType, Float, Int, Real, dispatch};

use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::elementwise::Broadcasting::{self, Legacy, Multidirectional};
use crate::shared::elementwise::{estimated, pair};
use crate::shared::wide::Wide;

pub const OP: OpDef = op(
    "Pow",
    &[
        v(1, First, |call| pow(call, Legacy)),
        v(7, Semantics, |call| pow(call, Multidirectional)),
        v(12, Semantics, |call| pow(call, Multidirectional)),
        v(13, TypesOnly, |call| pow(call, Multidirectional)),
        v(15, TypesOnly, |call| pow(call, Multidirectional)),
    ],
);

#[derive(Clone, Copy)]
enum Exponent {
    Integral(i128),
    Real(f64),
}

fn pow(call: &Call<'_>, broadcasting: Broadcasting) -> Result<Outputs, OpError> {
    let (base, exponents) = (call.dtype(0)?, exponents(call)?);
    let rank = call.tensor(0)?.rank();
    let is_one = exponents.ndim() == 0
        || exponents.len() == 1 && exponents.ndim() <= rank && broadcasting == Multidirectional;
    if let (DType::Float, true, Some(&exponent)) = (base, is_one, exponents.first())
        && let Some(function) = function(exponent)
    {
        return estimated(call, function, |x| power_of_float(x, exponent), &[]);
    }
    if base.is_float() {
        dispatch!(float, base, T => {
            pair(call, broadcasting, call.array::<T>(0)?, &exponents, |&x, &y| Ok(power_of_float::<T>(x, y)))
        })
    } else {
        dispatch!(int, base, T => {
            pair(call, broadcasting, call.array::<T>(0)?, &exponents, |&x, &y| power_of_int::<T>(x, y))
        })
    }
}

fn exponents(call: &Call<'_>) -> Result<Array<Exponent>, OpError> {
    let dtype = call.dtype(1)?;
    if dtype.is_float() {
        dispatch!(float, dtype, T => Ok(call.array::<T>(1)?.map(|&y| real(y.to_f64())).into_shared()))
    } else {
        dispatch!(int, dtype, T => {
            Ok(call.array::<T>(1)?.map(|y| Exponent::Integral(y.to_i128())).into_shared())
        })
    }
}

/// A float exponent, as an integer if it is integral and fits i128.
fn real(y: f64) -> Exponent {
    if y.fract() == 0.0 && y.abs() < 1e38 {
        Exponent::Integral(y as i128)
    } else {
        Exponent::Real(y)
    }
}

/// The function of which an estimate decides most powers, if there is one.
fn function(exponent: Exponent) -> Option<Function> {
    let (exponent, negative) = match exponent {
        Exponent::Integral(2) => return Some(Function::Square),
        Exponent::Integral(n) => (n as f64, if n % 2 == 0 { 1.0 } else { -1.0 }),
        Exponent::Real(y) => (y, f64::NAN),
    };
    exponent
        .is_finite()
        .then_some(Function::Power { exponent, negative })
}

fn power_of_float<T: Float>(x: T, y: Exponent) -> T {
    let x = x.to_f64();
    T::from_f64(match y {
        Exponent::Real(y) => libm::pow(x, y),
        Exponent::Integral(n) => {
            let magnitude = libm::pow(x.abs(), n as f64);
            if x.is_sign_negative() && n % 2 != 0 {
                -magnitude
            } else {
                magnitude
            }
        }
    })
}

fn power_of_int<T: Int>(x: T, y: Exponent) -> Result<T, OpError> {
    let base = x.to_i128();
    match y {
        Exponent::Integral(n) if n >= 0 => Ok(wrapping_power(x, n)),
        Exponent::Integral(n) => match base {
            0 => Err(OpError::undefined(format!("the integer 0 to the power {n}"))),
            1 | -1 => Ok(wrapping_power(x, n.rem_euclid(2))),
            _ => Ok(T::ZERO),
        },
        Exponent::Real(y) => {
            let whole = truncated_power(base, y)?;
            whole
                .filter(|&whole| T::wrap_i128(whole).to_i128() == whole)
                .map(T::wrap_i128)
                .ok_or_else(|| OpError::undefined(format!("{base} to the power {y} as {}", T::DTYPE)))
        }
    }
}

/// `base` to the power `y`, truncated toward zero; `None` for NaN, and beyond 128 bits.
///
/// y is p / 2^q with an odd p. The power is rational only if `base` is the 2^q-th power of an integer m, and
/// then it is m^p. Every other power is irrational, so that 320 bits decide.
fn truncated_power(base: i128, y: f64) -> Result<Option<i128>, OpError> {
    let approximation = libm::pow(base as f64, y);
    if approximation.is_nan() || approximation.abs() > 2_f64.powi(65) {
        return Ok(None);
    }
    if approximation < 1.0 || base <= 1 {
        // 0 and 1 are their own powers, a smaller one is truncated to 0.
        return Ok(Some(approximation.trunc() as i128));
    }
    let (mut root, mut exponent) = (base, y);
    while exponent.fract() != 0.0 && root.isqrt().pow(2) == root {
        (root, exponent) = (root.isqrt(), exponent * 2.0);
    }
    if exponent.fract() == 0.0 {
        return Ok(root.checked_pow(exponent as u32));
    }
    let exact = |wide: &mut Wide| wide.pow(&Wide::integer(root), &Wide::number(exponent));
    Ok(Wide::new()?.floor(approximation, exact))
}

fn wrapping_power<T: Int>(x: T, exponent: i128) -> T {
    let (mut result, mut square, mut left) = (T::ONE, x, exponent);
    while left > 0 {
        if left % 2 == 1 {
            result = result.mul(square);
        }
        square = square.mul(square);
        left /= 2;
    }
    result
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{exact, refused, values};

    #[test]
    fn integer_bases() {
        let cases: [(i32, f64, i32); 6] = [
            (-3, 3.0, -27),
            (2, 31.0, i32::MIN),
            (0, 0.0, 1),
            (-1, -3.0, -1),
            (5, -2.0, 0),
            (10, 0.5, 3),
        ];
        for (base, exponent, expected) in cases {
            exact(
                ("", "Pow", 12),
                &[Tensor::scalar(base), Tensor::scalar(exponent)],
                &[],
                &[Tensor::scalar(expected)],
            );
        }
    }

    #[test]
    fn undefined_integer_powers_are_rejected() {
        for (base, exponent) in [(0, -1.0), (-2, 0.5), (2, 40.5), (3, f64::NAN), (3, f64::INFINITY)] {
            refused(
                ("", "Pow", 15),
                &values(&[Tensor::scalar(base), Tensor::scalar(exponent)]),
                &[],
                "to the power",
            );
        }
    }

    #[test]
    fn a_large_odd_exponent_keeps_its_parity() {
        let exponent = Tensor::scalar((1_i64 << 53) + 1);
        exact(
            ("", "Pow", 13),
            &[Tensor::scalar(-1.0_f32), exponent],
            &[],
            &[Tensor::scalar(-1.0_f32)],
        );
    }
}
