//! Activations that consist of several elementary functions whose parts can cancel: the radius is derived
//! part by part.
//!
//! In the derivations an elementary function of k ULP has the relative error 2k·u (one ULP is at most 2u of
//! the value), an addition, a product or a rounding u; x is the input, y the result. The error of a product
//! with a constant holds for any order of the multiplications.

use ndarray::Zip;
use onnx_operators::frame::OpError;

use super::{Entry, entry, pointwise};
use crate::precision::ulp;
use crate::{Query, Radius};

pub(super) const RULES: &[Entry] = &[
    // 1 / (1 + exp(−x)): 6u, u, and 5u for the quotient. If exp underflows, the absolute error is within
    // 12u·y.
    entry("Sigmoid", |query| pointwise::within_ulps(query, 13.0)),
    // x / (1 + |x|): u and 5u.
    entry("Softsign", |query| pointwise::within_ulps(query, 6.5)),
    // log(1 + exp(x)): exp has a relative error of 6u, the sum one more u; the logarithm converts both to
    // an absolute 7u.
    entry("Softplus", |query| derived(query, |_, _, u| 7.0 * u, 3.5)),
    entry("Gelu", gelu),
    // x·tanh(softplus(x)): softplus has an absolute error of 7u, tanh 10u of at most 1.
    entry("Mish", |query| derived(query, |x, _, u| 19.0 * u * x.abs(), 4.0)),
    entry("Swish", swish),
    // a·sigmoid(αa)·b: as for Swish.
    entry("SwiGLU", |query| {
        let alpha = f64::from(query.call.float("alpha")?);
        derived(
            query,
            move |a, y, u| 2.0 * u * (alpha * a * y).abs() * rest(alpha * a),
            15.0,
        )
    }),
    // max(0, min(1, αx + β)): two roundings of terms that can cancel; |αx| ≤ 1 + |β| where the result is
    // not clipped.
    entry("HardSigmoid", |query| {
        let beta = f64::from(query.call.float("beta")?).abs();
        derived(query, move |_, _, u| 3.0 * u * (1.0 + beta), 1.0)
    }),
    // x·max(0, min(1, x/6 + 1/2)).
    entry("HardSwish", |query| {
        derived(query, |x, _, u| 4.0 * u * x.abs(), 1.5)
    }),
    entry("Elu", |query| exponential(query, |_| 1.0)),
    entry("Celu", celu),
    entry("Selu", |query| exponential(query, |_| 1.0)),
    // One product.
    entry("LeakyRelu", |query| pointwise::within_ulps(query, 1.0)),
    entry("PRelu", |query| pointwise::within_ulps(query, 1.0)),
    entry("Shrink", |query| pointwise::within_ulps(query, 1.0)),
];

/// x·(1 + erf(x/√2))/2: the error of 1 + erf is 32u of erf ≤ 1, u of itself, and the 2u of its argument
/// (whose product with the derivative is below 1/2); tanh instead of erf costs less.
pub(super) fn gelu(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    derived(query, |x, _, u| 20.0 * u * x.abs(), 4.0)
}

/// x·sigmoid(αx): the error of the argument t is u·|t|, which the derivative converts to the relative error
/// u·|t|·(1 − sigmoid(t)) of the result.
pub(super) fn swish(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let alpha = f64::from(query.call.float("alpha")?);
    derived(
        query,
        move |x, y, u| 2.0 * u * (alpha * x * y).abs() * rest(alpha * x),
        14.0,
    )
}

/// 1 − sigmoid(t), rounded up.
fn rest(t: f64) -> f64 {
    1.001 / (1.0 + t.exp())
}

/// α·(exp(x/α) − 1) below 0: the relative error of the argument t is 5u, which the exponential converts to
/// 5u·|t| of exp(t). For a negative α the exponential exceeds 1.
fn celu(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let alpha = f64::from(query.call.float("alpha")?);
    exponential(query, move |x| {
        let argument = x / alpha;
        ((1.0 + argument.abs()) * argument.exp()).max(1.0)
    })
}

/// α·(exp(x) − 1) below 0: an absolute error of 6u of exp(x) ≤ 1 and u of the difference remains if both
/// cancel, for either sign of α. Selu has γ·α instead of α. `greatest` replaces the 1 at x.
fn exponential(query: &Query<'_>, greatest: impl Fn(f64) -> f64) -> Result<Vec<Radius>, OpError> {
    let alpha = f64::from(query.call.float("alpha")?).abs();
    let gamma = query
        .call
        .optional_float("gamma")
        .ok()
        .flatten()
        .map_or(1.0, f64::from);
    let scale = (alpha * gamma).abs();
    derived(
        query,
        |x, _, u| {
            if x < 0.0 {
                10.0 * u * scale * greatest(x)
            } else {
                0.0
            }
        },
        2.5,
    )
}

/// An absolute part that depends on input 0 and the result, plus `ulps` ULP of the result, plus the
/// propagated error of the input.
fn derived(
    query: &Query<'_>,
    part: impl Fn(f64, f64, f64) -> f64,
    ulps: f64,
) -> Result<Vec<Radius>, OpError> {
    let mut radii = pointwise::within_ulps(query, ulps)?;
    let (Some(Radius::Within { radius, model, .. }), Some(x), Some(y)) = (
        radii.first_mut(),
        query.input(0),
        query.output(0).and_then(crate::query::reals),
    ) else {
        return Ok(radii);
    };
    let (unit, dtype) = (query.unit(0), query.output_dtype(0));
    Zip::from(&mut *radius).and(&x).and(&y).for_each(|radius, x, y| {
        // A part may underflow: a value below the smallest number may be lost.
        let least = dtype.map_or(0.0, |dtype| ulp(dtype, 0.0));
        *radius += part(*x, *y, unit) + least;
    });
    *model = "derived from its parts".into();
    Ok(radii)
}
