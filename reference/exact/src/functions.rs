//! Unary functions in 320 bits, and in double for a first evaluation.

use std::f64::consts::PI;

use astro_float_num::{BigFloat, Consts, RoundingMode};

use crate::fast;

/// Bits of the exact evaluation. The formulas below lose at most 149 bits by cancellation, down to
/// the least float.
pub const BITS: usize = 320;
/// The rounding.
pub const NEAREST: RoundingMode = RoundingMode::ToEven;

/// A unary operator.
#[derive(Debug)]
pub struct Function {
    pub operator: &'static str,
    /// A version of the operator.
    pub since: u32,
    /// Attributes: floats by name.
    pub attributes: &'static [(&'static str, f32)],
    /// The value in 320 bits.
    pub exact: fn(&BigFloat, &mut Consts) -> BigFloat,
    /// The value in double, with a relative error below 2^-40 where it is a normal number
    /// ([`ziv`](crate::correctly_rounded)).
    pub fast: fn(f64) -> f64,
    /// For a function that is a·x + b·x² near zero with a dyadic `a`, so that values lie next to ties:
    /// at magnitudes of at most [`NEAR_ZERO`], a·x, which is exact in double for an x of 24 bits, and
    /// b·x² with a relative error of at most 2^-30.
    pub near_zero: Option<fn(f64) -> (f64, f64)>,
    /// The largest magnitudes of the exact evaluation, for formats of at most 32 bits and of 64.
    pub domain: [f64; 2],
    /// The maximum error of the reference, in units of the last place of double.
    pub double_bound: f64,
}

/// The largest magnitude of the arguments of [`Function::near_zero`].
pub const NEAR_ZERO: f64 = 1.0 / (1_u64 << 32) as f64;

const EVERYWHERE: [f64; 2] = [f64::MAX; 2];

const fn function(
    operator: &'static str,
    since: u32,
    exact: fn(&BigFloat, &mut Consts) -> BigFloat,
    fast: fn(f64) -> f64,
    double_bound: f64,
) -> Function {
    Function {
        operator,
        since,
        attributes: &[],
        exact,
        fast,
        near_zero: None,
        domain: EVERYWHERE,
        double_bound,
    }
}

/// A function whose exact evaluation loses too many bits beyond 65504.
const fn gated(
    operator: &'static str,
    since: u32,
    exact: fn(&BigFloat, &mut Consts) -> BigFloat,
    fast: fn(f64) -> f64,
    double_bound: f64,
) -> Function {
    Function {
        domain: [65504.0, 100.0],
        ..function(operator, since, exact, fast, double_bound)
    }
}

/// Every function.
pub const FUNCTIONS: &[Function] = &[
    function("Exp", 13, |x, c| x.exp(BITS, NEAREST, c), f64::exp, 1.0),
    function("Log", 13, |x, c| x.ln(BITS, NEAREST, c), f64::ln, 1.0),
    function("Sqrt", 13, |x, _| x.sqrt(BITS, NEAREST), f64::sqrt, 0.5),
    function(
        "Reciprocal",
        13,
        |x, _| x.reciprocal(BITS, NEAREST),
        f64::recip,
        0.5,
    ),
    function("Sin", 22, |x, c| x.sin(BITS, NEAREST, c), f64::sin, 1.0),
    function("Cos", 22, |x, c| x.cos(BITS, NEAREST, c), f64::cos, 1.0),
    function("Tan", 22, |x, c| x.tan(BITS, NEAREST, c), f64::tan, 1.0),
    function("Asin", 22, |x, c| x.asin(BITS, NEAREST, c), f64::asin, 1.0),
    function("Acos", 22, |x, c| x.acos(BITS, NEAREST, c), f64::acos, 1.0),
    function("Atan", 22, |x, c| x.atan(BITS, NEAREST, c), f64::atan, 1.0),
    function("Sinh", 22, |x, c| x.sinh(BITS, NEAREST, c), f64::sinh, 2.0),
    function("Cosh", 22, |x, c| x.cosh(BITS, NEAREST, c), f64::cosh, 2.0),
    function("Tanh", 13, |x, c| x.tanh(BITS, NEAREST, c), f64::tanh, 2.0),
    function("Asinh", 22, |x, c| x.asinh(BITS, NEAREST, c), fast::asinh, 2.0),
    function("Acosh", 22, |x, c| x.acosh(BITS, NEAREST, c), fast::acosh, 2.0),
    function("Atanh", 22, |x, c| x.atanh(BITS, NEAREST, c), fast::atanh, 2.0),
    Function {
        domain: [8.0, 8.0],
        ..function("Erf", 13, erf, libm::erf, 1.0)
    },
    Function {
        domain: [14.0, 8.0],
        near_zero: Some(|x| (x / 2.0, x * x / (2.0 * PI).sqrt())),
        ..function("Gelu", 20, gelu, fast::gelu, 8.0)
    },
    gated("Sigmoid", 13, sigmoid, fast::sigmoid, 2.0),
    gated("Softplus", 22, softplus, fast::softplus, 2.0),
    gated("Mish", 22, mish, fast::mish, 4.0),
    Function {
        near_zero: Some(|x| (x / 2.0, x * x / 4.0)),
        ..gated("Swish", 24, swish, fast::swish, 3.0)
    },
    Function {
        attributes: &[("alpha", 0.75)],
        near_zero: Some(|x| {
            if x > 0.0 {
                (x, 0.0)
            } else {
                (0.75 * x, 0.375 * x * x)
            }
        }),
        ..function("Elu", 22, |x, c| elu(x, 0.75, c), |x| fast::elu(x, 0.75), 2.0)
    },
];

/// Returns `value` in 320 bits, made from its significand, because the library misreads subnormal numbers.
pub fn number(value: f64) -> BigFloat {
    let (significand, exponent) = libm::frexp(value);
    let mut number = BigFloat::from_f64(significand, BITS);
    if let Some(own) = number.exponent().filter(|_| value != 0.0) {
        number.set_exponent(own + exponent);
    }
    number
}

fn sigmoid(x: &BigFloat, consts: &mut Consts) -> BigFloat {
    let e = x.neg().exp(BITS, NEAREST, consts);
    e.add(&number(1.0), BITS, NEAREST).reciprocal(BITS, NEAREST)
}

fn swish(x: &BigFloat, consts: &mut Consts) -> BigFloat {
    x.mul(&sigmoid(x, consts), BITS, NEAREST)
}

fn softplus(x: &BigFloat, consts: &mut Consts) -> BigFloat {
    let e = x.exp(BITS, NEAREST, consts);
    e.add(&number(1.0), BITS, NEAREST).ln(BITS, NEAREST, consts)
}

fn mish(x: &BigFloat, consts: &mut Consts) -> BigFloat {
    let gate = softplus(x, consts).tanh(BITS, NEAREST, consts);
    x.mul(&gate, BITS, NEAREST)
}

fn elu(x: &BigFloat, alpha: f64, consts: &mut Consts) -> BigFloat {
    if x.is_positive() {
        return x.clone();
    }
    let e = x.exp(BITS, NEAREST, consts);
    e.sub(&number(1.0), BITS, NEAREST)
        .mul(&number(alpha), BITS, NEAREST)
}

fn gelu(x: &BigFloat, consts: &mut Consts) -> BigFloat {
    let z = x.div(&number(2.0).sqrt(BITS, NEAREST), BITS, NEAREST);
    let distribution = erf(&z, consts).add(&number(1.0), BITS, NEAREST);
    x.mul(&distribution, BITS, NEAREST)
        .mul(&number(0.5), BITS, NEAREST)
}

/// 2/√π e^(−x²) Σ 2ⁿ x^(2n+1) / (1 · 3 ⋯ (2n+1)), whose terms have one sign (Abramowitz and Stegun, 7.1.6).
fn erf(x: &BigFloat, consts: &mut Consts) -> BigFloat {
    let square = x.mul(x, BITS, NEAREST);
    let double = square.add(&square, BITS, NEAREST);
    let (mut term, mut sum) = (x.clone(), x.clone());
    for odd in (3..).step_by(2) {
        term = term
            .mul(&double, BITS, NEAREST)
            .div(&number(f64::from(odd)), BITS, NEAREST);
        let next = sum.add(&term, BITS, NEAREST);
        if next == sum {
            break;
        }
        sum = next;
    }
    let pi = consts.pi(BITS, NEAREST);
    let scale = number(4.0).div(&pi, BITS, NEAREST).sqrt(BITS, NEAREST);
    let decay = square.neg().exp(BITS, NEAREST, consts);
    sum.mul(&decay, BITS, NEAREST).mul(&scale, BITS, NEAREST)
}
