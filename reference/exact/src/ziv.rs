//! Ziv's strategy: a fast evaluation decides most arguments, an exact one the others.

use astro_float_num::Consts;

use crate::functions::number;
use crate::{Format, Function};

/// The relative error that a fast evaluation may have. The functions of glibc are documented with
/// less than 2^-49 in double; the rest is margin, and costs an exact evaluation for one argument in
/// 2^16 of float32.
const ERROR: f64 = 1.0 / (1_u64 << 40) as f64;

/// Returns the value of `function` at `x`, rounded once to `format`; `None` beyond the domain of
/// the exact evaluation.
pub fn correctly_rounded(function: &Function, x: f64, format: &Format, consts: &mut Consts) -> Option<f64> {
    if let Some(fast) = function.fast {
        let y = fast(x);
        // Zeros, infinities and NaN at special arguments are those of IEEE 754; elsewhere the exact
        // evaluation decides.
        if x == 0.0 || !x.is_finite() || y.is_nan() {
            return Some(format.round_f64(y));
        }
        let margin = y.abs() * ERROR;
        let (low, high) = (format.round_f64(y - margin), format.round_f64(y + margin));
        if y.is_normal() && low == high {
            return Some(low);
        }
    }
    if x.is_nan() {
        return Some(f64::NAN);
    }
    let domain = function.domain[usize::from(format.precision > 24)];
    if x.abs() > domain || x.is_infinite() {
        // x · 0 at −∞ is NaN by the formulas.
        let product = matches!(function.operator, "Gelu" | "Mish" | "Swish");
        if product && x == f64::NEG_INFINITY {
            return Some(f64::NAN);
        }
        let far = function.far.filter(|_| format.precision <= 11);
        return far.map(|far| format.round_f64(far(x)));
    }
    if x == 0.0 {
        return at_zero(function, x, format);
    }
    let value = format.round(&(function.exact)(&number(x), consts));
    // The exact evaluation loses the sign of a value that underflows.
    match function.fast {
        Some(fast) if value == 0.0 => Some(value.copysign(fast(x))),
        Some(_) | None => Some(value),
    }
}

/// The exact evaluation has no sign of zero; odd functions keep the sign of the argument.
fn at_zero(function: &Function, x: f64, format: &Format) -> Option<f64> {
    match function.operator {
        "Asinh" | "Atanh" | "Erf" | "Gelu" | "Mish" | "Swish" | "Elu" => Some(x),
        "Acosh" => Some(f64::NAN),
        "Sigmoid" => Some(0.5),
        "Softplus" => Some(format.round_f64(std::f64::consts::LN_2)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BF16, F16, F32, FUNCTIONS};

    /// If the fast evaluation decides, the exact one agrees.
    #[test]
    fn both_evaluations_agree() {
        let mut consts = Consts::new().expect("memory");
        for function in FUNCTIONS.iter().filter(|function| function.fast.is_some()) {
            for step in 1..200 {
                let x = f64::from(step as f32 * 0.0173 - 1.7);
                let exact = F32.round(&(function.exact)(&number(x), &mut consts));
                let found = correctly_rounded(function, x, &F32, &mut consts).expect("in the domain");
                let same = exact == found || exact.is_nan() && found.is_nan();
                assert!(same, "{} at {x}: {found}, exactly {exact}", function.operator);
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
        check("Erf", -0.0, &F16, -0.0);
    }
}
