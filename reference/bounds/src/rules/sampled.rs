//! Sampling at computed coordinates: interpolation whose weights depend on a rounded coordinate.
//!
//! A coordinate of an axis of extent L is computed with a few roundings of numbers up to L: an absolute
//! error of 4u·L. The slope of the interpolant is at most twice the greatest magnitude (linear), or four
//! times (cubic). So each axis adds 8u·L·max|x| (16 for cubic), and the weighted sum of 2 or 4 neighbours a
//! γ. For the nearest neighbour, a coordinate within its rounding error of a tie may round either way, and
//! there is no bound: the rule says exact, and a difference is a finding.

use ndarray::ArrayD;
use onnx_operators::frame::OpError;
use onnx_tensor::Tensor;

use super::{Entry, entry};
use crate::precision::gamma;
use crate::query::reals;
use crate::{Query, Radius};

pub(super) const RULES: &[Entry] = &[
    entry("GridSample", |query| interpolated(query, &["nearest"])),
    entry("Resize", |query| interpolated(query, &["nearest"])),
    entry("Upsample", |query| interpolated(query, &["nearest"])),
];

/// Elements are copied together with their errors: the operator runs on the radii of its first input;
/// scales and grids are unchanged.
fn copied(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    if query.inputs_exact()
        || query.unknown_input().is_some()
        || !query.errors.iter().skip(1).all(Radius::is_exact)
    {
        return super::exact::decides(query);
    }
    let moved = query.evaluate(|index, _| {
        let error = query.error(index).filter(|_| index == 0)?;
        Some(Tensor::from(error))
    })?;
    let radius = moved.into_iter().next().flatten().and_then(|moved| reals(&moved));
    let radius = radius.map(|radius| Radius::within(radius.into_owned(), "moved from the inputs"));
    Ok(vec![radius.unwrap_or_else(|| {
        Radius::unknown("the output is not a numeric tensor")
    })])
}

fn interpolated(query: &Query<'_>, exact_modes: &[&str]) -> Result<Vec<Radius>, OpError> {
    let mode = query.call.optional_string("mode")?.unwrap_or("nearest");
    if exact_modes.contains(&mode) {
        return copied(query);
    }
    if let Some(unknown) = query.unknown_input() {
        return Ok(vec![unknown.clone(); query.outputs.len()]);
    }
    let (Some(x), Some(y)) = (query.input(0), query.output(0).and_then(reals)) else {
        return super::exact::decides(query);
    };
    if query.unit(0) == 0.0 {
        // Integers are interpolated as reals and converted back: some backends round, others truncate.
        return Ok(vec![
            Radius::unknown("interpolated integers");
            query.outputs.len()
        ]);
    }
    let error = query.errors.first().and_then(|radius| radius.array(x.shape()));
    let carried = error.map_or(0.0, |error| error.iter().copied().fold(0.0, f64::max));
    let (unit, greatest) = (
        query.unit(0),
        x.iter().fold(0.0, |most: f64, x| most.max(x.abs())),
    );
    let steep = if mode.contains("cubic") { 4.0 } else { 2.0 };
    let axes: Vec<f64> = x
        .shape()
        .iter()
        .zip(y.shape())
        .map(|(&a, &b)| a.max(b) as f64)
        .collect();
    let coordinates: f64 = axes
        .iter()
        .skip(2.min(axes.len().saturating_sub(1)))
        .map(|extent| 4.0 * unit * extent * steep)
        .sum();
    let weights = gamma(steep * 2.0 * axes.len() as f64 + 4.0, unit) * steep;
    let amount = greatest * (coordinates + weights) + carried * steep;
    Ok(vec![Radius::within(
        ArrayD::from_elem(y.raw_dim(), amount),
        "coordinates and weights of an interpolation",
    )])
}
