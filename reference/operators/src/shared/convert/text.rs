//! Conversion of numbers to text and back (`Cast`, since version 9).
//!
//! The specification asks for the "plain floating-point representation (such as "314.15926")" of a number,
//! for plain and scientific literals in the other direction, and reserves `INF`, `+INF`, `-INF` and `NaN`
//! in any case.
//!
//! Interpretation:
//! - A float or double is written with the fewest digits that identify it, never with an exponent, and an
//!   integral value without a point: `0.1`, `1`, `-0`, `10000000000`. (The official case of earlier
//!   releases, random floats in [0, 1), agrees. NumPy and ONNX Runtime use exponents for large and small
//!   values, and NumPy writes `1.0`.) A narrower float is written as its float32 value: 0.1 as float16 is
//!   `0.099975586`, as in ONNX Runtime; NumPy writes `0.1`.
//! - Inf and NaN are written as the reserved literals: `INF`, `-INF`, `NaN`.
//! - A bool is written `1` or `0`, like a bool that is cast to any numeric type. Text becomes a bool as its
//!   number does.
//! - Text that is not a number is undefined, and so is text that is not an integer of the target integer
//!   type.

use std::cmp::Ordering;
use std::fmt::Display;

use onnx_tensor::minifloat::round_to_odd;

use super::Number;
use crate::frame::OpError;

/// The number that `literal` represents.
pub fn parse(literal: &str) -> Result<Number, OpError> {
    let unsigned = literal.strip_prefix(['+', '-']).unwrap_or(literal);
    let numeric = unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    if !numeric {
        return special(literal).map(Number::real);
    }
    if let Some(integer) = literal.parse::<i64>().ok().filter(|&value| value != 0) {
        return Ok(Number::Integer(integer.into()));
    }
    if let Ok(integer) = literal.parse::<u64>()
        && integer != 0
    {
        return Ok(Number::Integer(integer.into()));
    }
    let nearest: f64 = literal.parse().map_err(|_| no_number(literal))?;
    let exact = Decimal::of(unsigned);
    let held = Decimal::of(&format!("{:.1074}", nearest.abs()));
    let odd = if nearest.is_finite() {
        round_to_odd(nearest, exact.cmp(&held))
    } else {
        nearest
    };
    Ok(Number::Real { nearest, odd })
}

fn special(literal: &str) -> Result<f64, OpError> {
    match literal.to_ascii_lowercase().as_str() {
        "inf" | "+inf" => Ok(f64::INFINITY),
        "-inf" => Ok(f64::NEG_INFINITY),
        "nan" => Ok(f64::NAN),
        _ => Err(no_number(literal)),
    }
}

fn no_number(literal: &str) -> OpError {
    OpError::undefined(format!("the text {literal:?} is not a number"))
}

/// The text of a float.
pub fn plain<T: Display + Into<f64> + Copy>(value: T) -> String {
    let real: f64 = value.into();
    match (real.is_nan(), real.is_infinite()) {
        (true, _) => "NaN".to_owned(),
        (_, true) => if real < 0.0 { "-INF" } else { "INF" }.to_owned(),
        _ => value.to_string(),
    }
}

/// A positive decimal number, of any length.
#[derive(PartialEq, Eq)]
struct Decimal {
    /// Without leading and trailing zeros; empty for zero.
    digits: String,
    /// The number of digits before the point.
    point: i64,
}

impl Decimal {
    /// The value of a well-formed literal without a sign.
    fn of(literal: &str) -> Decimal {
        let (mantissa, exponent) = literal.split_once(['e', 'E']).unwrap_or((literal, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}");
        let leading = digits.len() - digits.trim_start_matches('0').len();
        // An exponent beyond i64 exceeds every format.
        let limit = if exponent.starts_with('-') {
            i64::MIN / 2
        } else {
            i64::MAX / 2
        };
        let exponent = exponent
            .parse::<i64>()
            .unwrap_or(limit)
            .clamp(i64::MIN / 2, i64::MAX / 2);
        Decimal {
            point: exponent + whole.len() as i64 - leading as i64,
            digits: digits.trim_matches('0').to_owned(),
        }
    }

    fn cmp(&self, other: &Decimal) -> Ordering {
        match (self.digits.is_empty(), other.digits.is_empty()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => self
                .point
                .cmp(&other.point)
                .then_with(|| self.digits.cmp(&other.digits)),
        }
    }
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{F8E4M3Fn, f16};

    use super::super::{Rules, Scalar};
    use super::*;

    #[test]
    fn numbers_are_written_plainly() {
        let cases = [
            (314.15926_f32.text(), "314.15927"),
            (1.0_f32.text(), "1"),
            ((-0.0_f32).text(), "-0"),
            (1e10_f32.text(), "10000000000"),
            (1e-7_f32.text(), "0.0000001"),
            (0.1_f64.text(), "0.1"),
            (f64::NEG_INFINITY.text(), "-INF"),
            (f32::NAN.text(), "NaN"),
            (f16::from_f32(0.1).text(), "0.099975586"),
            (F8E4M3Fn(0x7E).text(), "448"),
            (true.text(), "1"),
            ((-128_i8).text(), "-128"),
        ];
        for (ours, expected) in cases {
            assert_eq!(ours, expected);
        }
    }

    #[test]
    fn literals_are_rounded_once() {
        let f16_of = |literal| f16::from_number(parse(literal).expect(literal), Rules::DEFAULT).to_bits();
        // 1 + 2⁻¹¹ is halfway between 1 and its neighbour in f16; a double loses the 30th digit.
        let cases = [
            ("1.00048828125", 0x3C00),
            ("1.00048828125000000000000000001", 0x3C01),
            ("1.00048828124999999999999999999", 0x3C00),
            ("100048828125000000000000000001e-29", 0x3C01),
            ("1e-400", 0x0000),
            ("-1E400", 0xFC00),
            ("-0", 0x8000),
            ("+inf", 0x7C00),
            ("-INF", 0xFC00),
            (".5", 0x3800),
        ];
        for (literal, expected) in cases {
            assert_eq!(f16_of(literal), expected, "{literal}");
        }
        for literal in [
            "",
            "Hello World!",
            "1e",
            "0x10",
            " 1",
            "--1",
            "infinity",
            "-nan",
            "1_000",
            ".",
        ] {
            assert!(parse(literal).is_err(), "{literal:?}");
        }
    }
}
