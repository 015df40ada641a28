//! The values of the bit patterns of formats, and rounding to formats of at most 8 bits: by the tables
//! of the specification (onnx.ai/onnx/technical, float8 to float4), without the code of `onnx-tensor`.

use onnx_exact::{BF16, F16, F32, F64, Format};
use onnx_tensor::DType;

/// The meaning of the bit patterns with the maximum exponent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Special {
    /// Infinity and NaN.
    Ieee,
    /// Numbers, and NaN if all bits are ones.
    OneNan,
    /// Numbers; NaN is the pattern of −0.
    NanAtMinusZero,
    /// Numbers.
    None,
}

/// A format with a sign, an exponent field and a mantissa.
#[derive(Clone, Copy, Debug)]
struct Layout {
    exponent_bits: u32,
    mantissa_bits: u32,
    bias: i32,
    special: Special,
}

const fn layout(exponent_bits: u32, mantissa_bits: u32, bias: i32, special: Special) -> Layout {
    Layout {
        exponent_bits,
        mantissa_bits,
        bias,
        special,
    }
}

fn of(dtype: DType) -> Option<Layout> {
    Some(match dtype {
        DType::Float16 => layout(5, 10, 15, Special::Ieee),
        DType::Bfloat16 => layout(8, 7, 127, Special::Ieee),
        DType::Float8E4M3Fn => layout(4, 3, 7, Special::OneNan),
        DType::Float8E4M3Fnuz => layout(4, 3, 8, Special::NanAtMinusZero),
        DType::Float8E5M2 => layout(5, 2, 15, Special::Ieee),
        DType::Float8E5M2Fnuz => layout(5, 2, 16, Special::NanAtMinusZero),
        DType::Float4E2M1 => layout(2, 1, 1, Special::None),
        DType::Float6E2M3 => layout(2, 3, 1, Special::None),
        DType::Float6E3M2 => layout(3, 2, 3, Special::None),
        _ => return None,
    })
}

impl Layout {
    fn bits(&self) -> u32 {
        1 + self.exponent_bits + self.mantissa_bits
    }

    fn value(&self, code: u32) -> f64 {
        let mantissa = code & ((1 << self.mantissa_bits) - 1);
        let field = (code >> self.mantissa_bits) & ((1 << self.exponent_bits) - 1);
        let negative = code >> (self.bits() - 1) & 1 == 1;
        let greatest = field == (1 << self.exponent_bits) - 1;
        let all_ones = greatest && mantissa == (1 << self.mantissa_bits) - 1;
        let magnitude = match self.special {
            Special::Ieee if greatest && mantissa == 0 => f64::INFINITY,
            Special::Ieee if greatest => f64::NAN,
            Special::OneNan if all_ones => f64::NAN,
            Special::NanAtMinusZero if negative && field == 0 && mantissa == 0 => f64::NAN,
            Special::Ieee | Special::OneNan | Special::NanAtMinusZero | Special::None => {
                let implicit = u32::from(field > 0) << self.mantissa_bits;
                let exponent = field.max(1) as i32 - self.bias - self.mantissa_bits as i32;
                f64::from(implicit + mantissa) * 2.0_f64.powi(exponent)
            }
        };
        if negative { -magnitude } else { magnitude }
    }

    /// The greatest finite value.
    fn greatest(&self) -> f64 {
        let codes = 0..1_u32 << (self.bits() - 1);
        let finite = codes
            .map(|code| self.value(code))
            .filter(|value| value.is_finite());
        finite.fold(0.0, f64::max)
    }

    /// `value` rounded once; `None` if the specification does not define the result.
    fn round(&self, value: f64, saturate: bool) -> Option<f64> {
        let beyond = || match (saturate, self.special) {
            (true, _) | (_, Special::None) => Some(self.greatest().copysign(value)),
            (false, Special::Ieee) => Some(f64::INFINITY.copysign(value)),
            (false, Special::OneNan | Special::NanAtMinusZero) => Some(f64::NAN),
        };
        if value.is_nan() {
            return (self.special != Special::None).then_some(f64::NAN);
        }
        if value.is_infinite() {
            return beyond();
        }
        let format = Format {
            name: "",
            precision: self.mantissa_bits as i32 + 1,
            least_exponent: 1 - self.bias - self.mantissa_bits as i32,
            greatest_exponent: 1000,
        };
        let rounded = format.round_f64(value);
        match rounded {
            _ if rounded.abs() > self.greatest() => beyond(),
            _ if rounded == 0.0 && self.special == Special::NanAtMinusZero => Some(0.0),
            _ => Some(rounded),
        }
    }
}

/// The number of bit patterns of a type; `None` for a type whose inputs are not enumerated here.
pub(crate) fn count(dtype: DType) -> Option<u64> {
    Some(match dtype {
        DType::Float => 1 << 32,
        DType::Float8E8M0 | DType::Int8 | DType::Uint8 => 256,
        DType::Int4 | DType::Uint4 => 16,
        DType::Int2 | DType::Uint2 => 4,
        _ => 1 << of(dtype)?.bits(),
    })
}

/// The value of a bit pattern.
pub(crate) fn value(dtype: DType, code: u32) -> f64 {
    let signed = |bits: u32| {
        let half = 1_i64 << (bits - 1);
        let code = i64::from(code);
        if code >= half { code - 2 * half } else { code }
    };
    match dtype {
        DType::Float => f64::from(f32::from_bits(code)),
        DType::Float8E8M0 if code == 255 => f64::NAN,
        DType::Float8E8M0 => 2.0_f64.powi(code as i32 - 127),
        DType::Int8 => signed(8) as f64,
        DType::Int4 => signed(4) as f64,
        DType::Int2 => signed(2) as f64,
        DType::Uint8 | DType::Uint4 | DType::Uint2 => f64::from(code),
        _ => of(dtype).map_or(f64::NAN, |layout| layout.value(code)),
    }
}

/// The range of an integer type.
fn range(dtype: DType) -> Option<(f64, f64)> {
    Some(match dtype {
        DType::Int8 => (-128.0, 127.0),
        DType::Uint8 => (0.0, 255.0),
        DType::Int4 => (-8.0, 7.0),
        DType::Uint4 => (0.0, 15.0),
        DType::Int2 => (-2.0, 1.0),
        DType::Uint2 => (0.0, 3.0),
        _ => return None,
    })
}

/// The result of a cast of `value`; `None` if the specification does not define it.
pub(crate) fn cast(value: f64, to: DType, saturate: bool) -> Option<f64> {
    match to {
        DType::Float16 => Some(F16.round_f64(value)),
        DType::Bfloat16 => Some(BF16.round_f64(value)),
        DType::Float => Some(F32.round_f64(value)),
        DType::Double => Some(F64.round_f64(value)),
        _ => match range(to) {
            Some((least, greatest)) => {
                // The pages on these types say rounded.
                let narrow = matches!(to, DType::Int4 | DType::Uint4 | DType::Int2 | DType::Uint2);
                let whole = 0.0
                    + if narrow {
                        value.round_ties_even()
                    } else {
                        value.trunc()
                    };
                (least..=greatest).contains(&whole).then_some(whole)
            }
            None => of(to)?.round(value, saturate),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tables of onnx.ai/onnx/technical.
    #[test]
    fn greatest_values_agree_with_the_specification() {
        let check = |dtype, expected: f64| assert_eq!(of(dtype).expect("a layout").greatest(), expected);
        check(DType::Float8E4M3Fn, 448.0);
        check(DType::Float8E4M3Fnuz, 240.0);
        check(DType::Float8E5M2, 57344.0);
        check(DType::Float8E5M2Fnuz, 57344.0);
        check(DType::Float4E2M1, 6.0);
        check(DType::Float6E2M3, 7.5);
        check(DType::Float6E3M2, 28.0);
        check(DType::Float16, 65504.0);
    }

    #[test]
    fn casts_agree_with_values_derived_by_hand() {
        #[track_caller]
        fn check(value: f64, to: DType, saturate: bool, expected: Option<f64>) {
            assert_eq!(
                cast(value, to, saturate).map(f64::to_bits),
                expected.map(f64::to_bits),
                "{value}"
            );
        }
        check(1.0625, DType::Float8E4M3Fn, true, Some(1.0));
        check(1e6, DType::Float8E4M3Fn, true, Some(448.0));
        check(-1e6, DType::Float8E5M2, false, Some(f64::NEG_INFINITY));
        check(-1e-9, DType::Float8E4M3Fnuz, true, Some(0.0));
        check(-1e-9, DType::Float8E4M3Fn, true, Some(-0.0));
        check(464.0, DType::Float8E4M3Fn, false, Some(448.0));
        check(f64::NAN, DType::Float4E2M1, true, None);
        check(5.0, DType::Float4E2M1, true, Some(4.0));
        check(-7.9, DType::Int4, true, Some(-8.0));
        check(2.5, DType::Uint4, true, Some(2.0));
        check(7.5, DType::Int4, true, None);
        check(-0.5, DType::Uint2, true, Some(0.0));
        check(-7.9, DType::Int8, true, Some(-7.0));
        check(8.0, DType::Int4, true, None);
        check(-0.5, DType::Uint8, true, Some(0.0));
    }
}
