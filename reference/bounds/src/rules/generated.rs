//! Values computed from a position: ranges and windows.

use ndarray::ArrayD;
use onnx_model::{Attribute, AttributeValue};
use onnx_operators::frame::OpError;
use onnx_tensor::DType;

use super::{Entry, entry};
use crate::query::reals;
use crate::{Query, Radius, precision};

pub(super) const RULES: &[Entry] = &[
    entry("BlackmanWindow", window),
    entry("HammingWindow", window),
    entry("HannWindow", window),
    entry("Range", range),
];

/// A sum of cosines of at most 1: 8u of each, the 2u of its argument of at most 2π (4π for the second), and
/// a few sums. The function bodies compute in float for every output type, and cast at the end: u is at
/// least that of float, and if the value is this close to an integer, an integer output may be one less.
fn window(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let Some(y) = query.output(0).and_then(reals) else {
        return super::exact::decides(query);
    };
    let off = 32.0 * query.unit(0).max(precision::unit(DType::Float).unwrap_or(0.0));
    let radius = match query.unit(0) {
        0.0 => {
            let exact = in_double(query)?;
            exact.mapv(|exact| f64::from(u8::from((exact - off).trunc() != (exact + off).trunc())))
        }
        _ => ArrayD::from_elem(y.raw_dim(), off),
    };
    Ok(vec![Radius::within(radius, "cosines of a computed argument")])
}

/// The window in double.
fn in_double(query: &Query<'_>) -> Result<ArrayD<f64>, OpError> {
    let double = Attribute {
        name: "output_datatype".to_owned(),
        value: AttributeValue::Int(DType::Double.to_onnx().into()),
    };
    let others = query
        .call
        .given_attributes()
        .iter()
        .filter(|given| given.name != double.name);
    let attributes: Vec<Attribute> = others.cloned().chain([double.clone()]).collect();
    let outputs = query.evaluate_with(&attributes, |_, _| None)?;
    let window = outputs
        .into_iter()
        .next()
        .flatten()
        .and_then(|window| reals(&window));
    let window = window.ok_or_else(|| OpError::invalid("a window is not a numeric tensor".to_owned()))?;
    Ok(window.into_owned())
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
    Ok(vec![Radius::within(radius, "delta added repeatedly")])
}
