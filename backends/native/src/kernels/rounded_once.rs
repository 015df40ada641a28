//! Functions of one value over halves, rounded once.
//!
//! The kernels compute in f32, and a second rounding gives the half. Where the result in f32 is next to the
//! middle of two halves, the error of the kernel decides between them; these few elements are computed again
//! in f64.

use native_kernels::half::Half;

use crate::ir::Operator;
use crate::ops::fast::{Fast, RealFunction};

/// More than the error of every kernel here, in ULP of f32.
const KERNEL_ERROR: i64 = 32;

/// The function of an operator in f64, with an error far below that of the kernel; `None` if the kernel is
/// exact up to its rounding, or the operator is no function of one value.
pub fn exact(operator: &Operator) -> Option<RealFunction> {
    let elementary = match operator.row.fast? {
        Fast::Activation(activation) => activation(&operator.attributes).ok()?.is_elementary(),
        Fast::Unary(function) => function.is_elementary(),
        _ => false,
    };
    elementary
        .then(|| operator.row.function(&operator.attributes))
        .flatten()
}

/// Computes the results `y` of `x` again that the error of the kernel can move to another half.
pub fn correct(x: &[f32], y: &mut [f32], half: Half, exact: &RealFunction) {
    for (x, y) in x.iter().zip(y) {
        if is_open(*x, *y, half) {
            *y = rounded_to_odd(exact(f64::from(*x)));
        }
    }
}

/// Whether `y` is within the error of the kernel of the middle of two halves, or underflowed.
fn is_open(x: f32, y: f32, half: Half) -> bool {
    // 2^-14, the least normal float16; below it, halves are multiples of 2^-24.
    const LEAST_NORMAL: f32 = 1.0 / 16384.0;
    const STEPS: f32 = 16_777_216.0;
    if y == 0.0 {
        return x != 0.0;
    }
    if half == Half::F16 && y.abs() < LEAST_NORMAL {
        return ((y.abs() * STEPS).fract() - 0.5).abs() <= 1.0 / 512.0;
    }
    let dropped = match half {
        Half::F16 => 13,
        Half::Bf16 => 16,
    };
    let below = i64::from(y.to_bits() & ((1 << dropped) - 1));
    (below - (1 << (dropped - 1))).abs() <= KERNEL_ERROR
}

/// The f32 toward zero, with an odd significand if that is not `value`: rounding it to a half gives the same
/// as rounding `value`.
fn rounded_to_odd(value: f64) -> f32 {
    let nearest = value as f32;
    if f64::from(nearest) == value || value.is_nan() {
        return nearest;
    }
    let away = f64::from(nearest).abs() > value.abs();
    f32::from_bits((nearest.to_bits() - u32::from(away)) | 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_between_two_floats_becomes_the_odd_one() {
        #[track_caller]
        fn check(value: f64, expected: f32) {
            assert_eq!(rounded_to_odd(value).to_bits(), expected.to_bits(), "{value}");
        }
        let ulp = f64::from(f32::EPSILON);
        check(1.0 + 0.25 * ulp, f32::from_bits(0x3F80_0001));
        check(1.0 + 1.75 * ulp, f32::from_bits(0x3F80_0001));
        check(-1.0 - 0.25 * ulp, f32::from_bits(0xBF80_0001));
        check(-1e-60, -f32::from_bits(1));
        check(1e60, f32::MAX);
        check(0.5, 0.5);
        check(-0.0, -0.0);
        check(f64::INFINITY, f32::INFINITY);
    }

    #[test]
    fn results_next_to_a_middle_are_computed_again() {
        let open = |y: f32, half| is_open(1.0, y, half);
        let (f16, bf16) = (Half::F16, Half::Bf16);
        assert!(open(1.0 + 1.0 / 2048.0, f16) && !open(1.0 + 1.0 / 4096.0, f16));
        assert!(open(1.0 + 1.0 / 256.0, bf16) && !open(1.0 + 1.0 / 512.0, bf16));
        assert!(open(2.5 / 16_777_216.0, f16) && !open(2.25 / 16_777_216.0, f16));
        assert!(open(0.0, f16) && !is_open(0.0, 0.0, f16));
    }
}
