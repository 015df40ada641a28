//! Attention: softmax(Q·Kᵀ·scale + mask)·V.
//!
//! The error of a score of d products is γ of scale·Σ|q·k|, which is at most scale·‖q‖·‖k‖ (Cauchy), S for
//! the longest of both. Softmax converts a score's absolute error δ to a relative error of each weight
//! below e^2δ − 1 (numerator and denominator), and adds its own: 6u of exp, the u·2S of its argument, γ of
//! its sum over L keys and 5u of the quotient. The result is a sum of L weighted values: its error is that
//! relative error plus γ, times Σ p·|v|, which is the operator applied to |V|.
//!
//! Independent errors of the scores are not derived: random rounding moves Q by [`of_scores`] in their place,
//! so that a key without weight, such as a masked one, has no effect, and the errors of many keys cancel. The
//! rest are the roundings of each weight, which are relative to Σ p·|v|, and of the sum.

use ndarray::{ArrayD, Zip};
use onnx_operators::frame::OpError;

use super::{Entry, entry};
use crate::precision::{Growth, gamma, growth, ordinary_sum, ulp};
use crate::query::{is_float, reals};
use crate::{Query, Radius, rough};

pub(super) const RULES: &[Entry] = &[entry("Attention", attention)];

/// The indices of V and past V among the inputs.
const VALUES: [usize; 2] = [2, 5];

fn attention(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    if !query.inputs_exact() {
        return Ok(vec![
            Radius::unknown("attention over inputs with errors");
            query.outputs.len()
        ]);
    }
    let Scores { error, largest, keys } = scores(query)?;
    let unit = query.unit(0);
    let weight = match of_scores(query).filter(|_| growth() != Growth::Worst) {
        Some(_) => WEIGHT * unit,
        None => (2.0 * error).exp_m1() + 11.0 * unit + 2.0 * unit * largest + gamma(keys, unit),
    };
    let weighed = query.evaluate(|index, tensor| {
        if VALUES.contains(&index) {
            rough::magnitudes(tensor)
        } else {
            rough::in_float(tensor)
        }
    })?;
    let weighed = rough::first(weighed, |weighed| weighed)?;
    let sum = |weighed: f64, result: f64| match growth() {
        Growth::Worst => gamma(keys + 1.0, unit) * (1.0 + weight) * weighed,
        Growth::Independent | Growth::IndependentNarrow => ordinary_sum(weighed, result, keys, unit),
    };
    let mut radius = radius_of(query, 0, |_| 0.0)?;
    let results = query.output(0).and_then(reals);
    let results = results.unwrap_or_else(|| ArrayD::zeros(radius.raw_dim()).into_shared());
    Zip::from(&mut radius)
        .and(&weighed)
        .and(&results)
        .for_each(|radius, weighed, result| *radius += weight * weighed.abs() + sum(weighed.abs(), *result));
    let mut radii = vec![Radius::within(radius, "attention"), Radius::Exact, Radius::Exact];
    if let Some(Some(_)) = query.outputs.get(3) {
        let mode = query.call.optional_int("qk_matmul_output_mode")?.unwrap_or(0);
        // Mode 3 returns the weights, the others the intermediate scores.
        let radius = radius_of(
            query,
            3,
            |score| if mode == 3 { score.abs() * weight } else { error },
        )?;
        radii.push(Radius::within(radius, "attention scores"));
    }
    radii.resize(query.outputs.len(), Radius::Exact);
    Ok(radii)
}

/// The error of a weight, in units of roundoff: exp, its argument, the quotient.
const WEIGHT: f64 = 4.0;

/// How far random rounding moves each element of Q in the place of the errors of the scores, relative to the
/// element: for d products √d·u, because the error of a sum of d products of random signs is u·Σ|q·k|, and
/// independent errors of d factors add up to 1/√d of that. `None` where Q is not a float.
pub fn of_scores(query: &Query<'_>) -> Option<f64> {
    let q = query.call.tensor(0).ok()?;
    let heads = ["q_num_heads", "num_heads"].into_iter().find_map(|name| {
        let heads = query.call.optional_int(name).ok()??;
        (q.shape().len() == 3).then_some(heads.max(1))
    });
    let size = q.shape().last().copied().unwrap_or(1) as f64 / heads.unwrap_or(1) as f64;
    is_float(q.dtype()).then(|| size.max(1.0).sqrt() * query.unit(0))
}

/// One ULP of output `index`, and a part that depends on its value.
fn radius_of(query: &Query<'_>, index: usize, part: impl Fn(f64) -> f64) -> Result<ArrayD<f64>, OpError> {
    let missing = || OpError::invalid(format!("output {index} is not a numeric tensor"));
    let output = query.output(index).ok_or_else(missing)?;
    let dtype = output.dtype();
    let values = reals(output).ok_or_else(missing)?;
    Ok(values.mapv(|value| {
        if value.is_finite() {
            ulp(dtype, value.abs()) + part(value)
        } else {
            0.0
        }
    }))
}

struct Scores {
    /// The maximum error of a score.
    error: f64,
    /// The maximum magnitude of a score.
    largest: f64,
    /// The number of keys per result.
    keys: f64,
}

fn scores(query: &Query<'_>) -> Result<Scores, OpError> {
    let unit = query.unit(0);
    let (q, k) = (query.call.tensor(0)?.shape(), query.call.tensor(1)?.shape());
    let heads =
        |attribute: &str| Ok::<_, OpError>(query.call.optional_int(attribute)?.unwrap_or(1).max(1) as usize);
    // With rank 3, the last axis holds all heads.
    let size = match q {
        [_, _, hidden] => hidden / heads("q_num_heads")?,
        shape => shape.last().copied().unwrap_or(1),
    }
    .max(1);
    let past = query
        .call
        .optional_tensor(4)?
        .map_or(0, |past| past.shape().get(2).copied().unwrap_or(0));
    let keys = (k.get(k.len().saturating_sub(2)).copied().unwrap_or(1) + past) as f64;
    let default = 1.0 / (size as f64).sqrt();
    let scale = query
        .call
        .optional_float("scale")?
        .map_or(default, f64::from)
        .abs();
    let longest = |index: usize| {
        let rows = query
            .input(index)
            .map(|values| values.iter().copied().collect::<Vec<f64>>());
        let norm = |row: &[f64]| row.iter().map(|x| x * x).sum::<f64>().sqrt();
        rows.map_or(0.0, |rows| rows.chunks(size).map(norm).fold(0.0, f64::max))
    };
    let cap = query
        .call
        .optional_float("softcap")
        .ok()
        .flatten()
        .map_or(0.0, f64::from)
        .abs();
    let mask = query.input(3).filter(|_| query.is_float(3));
    let mask = mask.map_or(0.0, |mask| {
        mask.iter()
            .filter(|m| m.is_finite())
            .fold(0.0, |most: f64, m| most.max(m.abs()))
    });
    let largest = scale * longest(0) * longest(1).max(longest(4)) + mask;
    // The products, the scale on one or both sides, the mask; tanh of the cap with its product and
    // quotient.
    let error = gamma(size as f64 + 5.0, unit) * largest + 16.0 * unit * cap;
    Ok(Scores { error, largest, keys })
}
