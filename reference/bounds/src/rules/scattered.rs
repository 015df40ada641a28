//! Scattering: elements are moved, or reduced if several have the same index.

use onnx_operators::frame::OpError;

use super::exact::moves;
use super::linear::sum_of_products;
use super::pointwise::within_ulps;
use super::{Entry, entry};
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
        // The greatest and the least of several elements is one of them.
        _ => moves(query),
    }
}
