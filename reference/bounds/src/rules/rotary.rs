//! RotaryEmbedding: c·a − s·b and s·a + c·b of pairs: two products and a sum, γ₃ of the sum of magnitudes.
//!
//! That sum is the operator applied to the magnitudes of X and of the cosines, with the sines once positive
//! and once negative: each provides one element of a pair. The operator only multiplies and adds, so
//! applied to X + dX, c + dc, s + ds (all magnitudes) it also provides the propagated errors of its inputs.

use ndarray::Zip;
use onnx_operators::frame::OpError;
use onnx_tensor::Array;

use super::{Entry, entry};
use crate::precision::{gamma, ulp};
use crate::{Query, Radius};

pub(super) const RULES: &[Entry] = &[entry("RotaryEmbedding", |query| rotary(query, 2))];

/// `sines` is the index of the sines.
pub(super) fn rotary(query: &Query<'_>, sines: usize) -> Result<Vec<Radius>, OpError> {
    if let Some(unknown) = query.unknown_input() {
        return Ok(vec![unknown.clone(); query.outputs.len()]);
    }
    let magnitudes = rotated(query, sines, |index, value| {
        let error = query
            .errors
            .get(index)
            .and_then(|radius| radius.array(value.shape()));
        let value = value.mapv_into(f64::abs);
        error.map_or(value.clone(), |error| value + error)
    })?;
    let own = rotated(query, sines, |_, value| value.mapv_into(f64::abs))?;
    let missing = || OpError::invalid("the output is not a float tensor");
    let output = query.output(0).ok_or_else(missing)?;
    let (dtype, y) = (output.dtype(), crate::query::reals(output).ok_or_else(missing)?);
    let growth = gamma(3.0, query.unit(0));
    let radius = Zip::from(&magnitudes)
        .and(&own)
        .and(&y)
        .map_collect(|most, own, y| (most - own) + growth * most + ulp(dtype, y.abs()));
    Ok(vec![Radius::within(radius, "rotation of pairs")])
}

/// The operator on modified inputs; the greater result of both signs of the sines.
fn rotated(
    query: &Query<'_>,
    sines: usize,
    change: impl Fn(usize, Array<f64>) -> Array<f64>,
) -> Result<Array<f64>, OpError> {
    let with = |sign: f64| {
        let outputs = query.again(|index, value| {
            let value = change(index, value);
            if index == sines {
                value.mapv_into(|x| x * sign)
            } else {
                value
            }
        })?;
        let first = outputs.into_iter().next().flatten();
        first.ok_or_else(|| OpError::invalid("the output is not a float tensor"))
    };
    let (mut most, other) = (with(1.0)?, with(-1.0)?);
    most.zip_mut_with(&other, |a, b| *a = a.abs().max(b.abs()));
    Ok(most)
}
