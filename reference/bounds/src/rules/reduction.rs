//! Reductions that are more than a sum.
//!
//! n is the number of elements that meet in one result. Positive terms do not cancel, so a sum of n of them is right to a relative
//! γₙ in any order.

use ndarray::ArrayD;
use onnx_operators::frame::OpError;

use super::{Entry, entry, pointwise};
use crate::precision::{gamma, ulp};
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
        relative(query, |n, u| gamma(n, u) + POWER * u + 5.0 * u)
    }),
];

/// What a power of 16 ULP and its root cost, as a multiple of u: 32 for each (*OpenCL C*, §7.4).
const POWER: f64 = 64.0;

/// How many elements of input 0 meet in one result; at least those of one kernel.
fn meeting(query: &Query<'_>) -> Result<f64, OpError> {
    let inputs = query.call.tensor(0)?.len();
    let outputs = query.output(0).map_or(1, |output| output.len()).max(1);
    Ok((inputs / outputs).max(1) as f64)
}

/// n − 1 products, each off by u of the result.
fn product(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let lengths = query.call.tensor(0)?.shape();
    let whole: usize = lengths.iter().product();
    relative(query, |_, u| gamma(whole as f64, u))
}

fn power_mean(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let kernel: Option<Vec<i64>> = query.call.optional_ints("kernel_shape").ok().flatten();
    let taps = kernel.map(|kernel| kernel.iter().product::<i64>().max(1) as f64);
    relative(query, move |n, u| gamma(taps.unwrap_or(n), u) + POWER * u)
}

/// √Σx²: the root halves the relative error of the sum and adds its own 3 ULP. A square that underflows is lost absolutely (Higham,
/// §2.1 (2.8)), at most one unit η of the smallest numbers each: of the sum s that is n·η, and √s ± √(n·η) holds the root of both.
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
    around(
        query,
        part,
        "relative to a sum of squares, each of which may underflow",
    )
}

/// A relative error of the result, from n and u.
fn relative(query: &Query<'_>, share: impl Fn(f64, f64) -> f64) -> Result<Vec<Radius>, OpError> {
    let n = meeting(query)?;
    around(
        query,
        |y, u| share(n, u) * y.abs(),
        "relative to a sum that does not cancel",
    )
}

/// log Σx: the relative error of the sum becomes an absolute one. The terms may cancel, so it is γₙ·Σ|x| / |Σx|, and the sum of the
/// magnitudes is the exponential of the operator on the magnitudes.
fn log_sum(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let n = meeting(query)?;
    let magnitudes = query.again(|_, value| value.mapv_into(f64::abs))?;
    let Some(Some(magnitudes)) = magnitudes.into_iter().next() else {
        return super::exact::decides(query);
    };
    let mut radii = around(
        query,
        |y, u| gamma(n, u) + 7.0 * u * y.abs(),
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

/// log Σ exp x: each term 6u and the u·|x − max| of its argument, which weighs e^−|x − max| ≥ |x − max|/e of it: 1u; γₙ of the sum;
/// the logarithm and the maximum that is added, both below |y| + log n.
fn log_sum_exp(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let n = meeting(query)?;
    let part = move |y: f64, u: f64| gamma(n, u) + 8.0 * u + 9.0 * u * (y.abs() + n.ln());
    around(query, part, "gamma_n in the argument of the logarithm")
}

/// A radius from the result and u, and one unit in the last place of the result.
fn around(
    query: &Query<'_>,
    part: impl Fn(f64, f64) -> f64,
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
        // All elements move one way, then the other: right for what grows with each of them, as sums of powers of magnitudes do.
        radius += &pointwise::carried(query)?;
    }
    Ok(vec![Radius::within(radius, model)])
}
