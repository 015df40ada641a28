//! Reductions that are more than a sum.
//!
//! n is the number of elements per result. Positive terms do not cancel, so the relative error of a sum of
//! n of them is γₙ in any order.

use ndarray::ArrayD;
use onnx_operators::frame::OpError;
use onnx_operators::shared::axes;
use onnx_tensor::Array;

use super::{Entry, entry, pointwise};
use crate::precision::{Growth, gamma, growth, ulp};
use crate::{Query, Radius};

pub(super) const RULES: &[Entry] = &[
    entry("CumProd", product),
    entry("ReduceProd", product),
    entry("ReduceSumSquare", |query| {
        relative(query, |n, u| gamma(n + 1.0, u))
    }),
    entry("ReduceL2", norm),
    entry("ReduceLogSum", log_sum),
    entry("ReduceLogSumExp", log_sum_exp),
    entry("GlobalLpPool", power_mean),
    entry("LpPool", power_mean),
    entry("LpNormalization", |query| {
        if !query.inputs_exact() {
            // A quotient by its own norm is not monotone in the magnitudes.
            return Err(OpError::invalid(
                "the effect of the errors of the inputs is unknown".to_owned(),
            ));
        }
        let (shape, power) = (query.call.tensor(0)?.shape(), power(query));
        let extent = shape[axes::axis(query.call.int("axis")?, shape.len())?] as f64;
        relative(query, |_, u| gamma(extent, u) + power * u + 5.0 * u)
    }),
];

/// The error of the p-th powers and the root of their sum, as a multiple of u: nothing for p = 1, that of a
/// square root for p = 2, or else 16 ULP for each (*OpenCL C*, §7.4), of which ordinary functions have 1.
fn power(query: &Query<'_>) -> f64 {
    match (query.call.int("p"), growth()) {
        (Ok(1), _) => 0.0,
        (Ok(2), _) => 6.0,
        (_, Growth::Worst) => 64.0,
        (_, Growth::Independent | Growth::IndependentNarrow) => 4.0,
    }
}

/// The number of elements of input 0 per result; at least that of one kernel.
fn meeting(query: &Query<'_>) -> Result<f64, OpError> {
    let inputs = query.call.tensor(0)?.len();
    let outputs = query.output(0).map_or(1, |output| output.len()).max(1);
    Ok((inputs / outputs).max(1) as f64)
}

/// n − 1 products, each with an error of u of the result.
fn product(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let lengths = query.call.tensor(0)?.shape();
    let whole: usize = lengths.iter().product();
    relative(query, |_, u| gamma(whole as f64, u))
}

fn power_mean(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let kernel: Option<Vec<i64>> = query.call.optional_ints("kernel_shape").ok().flatten();
    let taps = kernel.map(|kernel| kernel.iter().product::<i64>().max(1) as f64);
    let power = power(query);
    relative(query, move |n, u| gamma(taps.unwrap_or(n), u) + power * u)
}

/// √Σx²: the square root halves the relative error of the sum and adds its own 3 ULP. A square that
/// underflows has an absolute error (Higham, §2.1 (2.8)) of at most one unit η of the smallest numbers: n·η
/// for the sum s, and √s ± √(n·η) covers the root of both.
fn norm(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let n = meeting(query)?;
    let least = query.output_dtype(0).map_or(0.0, |dtype| ulp(dtype, 0.0));
    let lost = (n * least).sqrt();
    let part = |y: f64, u: f64| {
        let underflow = if y <= lost {
            lost
        } else {
            y - (y - lost).sqrt() * (y + lost).sqrt()
        };
        (gamma(n + 1.0, u) / 2.0 + 6.0 * u) * y + underflow
    };
    radius_from(
        query,
        part,
        carried_by_magnitudes,
        "relative to a sum of squares, each of which may underflow",
    )
}

/// A relative error of the result, from n and u.
fn relative(query: &Query<'_>, share: impl Fn(f64, f64) -> f64) -> Result<Vec<Radius>, OpError> {
    let n = meeting(query)?;
    radius_from(
        query,
        |y, u| share(n, u) * y.abs(),
        carried_by_magnitudes,
        "relative to a sum that does not cancel",
    )
}

/// log Σx: the relative error of the sum becomes an absolute one. The terms may cancel, so it is γₙ·Σ|x| /
/// |Σx|; the sum of the magnitudes is the exponential of the operator applied to the magnitudes.
fn log_sum(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let n = meeting(query)?;
    let magnitudes = query.again(|_, value| value.mapv_into(f64::abs))?;
    let Some(Some(magnitudes)) = magnitudes.into_iter().next() else {
        return super::exact::decides(query);
    };
    let mut radii = radius_from(
        query,
        |y, u| gamma(n, u) + 7.0 * u * y.abs(),
        pointwise::carried,
        "gamma_n in the argument of the logarithm",
    )?;
    if let (Some(Radius::Within { radius, .. }), Some(y)) =
        (radii.first_mut(), query.output(0).and_then(crate::query::reals))
    {
        let growth = gamma(n, query.unit(0));
        let cancelled = ndarray::Zip::from(&magnitudes)
            .and(&y)
            .map_collect(|m, y| growth * ((m - y).exp() - 1.0));
        *radius += &cancelled;
    }
    Ok(radii)
}

/// log Σ exp x: each term 6u and the u·|x − max| of its argument, whose weight is e^−|x − max|: at most 1u
/// in total; γₙ of the sum; the logarithm and the maximum that is added, both below |y| + log n.
fn log_sum_exp(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let n = meeting(query)?;
    let part = move |y: f64, u: f64| gamma(n, u) + 8.0 * u + 9.0 * u * (y.abs() + n.ln());
    // It increases with each element.
    let model = "gamma_n in the argument of the logarithm";
    radius_from(query, part, pointwise::carried, model)
}

/// The propagated errors for a function that increases with each magnitude: its value at |x| + dx minus
/// that at |x|. With signs, the errors of elements could cancel.
fn carried_by_magnitudes(query: &Query<'_>) -> Result<ArrayD<f64>, OpError> {
    let at = |off: f64| {
        let value = |index: usize, value: Array<f64>| match query.error(index) {
            Some(error) => (value.mapv_into(f64::abs) + error.mapv_into(|error| error * off)).into_shared(),
            None => value,
        };
        let first = query.again(value)?.into_iter().next().flatten();
        first.ok_or_else(|| OpError::invalid("the operator has no numeric output".to_owned()))
    };
    Ok(at(1.0)?.into_owned() - at(0.0)?)
}

/// The propagated errors of the inputs for each element of the result.
type Carry = fn(&Query<'_>) -> Result<ArrayD<f64>, OpError>;

/// A radius from the result and u, plus one ULP of the result.
fn radius_from(
    query: &Query<'_>,
    part: impl Fn(f64, f64) -> f64,
    carry: Carry,
    model: &'static str,
) -> Result<Vec<Radius>, OpError> {
    if query.unit(0) == 0.0 {
        return super::exact::decides(query);
    }
    if let Some(unknown) = query.unknown_input() {
        return Ok(vec![unknown.clone(); query.outputs.len()]);
    }
    let Some((dtype, y)) = query
        .output(0)
        .and_then(|output| Some((output.dtype(), crate::query::reals(output)?)))
    else {
        return super::exact::decides(query);
    };
    let unit = query.unit(0);
    let mut radius: ArrayD<f64> = y.mapv(|y| part(y, unit) + ulp(dtype, y.abs()));
    if !query.inputs_exact() {
        radius += &carry(query)?;
    }
    Ok(vec![Radius::within(radius, model)])
}
