//! Ziv's strategy: a fast evaluation decides most arguments, an exact one the others.

use std::cmp::Ordering;

use astro_float_num::Consts;

use crate::functions::{NEAR_ZERO, number};
use crate::{Format, Function};

/// The relative error that a fast evaluation may have. The functions of glibc are documented with
/// less than 2^-49 in double; the rest is margin, and costs an exact evaluation for one argument in
/// 2^16 of float32.
const ERROR: f64 = 1.0 / (1_u64 << 40) as f64;

/// A result in double below this magnitude is 0 in every format of at most 32 bits.
const TINY: f64 = 1.0 / (1_u128 << 120) as f64 / (1_u128 << 120) as f64;

/// Returns the value of `function` at `x`, rounded once to `format`; `None` beyond the domain of
/// the exact evaluation.
pub fn correctly_rounded(function: &Function, x: f64, format: &Format, consts: &mut Consts) -> Option<f64> {
    let y = (function.fast)(x);
    let near_zero = function
        .near_zero
        .filter(|_| x.abs() <= NEAR_ZERO && format.precision <= 24);
    let value = match near_zero {
        Some(terms) if x != 0.0 => decided_by_terms(terms(x), format),
        _ => decided(x, y, format),
    };
    if value.is_some() {
        return value;
    }
    if x.abs() > function.domain[usize::from(format.precision > 24)] {
        return None;
    }
    let value = format.round(&(function.exact)(&number(x), consts));
    // The exact evaluation loses the sign of a value that underflows.
    Some(if value == 0.0 { value.copysign(y) } else { value })
}

/// The rounded value at `x`, if `y` in double decides it.
fn decided(x: f64, y: f64, format: &Format) -> Option<f64> {
    // Zeros, infinities and NaN at special arguments are those of IEEE 754.
    if x == 0.0 || !x.is_finite() || y.is_nan() {
        return Some(format.round_f64(y));
    }
    // The range of double is far greater: what overflows or nearly underflows there does so here.
    let narrow = format.precision <= 24;
    if narrow && (y.is_infinite() || y.abs() < TINY) {
        return Some(format.round_f64(y));
    }
    let margin = y.abs() * ERROR;
    let (low, high) = (format.round_f64(y - margin), format.round_f64(y + margin));
    (y.is_normal() && low == high).then_some(low)
}

/// The rounded sum of two terms of a function near zero ([`Function::near_zero`]), if their sum in double
/// decides it.
///
/// The second term is at most 2^-30 of the first, and its error at most 2^-60 of it: the exact value is less
/// than one unit of double from the rounded sum. A tie of a narrower format is a number of double, so none
/// lies between the two, unless the rounded sum is one itself.
fn decided_by_terms((first, second): (f64, f64), format: &Format) -> Option<f64> {
    let sum = first + second;
    let beside = match (sum == first, second.partial_cmp(&0.0)) {
        // The second term is lost, but says on which side of the first one the value lies.
        (true, Some(Ordering::Greater)) => first.next_up(),
        (true, Some(Ordering::Less)) => first.next_down(),
        _ => sum,
    };
    let (low, high) = (
        format.round_f64(beside.next_down()),
        format.round_f64(beside.next_up()),
    );
    if sum == first {
        Some(format.round_f64(beside))
    } else {
        (low == high).then_some(low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BF16, F16, F32, FUNCTIONS};

    /// The error of the fast evaluation is at most half of what the strategy allows it, at arguments of
    /// every magnitude.
    #[test]
    fn the_fast_evaluation_is_within_its_error() {
        let mut consts = Consts::new().expect("memory");
        let steps = (1..200).map(|step| f64::from(step as f32 * 0.0173 - 1.7));
        let powers = (-40..17).map(|power| 2.0_f64.powi(power) * 1.3);
        let arguments: Vec<f64> = steps.chain(powers.flat_map(|x| [x, -x])).collect();
        for function in FUNCTIONS {
            for x in &arguments {
                let y = (function.fast)(*x);
                let beyond = x.abs() > function.domain[0];
                if beyond || !y.is_normal() || y.abs() < TINY || y == *x {
                    continue;
                }
                let exact = (function.exact)(&number(*x), &mut consts);
                let off = number(y).sub(&exact, crate::BITS, crate::NEAREST).abs().sub(
                    &number(y.abs() * ERROR / 2.0),
                    crate::BITS,
                    crate::NEAREST,
                );
                assert!(
                    off.is_negative(),
                    "{} at {x}: {y}, exactly {exact}",
                    function.operator
                );
            }
        }
    }

    /// Next to ties the two terms near zero decide as the exact evaluation does.
    #[test]
    fn terms_near_zero_decide_as_the_exact_evaluation() {
        let mut consts = Consts::new().expect("memory");
        let with_terms = FUNCTIONS
            .iter()
            .filter_map(|function| Some((function, function.near_zero?)));
        let bits = (1..0x2F80_0000_u32).step_by(0x0013_5701);
        let codes: Vec<u32> = bits.flat_map(|bits| [bits, bits | 1 << 31]).collect();
        for (function, terms) in with_terms {
            for code in &codes {
                let x = f64::from(f32::from_bits(*code));
                let exact = (function.exact)(&number(x), &mut consts);
                for format in [F32, F16, BF16] {
                    let found = decided_by_terms(terms(x), &format);
                    let expected = format.round(&exact);
                    assert!(
                        found.is_none_or(|found| found == expected),
                        "{} at {x:e} in {}: {found:?}, expected {expected:e}",
                        function.operator,
                        format.name
                    );
                }
            }
        }
    }

    /// Values from other sources: e = 2.718281828…, tanh is odd, the least float16 is its own sine.
    #[test]
    fn known_values() {
        let mut consts = Consts::new().expect("memory");
        let mut check = |operator: &str, x: f64, format: &Format, expected: f64| {
            let function = FUNCTIONS.iter().find(|function| function.operator == operator);
            let found = correctly_rounded(function.expect("it is known"), x, format, &mut consts);
            assert_eq!(
                found.map(f64::to_bits),
                Some(expected.to_bits()),
                "{operator} of {x}: {found:?}"
            );
        };
        check("Exp", 1.0, &F16, 2.718_75);
        check("Exp", 12.0, &F16, f64::INFINITY);
        check("Exp", f64::NEG_INFINITY, &F32, 0.0);
        check("Sin", -0.0, &F16, -0.0);
        check("Sin", 2.0_f64.powi(-24), &F16, 2.0_f64.powi(-24));
        check("Tanh", -20.0, &BF16, -1.0);
        check("Sigmoid", -70000.0, &BF16, 0.0);
        check("Gelu", -20.0, &BF16, -0.0);
        // x · (1/2 + x/√(2π)) lies above the tie x/2.
        check("Gelu", 2.0_f64.powi(-133), &BF16, 2.0_f64.powi(-133));
        check("Exp", -1e20, &BF16, 0.0);
        check("Erf", 9.0, &F16, 1.0);
        check("Exp", 200.0, &F32, f64::INFINITY);
        check("Exp", -800.0, &F32, 0.0);
        check("Asinh", f64::NEG_INFINITY, &F32, f64::NEG_INFINITY);
        check("Atanh", 1.0, &F32, f64::INFINITY);
        check("Gelu", -1e30, &F32, -0.0);
        check("Acosh", -1e30, &F32, f64::NAN);
        check("Erf", -0.0, &F16, -0.0);
    }
}
