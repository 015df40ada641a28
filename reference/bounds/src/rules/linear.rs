//! Sums of products: γₙ·Σ|a·b|, with the n of the operator.
//!
//! Σ|a·b| is the operator itself on the magnitudes of its operands. n counts the terms of one element, and one for each further
//! rounding (a bias, a scale). Higham §3.1 and §4.2: any order of summation, with or without FMA, is within.

use ndarray::ArrayD;
use onnx_operators::frame::OpError;

use super::{Entry, entry};
use crate::precision::gamma;
use crate::{Query, Radius};

pub(super) const RULES: &[Entry] = &[
    entry("MatMul", mat_mul),
    entry("Gemm", gemm),
    entry("Conv", conv),
    entry("ReduceSum", reduction),
    entry("ReduceMean", reduction),
    entry("ReduceL1", reduction),
    entry("GlobalAveragePool", reduction),
];

/// MatMul: n is the inner extent.
fn mat_mul(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let terms = query.call.tensor(0)?.shape().last().copied().unwrap_or(1);
    sum_of_products(query, terms)
}

/// Gemm: the inner extent, alpha, beta and C.
fn gemm(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let a = query.call.tensor(0)?.shape();
    let transposed = query.call.optional_int("transA")?.unwrap_or(0) != 0;
    let inner = if transposed { a.first() } else { a.last() };
    sum_of_products(query, inner.copied().unwrap_or(1).saturating_add(3))
}

/// Conv: the taps of one filter and the bias.
fn conv(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let taps: usize = query.call.tensor(1)?.shape().iter().skip(1).product();
    sum_of_products(query, taps.saturating_add(1))
}

/// A reduction: n is how many inputs meet in one output, and one rounding for a division.
fn reduction(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let inputs = query.call.tensor(0)?.len();
    let outputs = query.output(0).map_or(1, |output| output.len()).max(1);
    sum_of_products(query, (inputs / outputs).saturating_add(1))
}

/// γₙ of the sum of magnitudes, the rounding of the result, and what the errors of the operands add.
pub fn sum_of_products(query: &Query<'_>, terms: usize) -> Result<Vec<Radius>, OpError> {
    let unit = query.unit(0);
    if unit == 0.0 {
        // Integers wrap: every order gives the same.
        return super::exact::decides(query);
    }
    if let Some(unknown) = query.unknown_input() {
        return Ok(vec![unknown.clone(); query.outputs.len()]);
    }
    let magnitudes = first(query.again(|_, value| value.mapv_into(f64::abs))?)?;
    let growth = gamma(terms as f64 + 1.0, unit);
    let mut radius = &magnitudes * growth;
    if !query.inputs_exact() {
        let widened = query.again(|index, value| {
            let value = value.mapv_into(f64::abs);
            match query.error(index) {
                Some(error) => value + error,
                None => value,
            }
        })?;
        radius += &((first(widened)? - &magnitudes) * (1.0 + growth));
    }
    let mut radii = vec![Radius::within(
        radius,
        format!("gamma_n of the sum of magnitudes, n = {}", terms + 1),
    )];
    radii.resize(
        query.outputs.len(),
        Radius::unknown("only the first output is a sum of products"),
    );
    Ok(radii)
}

fn first(outputs: Vec<Option<ArrayD<f64>>>) -> Result<ArrayD<f64>, OpError> {
    let first = outputs.into_iter().next().flatten();
    first.ok_or_else(|| OpError::invalid("the operator has no numeric output".to_owned()))
}
