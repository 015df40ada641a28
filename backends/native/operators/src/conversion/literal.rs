//! Parses text as a number that can be rounded once more correctly.

use onnx_tensor::minifloat::round_to_odd;

/// Parses `text` and rounds it to odd: rounding the result to a narrower float is the same as rounding the
/// number itself. `None` if the text is not a number.
pub fn parse_to_odd(text: &str) -> Option<f64> {
    let nearest: f64 = text.parse().ok()?;
    if !nearest.is_finite() {
        return Some(nearest);
    }
    let unsigned = text.trim_start_matches(['+', '-']);
    let exact = Decimal::of(unsigned)?;
    let held = Decimal::of(&format!("{:.1074}", nearest.abs()))?;
    Some(round_to_odd(nearest, exact.cmp(&held)))
}

/// 0.d₁d₂d₃… · 10^point, where d₁ and the last digit are not 0; zero has no digits. The derived order of the
/// fields is the order of the numbers.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Decimal {
    nonzero: bool,
    point: i64,
    digits: Vec<u8>,
}

impl Decimal {
    /// Parses an unsigned decimal number.
    fn of(text: &str) -> Option<Decimal> {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
        let leading = all.iter().take_while(|digit| **digit == b'0').count();
        let trailing = all.iter().rev().take_while(|digit| **digit == b'0').count();
        let digits = all
            .get(leading..all.len().saturating_sub(trailing))
            .unwrap_or_default();
        if digits.is_empty() {
            return Some(Decimal {
                nonzero: false,
                point: 0,
                digits: Vec::new(),
            });
        }
        // An exponent beyond i64 is beyond every f64, so only its sign matters.
        let limit = i64::MAX / 4;
        let beyond = if exponent.starts_with('-') { -limit } else { limit };
        let exponent = exponent.parse::<i64>().unwrap_or(beyond).clamp(-limit, limit);
        Some(Decimal {
            nonzero: true,
            point: exponent + whole.len() as i64 - leading as i64,
            digits: digits.to_vec(),
        })
    }
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{Real, f16};

    use super::*;

    /// 1 + 2⁻¹¹ is halfway between 1 and its neighbour in f16; a double cannot represent the 30th digit.
    #[test]
    fn texts_are_rounded_once() {
        #[track_caller]
        fn check(text: &str, bits: u16) {
            let odd = parse_to_odd(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(<f16 as Real>::from_f64(odd).to_bits(), bits, "{text}");
        }
        check("1.00048828125", 0x3C00);
        check("1.00048828125000000000000000001", 0x3C01);
        check("-1.00048828125000000000000000001", 0xBC01);
        check("1.00048828124999999999999999999", 0x3C00);
        check("100048828125000000000000000001e-29", 0x3C01);
        check("0.000100048828125000000000000000001e+4", 0x3C01);
        check("1e-400", 0x0000);
        check("-1E400", 0xFC00);
        check("1e-99999999999999999999", 0x0000);
        check("-0", 0x8000);
        check("+inf", 0x7C00);
        check(".5", 0x3800);
        assert_eq!(parse_to_odd("Hello"), None);
        assert_eq!(parse_to_odd("."), None);
    }

    #[test]
    fn decimals_have_the_order_of_numbers() {
        let texts = [
            "0", "1e-5", "0.001", "0.0015", "1", "1.5", "1.51", "9.99e1", "100", "1e30",
        ];
        for (index, text) in texts.iter().enumerate() {
            for (other, second) in texts.iter().enumerate() {
                let order = Decimal::of(text).cmp(&Decimal::of(second));
                assert_eq!(order, index.cmp(&other), "{text} and {second}");
            }
        }
        assert!(Decimal::of("0100.00e-1").cmp(&Decimal::of("10")).is_eq());
    }
}
