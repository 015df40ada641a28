//! Scattering: elements are moved, or reduced if several have the same index.

use onnx_model::{Attribute, AttributeValue};
use onnx_operators::frame::OpError;
use onnx_tensor::Tensor;

use super::exact::{decides, moves};
use super::linear::sum_of_products;
use super::pointwise::within_ulps;
use super::{Entry, entry};
use crate::query::reals;
use crate::{Query, Radius};

pub(super) const RULES: &[Entry] = &[
    entry("Scatter", moves),
    entry("ScatterElements", scattered),
    entry("ScatterND", scattered),
];

/// Any number of updates may have the same index, in any order.
fn scattered(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let updates = query.call.tensor(1)?.len().max(1);
    match query.call.optional_string("reduction").ok().flatten() {
        Some("add") => sum_of_products(query, updates),
        Some("mul") => within_ulps(query, updates as f64 + 1.0),
        Some("max" | "min") if !query.inputs_exact() => extremum(query),
        _ => moves(query),
    }
}

/// The greatest and the least of several elements are off by at most the greatest of their errors.
fn extremum(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    const INDICES: usize = 1;
    if query.unknown_input().is_some() || query.errors.get(INDICES).is_some_and(|radius| !radius.is_exact()) {
        return decides(query);
    }
    let greatest = |attribute: &Attribute| match attribute.name.as_str() {
        "reduction" => Attribute {
            name: attribute.name.clone(),
            value: AttributeValue::String(b"max".to_vec()),
        },
        _ => attribute.clone(),
    };
    let attributes: Vec<Attribute> = query.call.given_attributes().iter().map(greatest).collect();
    let radii = query.evaluate_with(&attributes, |index, _| {
        let error = query.error(index).filter(|_| index != INDICES)?;
        Some(Tensor::from(error))
    })?;
    let radius = radii.into_iter().next().flatten().as_ref().and_then(reals);
    Ok(vec![radius.map_or_else(
        || Radius::unknown("the output is not a numeric tensor"),
        |radius| Radius::within(radius, "the greatest error of an element"),
    )])
}
