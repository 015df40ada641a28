//! Elementary functions of vectors of f32, with stated error bounds.
//!
//! Each function states its bound in units in the last place (ULP) of the correctly rounded result, as
//! measured over all 2³² arguments by `cargo run --release -p native-kernels --example ulp` against f64.
//! Results for infinities, NaNs, signed zeros and subnormal numbers follow the limits of the functions.

mod erf;
mod exp;
mod gelu;
mod log;
pub(crate) mod real;
mod sigmoid;

pub(crate) use erf::erf;
pub(crate) use exp::{LIFT, exp, exp_lifted, expm1, tanh, tanh_parts};
pub(crate) use gelu::gelu;
pub(crate) use log::{log, softplus};
pub(crate) use sigmoid::{sigmoid, sigmoid_parts};

use crate::epilogue::Activation;
use crate::half::nearest;
use crate::simd::Simd;

/// The polynomial with these coefficients, lowest power first.
#[inline(always)]
fn polynomial<S: Simd, const N: usize>(s: S, x: S::V, coefficients: [f32; N]) -> S::V {
    let mut sum = s.splat(coefficients[N - 1]);
    for coefficient in coefficients.iter().rev().skip(1) {
        sum = s.fma(sum, x, s.splat(*coefficient));
    }
    sum
}

/// The polynomial with these coefficients, lowest power first, in f64.
#[inline(always)]
fn horner<const N: usize>(x: f64, coefficients: &[f64; N]) -> f64 {
    let mut sum = coefficients[N - 1];
    for coefficient in coefficients.iter().rev().skip(1) {
        sum = sum * x + coefficient;
    }
    sum
}

/// Applies an activation for which [`Activation::is_cheap`] holds.
#[inline(always)]
pub(crate) fn cheap<S: Simd>(s: S, activation: Activation, x: S::V) -> S::V {
    let zero = s.zero();
    match activation {
        Activation::Relu => s.max(zero, x),
        Activation::Clip { low, high } => s.min(s.splat(high), s.max(s.splat(low), x)),
        Activation::LeakyRelu { slope } => s.select(s.lt(x, zero), s.mul(x, s.splat(slope)), x),
        Activation::Narrow { to, low, high } => {
            let bounded = s.min(s.splat(high), s.max(s.splat(low), x));
            nearest(s, to, bounded)
        }
        _ => x,
    }
}

/// Applies an activation to one vector.
#[inline(always)]
pub(crate) fn activation<S: Simd>(s: S, activation: Activation, x: S::V) -> S::V {
    match activation {
        Activation::Identity
        | Activation::Relu
        | Activation::Clip { .. }
        | Activation::LeakyRelu { .. }
        | Activation::Narrow { .. } => cheap(s, activation, x),
        Activation::Sigmoid => sigmoid(s, x),
        Activation::Tanh => tanh(s, x),
        Activation::Gelu => gelu(s, x),
        Activation::GeluTanh => {
            let cube = s.mul(s.mul(x, x), x);
            let inner = s.fma(s.splat(0.044_715), cube, x);
            s.mul(x, sigmoid(s, s.mul(s.splat(1.595_769_1), inner)))
        }
        Activation::HardSwish { alpha, beta } => s.mul(x, gate(s, alpha, beta, x)),
        Activation::HardSigmoid { alpha, beta } => gate(s, alpha, beta, x),
        Activation::Swish { alpha } => s.mul(x, sigmoid(s, s.mul(s.splat(alpha), x))),
        Activation::Elu { alpha } => elu(s, alpha, x),
        Activation::Celu { alpha } => celu(s, alpha, x),
        Activation::Selu { alpha, gamma } => s.mul(s.splat(gamma), elu(s, alpha, x)),
        Activation::Softplus => softplus(s, x),
        Activation::Mish => mish(s, x),
    }
}

/// `x` if positive, else `alpha · (e^x - 1)`
#[inline(always)]
fn elu<S: Simd>(s: S, alpha: f32, x: S::V) -> S::V {
    let below = s.mul(s.splat(alpha), expm1(s, s.min(s.zero(), x)));
    s.select(s.lt(x, s.zero()), below, x)
}

/// `max(0, x) + min(0, alpha · (e^(x / alpha) - 1))`
#[inline(always)]
fn celu<S: Simd>(s: S, alpha: f32, x: S::V) -> S::V {
    let alpha = s.splat(alpha);
    let below = s.mul(alpha, expm1(s, s.div(x, alpha)));
    s.add(s.max(s.zero(), x), s.min(s.zero(), below))
}

/// `x · tanh(ln(1 + e^x))`, as `x · n / (n + 2)` with `n = e^x · (e^x + 2)`.
#[inline(always)]
fn mish<S: Simd>(s: S, x: S::V) -> S::V {
    // From 20 on the quotient rounds to 1.
    let e = exp(s, s.min(s.splat(20.0), x));
    let two = s.splat(2.0);
    let n = s.mul(e, s.add(e, two));
    s.mul(x, s.div(n, s.add(n, two)))
}

/// `max(0, min(1, alpha · x + beta))`
#[inline(always)]
fn gate<S: Simd>(s: S, alpha: f32, beta: f32, x: S::V) -> S::V {
    let line = s.add(s.mul(s.splat(alpha), x), s.splat(beta));
    s.min(s.splat(1.0), s.max(s.zero(), line))
}

/// Applies `f` to every value, vector by vector; the last vector is padded with zeros.
#[inline(always)]
pub(crate) fn map_in_place<S: Simd>(s: S, values: &mut [f32], f: impl Fn(S::V) -> S::V) {
    let mut vectors = values.chunks_exact_mut(S::LANES);
    for vector in &mut vectors {
        // SAFETY: the chunk has `LANES` values.
        unsafe { s.store(vector.as_mut_ptr(), f(s.load(vector.as_ptr()))) }
    }
    let rest = vectors.into_remainder();
    // SAFETY: fewer than `LANES` values are left, which are read and written.
    unsafe {
        s.store_n(
            rest.as_mut_ptr(),
            f(s.load_n(rest.as_ptr(), rest.len())),
            rest.len(),
        )
    }
}
