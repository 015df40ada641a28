//! The estimates of each function, with errors that also cover evaluations of its formula in f64.

use super::elementary::{erf, exp, exp_m1, ln, ln_1p, sin_cos};
use super::{Function, decide};
use crate::isa::vectorised;

/// A value and the greatest distance from it, of the exact one and of other evaluations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Estimate {
    pub(super) value: f64,
    pub(super) error: f64,
}

/// 2⁻⁴⁶, above the errors of the formulas here and of those in `libm`.
const SMALL: f64 = 1.0 / (1_u64 << 46) as f64;

/// 2⁻⁴², for formulas with a reduction of the argument.
const REDUCED: f64 = 1.0 / (1_u64 << 42) as f64;

#[inline(always)]
fn within(value: f64, relative: f64) -> Estimate {
    Estimate {
        value,
        error: value.abs() * relative,
    }
}

/// A formula whose operations are those of the caller.
#[inline(always)]
fn exact(value: f64) -> Estimate {
    Estimate { value, error: 0.0 }
}

/// Arguments beyond this one, where eˣ is far outside of f32, do not change the rounded result.
const FAR: f64 = 200.0;

#[inline(always)]
fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + exp(-x.clamp(-FAR, FAR)))
}

#[inline(always)]
fn gelu(x: f64) -> Estimate {
    let z = x * std::f64::consts::FRAC_1_SQRT_2;
    let half = 0.5 * x;
    let value = half.mul_add(erf(z.clamp(-4.0, 4.0)), half);
    // Beyond 4, 1 + erf z is 2 less at most 1.6e-8, or is too small for the estimate.
    let error = if z >= 4.0 { x * 1.6e-8 } else { half.abs() * SMALL };
    Estimate {
        value: if z >= 4.0 { x } else { value },
        error: if z <= -4.0 { f64::INFINITY } else { error },
    }
}

#[inline(always)]
fn softplus(x: f64) -> Estimate {
    within(x.max(0.0) + ln_1p(exp((-x.abs()).max(-FAR))), SMALL)
}

#[inline(always)]
fn elu(x: f64, alpha: f64, gamma: f64) -> Estimate {
    let value = alpha * exp_m1(x.clamp(-FAR, 0.0));
    if x < 0.0 {
        within(gamma * value, SMALL)
    } else {
        exact(gamma * x)
    }
}

#[inline(always)]
fn mish(x: f64) -> Estimate {
    let e = exp(x.clamp(-FAR, 40.0));
    let n = e * (e + 2.0);
    within(x * (n / (n + 2.0)), SMALL)
}

#[inline(always)]
fn tanh(x: f64) -> Estimate {
    let e = exp_m1(2.0 * x.clamp(-30.0, 30.0));
    within(e / (e + 2.0), SMALL)
}

#[inline(always)]
fn log(x: f64) -> Estimate {
    let value = ln(x);
    within(if x > 0.0 { value } else { f64::NAN }, SMALL)
}

/// The sine and the cosine lose bits near their zeros and beyond 2²⁰.
#[inline(always)]
fn circular(x: f64, value: f64) -> Estimate {
    Estimate {
        value,
        error: if x.abs() > 1_048_576.0 {
            f64::INFINITY
        } else {
            value.abs() * REDUCED
        },
    }
}

#[inline(always)]
fn hard_swish(x: f64) -> Estimate {
    let value = x * (x + 3.0).max(0.0) / 6.0;
    if x >= 3.0 { exact(x) } else { within(value, SMALL) }
}

/// The error of the logarithm grows with the exponent.
#[inline(always)]
fn power(x: f64, exponent: f64, negative: f64) -> Estimate {
    let magnitude = x.abs();
    let argument = exponent * ln(magnitude);
    let value = exp(argument.clamp(-FAR, FAR));
    let signed = if x < 0.0 { value * negative } else { value };
    let known = if magnitude > 0.0 { signed } else { f64::NAN };
    within(known, SMALL + argument.abs() * (SMALL / 4.0))
}

vectorised! {
    fn map_power(x: &[f32], y: &mut [f32], undecided: &mut Vec<usize>, exponent: f64, negative: f64) {
        decide(x, y, undecided, |x| power(x, exponent, negative));
    }
    fn map_exp(x: &[f32], y: &mut [f32], undecided: &mut Vec<usize>) {
        decide(x, y, undecided, |x| within(exp(x.clamp(-FAR, FAR)), SMALL));
    }
    fn map_log(x: &[f32], y: &mut [f32], undecided: &mut Vec<usize>) {
        decide(x, y, undecided, log);
    }
    fn map_sigmoid(x: &[f32], y: &mut [f32], undecided: &mut Vec<usize>) {
        decide(x, y, undecided, |x| within(sigmoid(x), SMALL));
    }
    fn map_tanh(x: &[f32], y: &mut [f32], undecided: &mut Vec<usize>) {
        decide(x, y, undecided, tanh);
    }
    fn map_erf(x: &[f32], y: &mut [f32], undecided: &mut Vec<usize>) {
        // Beyond 4 the value rounds to ±1, as it does at 4.
        decide(x, y, undecided, |x| within(erf(x.clamp(-4.0, 4.0)), SMALL));
    }
    fn map_gelu(x: &[f32], y: &mut [f32], undecided: &mut Vec<usize>) {
        decide(x, y, undecided, gelu);
    }
    fn map_gelu_tanh(x: &[f32], y: &mut [f32], undecided: &mut Vec<usize>, scale: f64, cubic: f64) {
        decide(x, y, undecided, |x| within(x * sigmoid(scale * (x + cubic * x * x * x)), SMALL));
    }
    fn map_softplus(x: &[f32], y: &mut [f32], undecided: &mut Vec<usize>) {
        decide(x, y, undecided, softplus);
    }
    fn map_elu(x: &[f32], y: &mut [f32], undecided: &mut Vec<usize>, alpha: f64, gamma: f64) {
        decide(x, y, undecided, |x| elu(x, alpha, gamma));
    }
    fn map_mish(x: &[f32], y: &mut [f32], undecided: &mut Vec<usize>) {
        decide(x, y, undecided, mish);
    }
    fn map_swish(x: &[f32], y: &mut [f32], undecided: &mut Vec<usize>, alpha: f64) {
        decide(x, y, undecided, |x| within(x * sigmoid(alpha * x), SMALL));
    }
    fn map_sin(x: &[f32], y: &mut [f32], undecided: &mut Vec<usize>) {
        decide(x, y, undecided, |x| circular(x, sin_cos(x).0));
    }
    fn map_cos(x: &[f32], y: &mut [f32], undecided: &mut Vec<usize>) {
        decide(x, y, undecided, |x| circular(x, sin_cos(x).1));
    }
    fn map_floor(x: &[f32], y: &mut [f32], undecided: &mut Vec<usize>) {
        decide(x, y, undecided, |x| exact(x.floor()));
    }
    fn map_ceil(x: &[f32], y: &mut [f32], undecided: &mut Vec<usize>) {
        decide(x, y, undecided, |x| exact(x.ceil()));
    }
    fn map_round(x: &[f32], y: &mut [f32], undecided: &mut Vec<usize>) {
        decide(x, y, undecided, |x| exact(x.round_ties_even()));
    }
    fn map_square(x: &[f32], y: &mut [f32], undecided: &mut Vec<usize>) {
        // Exact in f64; a power that is evaluated otherwise is within an ULP.
        decide(x, y, undecided, |x| within(x * x, SMALL));
    }
    fn map_sqrt(x: &[f32], y: &mut [f32], undecided: &mut Vec<usize>) {
        decide(x, y, undecided, |x| exact(x.sqrt()));
    }
    fn map_reciprocal(x: &[f32], y: &mut [f32], undecided: &mut Vec<usize>) {
        decide(x, y, undecided, |x| exact(x.recip()));
    }
    fn map_softsign(x: &[f32], y: &mut [f32], undecided: &mut Vec<usize>) {
        decide(x, y, undecided, |x| exact(x / (1.0 + x.abs())));
    }
    fn map_hard_sigmoid(x: &[f32], y: &mut [f32], undecided: &mut Vec<usize>, alpha: f64, beta: f64) {
        decide(x, y, undecided, |x| exact(alpha.mul_add(x, beta).clamp(0.0, 1.0)));
    }
    fn map_hard_swish(x: &[f32], y: &mut [f32], undecided: &mut Vec<usize>) {
        decide(x, y, undecided, hard_swish);
    }
    fn map_leaky_relu(x: &[f32], y: &mut [f32], undecided: &mut Vec<usize>, alpha: f64) {
        decide(x, y, undecided, |x| exact(if x < 0.0 { alpha * x } else { x }));
    }
}

/// As [`super::evaluate`], on one thread; adds the undecided places.
pub(super) fn on(function: Function, x: &[f32], y: &mut [f32], undecided: &mut Vec<usize>) {
    match function {
        Function::Exp => map_exp(x, y, undecided),
        Function::Log => map_log(x, y, undecided),
        Function::Sigmoid => map_sigmoid(x, y, undecided),
        Function::Tanh => map_tanh(x, y, undecided),
        Function::Erf => map_erf(x, y, undecided),
        Function::Gelu => map_gelu(x, y, undecided),
        Function::GeluTanh { scale, cubic } => map_gelu_tanh(x, y, undecided, scale, cubic),
        Function::Softplus => map_softplus(x, y, undecided),
        Function::Elu { alpha, gamma } => map_elu(x, y, undecided, alpha, gamma),
        Function::Mish => map_mish(x, y, undecided),
        Function::Swish { alpha } => map_swish(x, y, undecided, alpha),
        Function::Sin => map_sin(x, y, undecided),
        Function::Cos => map_cos(x, y, undecided),
        Function::Floor => map_floor(x, y, undecided),
        Function::Ceil => map_ceil(x, y, undecided),
        Function::Round => map_round(x, y, undecided),
        Function::Square => map_square(x, y, undecided),
        Function::Power { exponent, negative } => map_power(x, y, undecided, exponent, negative),
        Function::Sqrt => map_sqrt(x, y, undecided),
        Function::Reciprocal => map_reciprocal(x, y, undecided),
        Function::Softsign => map_softsign(x, y, undecided),
        Function::HardSigmoid { alpha, beta } => map_hard_sigmoid(x, y, undecided, alpha, beta),
        Function::HardSwish => map_hard_swish(x, y, undecided),
        Function::LeakyRelu { alpha } => map_leaky_relu(x, y, undecided, alpha),
    }
}
