//! Values that are computed from a position: ranges and windows.

use ndarray::ArrayD;
use onnx_operators::frame::OpError;

use super::{Entry, entry};
use crate::query::reals;
use crate::{Query, Radius};

pub(super) const RULES: &[Entry] = &[
    entry("BlackmanWindow", window),
    entry("HammingWindow", window),
    entry("HannWindow", window),
    entry("Range", range),
];

/// A sum of cosines of at most 1: 8u of each, the 2u of its argument of at most 2π (4π for the second), and a few sums.
fn window(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let Some(y) = query.output(0).and_then(reals) else {
        return super::exact::decides(query);
    };
    let radius = ArrayD::from_elem(y.raw_dim(), 32.0 * query.unit(0));
    Ok(vec![Radius::within(radius, "cosines of a computed argument")])
}

/// start + i·delta, or delta added i times: i roundings of numbers between the ends.
fn range(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let unit = query.unit(0);
    let (true, true, Some(start), Some(y)) = (
        query.inputs_exact(),
        unit > 0.0,
        query.input(0),
        query.output(0).and_then(reals),
    ) else {
        return super::exact::decides(query);
    };
    let start = start.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let mut radius = y.into_owned();
    for (index, y) in radius.iter_mut().enumerate() {
        *y = (index as f64 + 2.0) * unit * start.max(y.abs());
    }
    Ok(vec![Radius::within(radius, "delta added again and again")])
}
