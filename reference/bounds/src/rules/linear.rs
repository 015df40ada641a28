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
    entry("AveragePool", average_pool),
    entry("Col2Im", |query| {
        let blocks = query.call.integers(2)?;
        sum_of_products(query, blocks.iter().product::<i64>().max(1) as usize)
    }),
    entry("Conv", conv),
    entry("ConvTranspose", conv_transpose),
    entry("CumSum", |query| {
        let longest = query.call.tensor(0)?.shape().iter().copied().max().unwrap_or(1);
        sum_of_products(query, longest)
    }),
    entry("Einsum", einsum),
    entry("Gemm", gemm),
    entry("GlobalAveragePool", reduction),
    entry("MatMul", mat_mul),
    // The sum, and the division.
    entry("Mean", |query| {
        sum_of_products(query, query.call.input_count() + 1)
    }),
    entry("ReduceL1", reduction),
    entry("ReduceMean", reduction),
    entry("ReduceSum", reduction),
    entry("Sum", |query| sum_of_products(query, query.call.input_count())),
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

/// ConvTranspose: the channels of a group times the taps of one filter, and the bias.
fn conv_transpose(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let filter = query.call.tensor(1)?.shape();
    let groups = usize::try_from(query.call.int("group")?).unwrap_or(1).max(1);
    let taps: usize = filter.iter().skip(2).product();
    let channels = filter.first().map_or(1, |channels| channels / groups);
    sum_of_products(query, channels.saturating_mul(taps).saturating_add(1))
}

/// AveragePool: the taps of the kernel, and the division.
fn average_pool(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let taps: i64 = query.call.ints("kernel_shape")?.iter().product();
    sum_of_products(query, usize::try_from(taps).unwrap_or(1).saturating_add(1))
}

/// Einsum: the extents of the labels that the output does not have, and a product more for each further operand.
fn einsum(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let equation: String = query.call.string("equation")?.split_whitespace().collect();
    let (terms, result) = equation.split_once("->").unwrap_or((&equation, ""));
    let mut extents = std::collections::BTreeMap::new();
    for (index, term) in terms.split(',').enumerate() {
        let shape = query.call.tensor(index)?.shape();
        // Labels before an ellipsis count from the left, those behind it from the right.
        let (left, right) = term.split_once("...").unwrap_or((term, ""));
        let from_right = shape.len().saturating_sub(right.len());
        let labels = left
            .chars()
            .zip(shape)
            .chain(right.chars().zip(shape.iter().skip(from_right)));
        extents.extend(labels.map(|(label, &extent)| (label, extent)));
    }
    let summed = extents.iter().filter(|(label, _)| !result.contains(**label));
    let count = summed.fold(1_usize, |count, (_, &extent)| count.saturating_mul(extent));
    sum_of_products(query, count.saturating_add(query.call.input_count()))
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

/// The magnitudes of the first output.
fn first(outputs: Vec<Option<ArrayD<f64>>>) -> Result<ArrayD<f64>, OpError> {
    let first = outputs.into_iter().next().flatten().map(|array| array.mapv_into(f64::abs));
    first.ok_or_else(|| OpError::invalid("the operator has no numeric output".to_owned()))
}
