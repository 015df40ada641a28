//! Activations that are written with several elementary functions, whose parts can cancel: the radius is derived part by part.
//!
//! In the derivations an elementary function of k ULP has the relative error 2k·u (a unit in the last place is at most 2u of the
//! value), an addition, a product or a rounding u; x is the input, y the result. What is said of a product by a constant holds for
//! any order in which a backend multiplies.

use ndarray::Zip;
use onnx_operators::frame::OpError;

use super::{Entry, entry, pointwise};
use crate::precision::ulp;
use crate::{Query, Radius};

pub(super) const RULES: &[Entry] = &[
    // 1 / (1 + exp(−x)): 6u, u, and 5u for the quotient; for an underflow of exp the result is right to an absolute 12u·y.
    entry("Sigmoid", |query| pointwise::within_ulps(query, 13.0)),
    // x / (1 + |x|): u and 5u.
    entry("Softsign", |query| pointwise::within_ulps(query, 6.5)),
    // log(1 + exp(x)): exp is off by 6u of itself, the sum by u more; the logarithm turns both into an absolute 7u.
    entry("Softplus", |query| derived(query, |_, _, u| 7.0 * u, 3.5)),
    // x·(1 + erf(x/√2))/2: 1 + erf is off by 32u of erf ≤ 1, by u of itself, and by the 2u of its argument (whose derivative
    // times itself is below 1/2); tanh instead of erf costs less.
    entry("Gelu", |query| derived(query, |x, _, u| 20.0 * u * x.abs(), 4.0)),
    // x·tanh(softplus(x)): softplus 7u absolutely, tanh 10u of at most 1.
    entry("Mish", |query| derived(query, |x, _, u| 19.0 * u * x.abs(), 4.0)),
    entry("Swish", swish),
    // a·sigmoid(αa)·b: the argument of the sigmoid is off by u·|αa|, which its slope turns into as much of the result, relatively.
    entry("SwiGLU", |query| {
        let alpha = f64::from(query.call.float("alpha")?);
        derived(query, move |a, y, u| 2.0 * u * (alpha * a * y).abs(), 15.0)
    }),
    // max(0, min(1, αx + β)): two roundings of terms that can cancel; |αx| ≤ 1 + |β| wherever it is not clipped.
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

/// x·sigmoid(αx): the argument is off by u·|αx|, which the derivative turns into as much of the result, relatively.
fn swish(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let alpha = f64::from(query.call.float("alpha")?);
    derived(query, move |x, y, u| 2.0 * u * (alpha * x * y).abs(), 14.0)
}

/// α·(exp(x/α) − 1) below 0: the argument t is off by 5u of itself, which the exponential turns into as much of exp(t). For a
/// negative α the exponential exceeds 1.
fn celu(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let alpha = f64::from(query.call.float("alpha")?);
    exponential(query, move |x| {
        let argument = x / alpha;
        ((1.0 + argument.abs()) * argument.exp()).max(1.0)
    })
}

/// α·(exp(x) − 1) below 0: 6u of exp(x) ≤ 1 and u of the difference remain absolutely where both cancel, for either sign of α.
/// Selu has γ·α for α. `greatest` is what stands for the 1 at x.
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

/// An absolute part that depends on input 0 and the result, `ulps` units in the last place of the result, and what the error of the
/// input does.
fn derived(
    query: &Query<'_>,
    part: impl Fn(f64, f64, f64) -> f64,
    ulps: f64,
) -> Result<Vec<Radius>, OpError> {
    let mut radii = pointwise::within_ulps(query, ulps)?;
    let (Some(Radius::Within { radius, model }), Some(x), Some(y)) = (
        radii.first_mut(),
        query.input(0),
        query.output(0).and_then(crate::query::reals),
    ) else {
        return Ok(radii);
    };
    let (unit, dtype) = (query.unit(0), query.output_dtype(0));
    Zip::from(&mut *radius).and(&x).and(&y).for_each(|radius, x, y| {
        // A part may underflow: what is below the smallest number may be lost altogether.
        let least = dtype.map_or(0.0, |dtype| ulp(dtype, 0.0));
        *radius += part(*x, *y, unit) + least;
    });
    *model = "derived from its parts".into();
    Ok(radii)
}
