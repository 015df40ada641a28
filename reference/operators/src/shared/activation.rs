//! Activation functions on f64, for the operators of these names and for the gates of recurrent networks.
//!
//! No step cancels: the relative error stays within a few ULP of f64 over the whole range. An infinite
//! argument has the result of the specification's formula in IEEE arithmetic.

use onnx_tensor::Real;

/// 1 / (1 + e⁻ˣ).
pub fn sigmoid(x: f64) -> f64 {
    if x >= 0.0 {
        1.0 / (1.0 + libm::exp(-x))
    } else {
        let e = libm::exp(x);
        e / (1.0 + e)
    }
}

/// ln(1 + eˣ).
pub fn softplus(x: f64) -> f64 {
    if x > 0.0 {
        x + libm::log1p(libm::exp(-x))
    } else {
        libm::log1p(libm::exp(x))
    }
}

/// ln(1 + eˣ), infinite where T has no eˣ (reading `exponentials=typed`).
pub fn softplus_in<T: Real>(x: f64) -> f64 {
    match T::from_f64(libm::exp(x)).to_f64() {
        power if power.is_infinite() => power,
        _ => softplus(x),
    }
}

/// x / (1 + |x|).
pub fn softsign(x: f64) -> f64 {
    x / (1.0 + x.abs())
}

/// max(0, min(1, alpha · x + beta)).
pub fn hard_sigmoid(x: f64, alpha: f64, beta: f64) -> f64 {
    alpha.mul_add(x, beta).clamp(0.0, 1.0)
}

/// alpha · (eˣ − 1) for x < 0, else x.
pub fn elu(x: f64, alpha: f64) -> f64 {
    if x < 0.0 { alpha * libm::expm1(x) } else { x }
}

/// max(0, x) + min(0, alpha · (e^(x / alpha) − 1)).
pub fn celu(x: f64, alpha: f64) -> f64 {
    Real::max(0.0, x) + Real::min(0.0, alpha * libm::expm1(x / alpha))
}

/// gamma · (alpha · eˣ − alpha) for x ≤ 0, else gamma · x.
pub fn selu(x: f64, alpha: f64, gamma: f64) -> f64 {
    gamma * elu(x, alpha)
}

/// alpha · x for x < 0, else x.
pub fn leaky_relu(x: f64, alpha: f64) -> f64 {
    if x < 0.0 { alpha * x } else { x }
}

/// x for x > alpha, else 0.
pub fn thresholded_relu(x: f64, alpha: f64) -> f64 {
    if x > alpha { x } else { 0.0 }
}

/// x · sigmoid(alpha · x).
pub fn swish(x: f64, alpha: f64) -> f64 {
    x * sigmoid(alpha * x)
}

/// x · max(0, min(1, x / 6 + 1 / 2)).
pub fn hard_swish(x: f64) -> f64 {
    // Above 3 the factor is 1, and the product with 6 might overflow.
    if x >= 3.0 { x } else { x * (x + 3.0).max(0.0) / 6.0 }
}

/// x · tanh(ln(1 + eˣ)), by tanh(ln(1 + e)) = e (e + 2) / (e (e + 2) + 2) for e = eˣ.
pub fn mish(x: f64) -> f64 {
    // Above 40 the quotient is 1 in f64, and e² is not needed.
    if x > 40.0 {
        return x;
    }
    let e = libm::exp(x);
    let n = e * (e + 2.0);
    x * (n / (n + 2.0))
}

/// x/2 · (1 + erf(x / √2)), by 1 + erf(z) = erfc(−z).
pub fn gelu(x: f64) -> f64 {
    const HIGH: f64 = std::f64::consts::FRAC_1_SQRT_2;
    /// 1/√2 − `HIGH`.
    const LOW: f64 = -4.833646656726457e-17;
    if x.is_infinite() {
        return 0.5 * x * libm::erfc(-x);
    }
    // The steep tail magnifies the rounding error of x / √2, so that error is carried to first order.
    let z = x * HIGH;
    let lost = x.mul_add(HIGH, -z) + x * LOW;
    let slope = std::f64::consts::FRAC_2_SQRT_PI * libm::exp(-z * z);
    0.5 * x * (libm::erfc(-z) + slope * lost)
}

/// 2 √(2/π) and the coefficient of x³ in [`gelu_tanh`].
pub const GELU_TANH: [f64; 2] = [1.595_769_121_605_730_7, 0.044715];

/// x/2 · (1 + tanh(√(2/π) (x + 0.044715 x³))), by (1 + tanh z) / 2 = sigmoid(2 z).
pub fn gelu_tanh(x: f64) -> f64 {
    gelu_by(x, std::f64::consts::FRAC_2_PI, 0.044715)
}

/// [`gelu_tanh`] with 2/π and 0.044715 rounded to float, as in the function body of Gelu-20.
pub fn gelu_tanh_of_body(x: f64) -> f64 {
    gelu_by(x, std::f32::consts::FRAC_2_PI.into(), 0.044715_f32.into())
}

fn gelu_by(x: f64, two_over_pi: f64, cubic: f64) -> f64 {
    x * sigmoid(2.0 * two_over_pi.sqrt() * (x + cubic * x * x * x))
}
