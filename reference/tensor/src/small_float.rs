//! Floating-point formats of 8, 6 and 4 bits, as newtypes over their bit patterns.

use crate::minifloat::{self, Overflow};

macro_rules! small_float {
    ($(#[$doc:meta])* $name:ident, $format:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
        pub struct $name(
            /// The bit pattern.
            pub u8,
        );

        impl $name {
            /// Rounds `value` to nearest, ties to even.
            pub fn from_f64(value: f64, overflow: Overflow) -> Self {
                $name($format.encode(value, overflow) as u8)
            }

            /// Returns the exact value.
            pub fn to_f64(self) -> f64 {
                $format.decode(u16::from(self.0))
            }
        }
    };
}

small_float!(
    /// FP8 E4M3 with NaN and without Inf; the largest value is 448.
    F8E4M3Fn,
    minifloat::E4M3FN
);
small_float!(
    /// FP8 E4M3 without Inf and −0, NaN at the pattern of −0; the largest value is 240.
    F8E4M3Fnuz,
    minifloat::E4M3FNUZ
);
small_float!(
    /// FP8 E5M2 with Inf and NaN; the largest finite value is 57344.
    F8E5M2,
    minifloat::E5M2
);
small_float!(
    /// FP8 E5M2 without Inf and −0, NaN at the pattern of −0; the largest value is 57344.
    F8E5M2Fnuz,
    minifloat::E5M2FNUZ
);
small_float!(
    /// FP4 E2M1: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives.
    F4E2M1,
    minifloat::E2M1
);
small_float!(
    /// FP6 E2M3, in the low six bits; the largest value is 7.5, the smallest step 0.125.
    F6E2M3,
    minifloat::E2M3
);
small_float!(
    /// FP6 E3M2, in the low six bits; the largest value is 28, the smallest step 0.0625.
    F6E3M2,
    minifloat::E3M2
);

/// E8M0: a power of two from 2^−127 to 2^127, or NaN (0xFF). The format has no sign and no zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct F8E8M0(
    /// The exponent plus 127; 0xFF is NaN.
    pub u8,
);

/// How a value between two powers of two is rounded (ONNX `Cast`, attribute `round_mode`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RoundMode {
    /// Away from zero, to the larger power.
    Up,
    /// Toward zero, to the smaller power.
    Down,
    /// To the nearer power, ties up (the top bit of the mantissa decides, as in ml_dtypes).
    Nearest,
}

impl F8E8M0 {
    /// NaN.
    pub const NAN: Self = F8E8M0(0xFF);

    /// Rounds `value` to a power of two. A result outside of 2^−127…2^127 (also for zero and Inf) becomes the
    /// nearest end of the range or NaN, as `overflow` selects. A negative number becomes NaN, as in
    /// ml_dtypes; ONNX does not define this case. −0 counts as 0.
    pub fn from_f64(value: f64, mode: RoundMode, overflow: Overflow) -> Self {
        if value.is_nan() || value < 0.0 {
            return Self::NAN;
        }
        let mantissa = value.to_bits() & ((1 << 52) - 1);
        let upward = match mode {
            RoundMode::Up => mantissa != 0,
            RoundMode::Down => false,
            RoundMode::Nearest => mantissa >> 51 != 0,
        };
        let code = minifloat::floor_log2(value.abs()) + i32::from(upward) + 127;
        match (u8::try_from(code), overflow) {
            (Ok(code), _) if code != Self::NAN.0 => F8E8M0(code),
            (_, Overflow::Special) => Self::NAN,
            (_, Overflow::Saturate) => F8E8M0(if code < 0 { 0 } else { 254 }),
        }
    }

    /// Returns the exact value.
    pub fn to_f64(self) -> f64 {
        if self == Self::NAN {
            f64::NAN
        } else {
            minifloat::exp2(i32::from(self.0) - 127)
        }
    }
}
