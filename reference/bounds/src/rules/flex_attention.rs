//! FlexAttention: softmax(score_mod(Q·Kᵀ·scale)), then prob_mod, times V, step by step with numbers that carry their errors.
//!
//! The graphs that change scores and probabilities are run on the values that they had and the errors that reach them.

use std::sync::Arc;

use ndarray::ArrayD;
use onnx_model::Graph;
use onnx_operators::frame::OpError;
use onnx_tensor::{Tensor, Value};

use super::softmax::softmax_of_row;
use super::{Entry, Rule};
use crate::number::{self, Number};
use crate::precision::ulp;
use crate::query::reals;
use crate::{Query, Radius};

const RULE: Rule = flex_attention;

pub(super) const RULES: &[Entry] = &[Entry {
    domain: "ai.onnx.preview",
    name: "FlexAttention",
    rule: RULE,
}];

fn flex_attention(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let (Some(q), Some(k), Some(v)) = (
        number::elements(query, 0),
        number::elements(query, 1),
        number::elements(query, 2),
    ) else {
        return super::exact::decides(query);
    };
    let shape = |index: usize| Ok::<_, OpError>(query.call.tensor(index)?.shape());
    let (&[batch, heads, length, size], &[_, shared, keys, _], &[.., width]) =
        (shape(0)?, shape(1)?, shape(2)?)
    else {
        return Err(OpError::invalid("query, key and value must have four axes"));
    };
    let unit = query.unit(0);
    let scale = match query.call.optional_float("scale")? {
        Some(scale) => Number::off(f64::from(scale), 0.0, unit),
        None => Number::exact(1.0) / Number::off(size as f64, 0.0, unit).sqrt(),
    };
    let group = (heads / shared.max(1)).max(1);
    // The head of keys and values that row `row` of the scores reads.
    let shared_head = |row: usize| {
        let (image, head) = (row / length / heads, row / length % heads);
        image * shared + head / group
    };
    let rows = batch * heads * length;
    let mut scores = Vec::with_capacity(rows * keys);
    for row in 0..rows {
        let q = q.iter().skip(row * size).take(size);
        for key in 0..keys {
            let k = k.iter().skip((shared_head(row) * keys + key) * size).take(size);
            scores.push(Number::dot(q.clone().copied().zip(k.copied())) * scale);
        }
    }
    let mut ran = query.bodies.ran().into_iter();
    let mut modified = |name: &str, numbers: Vec<Number>| match query.call.optional_graph(name)? {
        Some(graph) => changed(query, graph, ran.next().unwrap_or_default(), &numbers),
        None => Ok(Some(numbers)),
    };
    let unknown = || {
        Ok(vec![Radius::unknown(
            "nothing is known of what a graph of the node gives",
        )])
    };
    let Some(mut scores) = modified("score_mod", scores)? else {
        return unknown();
    };
    scores.chunks_mut(keys.max(1)).for_each(softmax_of_row);
    let Some(weights) = modified("prob_mod", scores)? else {
        return unknown();
    };
    let mut y = Vec::with_capacity(rows * width);
    for row in 0..rows {
        let weights = weights.iter().skip(row * keys).take(keys);
        for column in 0..width {
            let from = shared_head(row) * keys * width + column;
            let values = v.iter().skip(from).step_by(width).take(keys);
            y.push(Number::dot(weights.clone().copied().zip(values.copied())));
        }
    }
    Ok(vec![number::radius(query, 0, y, "attention")])
}

/// What the body makes of numbers that it got as `inputs`; `None` where nothing is known of it.
fn changed(
    query: &Query<'_>,
    body: &Arc<Graph>,
    inputs: Vec<Option<Value>>,
    numbers: &[Number],
) -> Result<Option<Vec<Number>>, OpError> {
    let Some(Some(Value::Tensor(given))) = inputs.first() else {
        return Ok(None);
    };
    let dtype = given.dtype();
    let error = |number: &Number| {
        if number.value.is_finite() {
            number.error + ulp(dtype, number.value.abs())
        } else {
            number.error
        }
    };
    let errors = ArrayD::from_shape_vec(given.shape(), numbers.iter().map(error).collect())?;
    let radii = vec![Radius::within(errors, "attention")];
    let (outputs, radii) = query.bodies.run(body, inputs.clone(), radii)?;
    let output: Option<&Tensor> = outputs.first().and_then(|output| output.as_ref()?.as_tensor());
    let (Some(output), Some(radius)) = (output, radii.first()) else {
        return Ok(None);
    };
    let (Some(values), Some(errors)) = (reals(output), radius.array(output.shape())) else {
        return Ok(None);
    };
    let unit = query.unit(0);
    let pairs = values.iter().zip(&errors);
    Ok(Some(
        pairs
            .map(|(&value, &error)| Number::off(value, error, unit))
            .collect(),
    ))
}
