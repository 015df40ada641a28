//! Maximum and minimum of several elements: no rounding, and an error of at most the greatest error of an
//! element.

use onnx_operators::frame::OpError;

use super::exact::decides;
use super::{Entry, entry};
use crate::{Query, Radius};

pub(super) const RULES: &[Entry] = &[
    entry("GlobalMaxPool", greatest),
    entry("MaxPool", greatest),
    entry("MaxRoiPool", decides),
    entry("ReduceMax", greatest),
    entry("ReduceMin", least),
];

fn greatest(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    extremum(query, 1.0)
}

fn least(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    extremum(query, -1.0)
}

/// The operator applied to the radii (negated for a minimum) returns the greatest of them.
fn extremum(query: &Query<'_>, sign: f64) -> Result<Vec<Radius>, OpError> {
    if query.inputs_exact() || query.unknown_input().is_some() {
        return decides(query);
    }
    let spread = query.again(|index, value| query.error(index).map_or(value, |error| error * sign))?;
    let mut radii: Vec<Radius> =
        vec![Radius::unknown("the selected element may change"); query.outputs.len()];
    if let (Some(first), Some(Some(spread))) = (radii.first_mut(), spread.into_iter().next()) {
        *first = Radius::within(spread, "the greatest error of an element");
    }
    Ok(radii)
}
