//! FlexAttention: softmax(score_mod(Q·Kᵀ·scale)), then prob_mod, times V, step by step with numbers that
//! have error bounds.
//!
//! The graphs that modify scores and probabilities run on their original values and on the propagated
//! errors.

use std::sync::Arc;

use ndarray::ArrayD;
use onnx_model::Graph;
use onnx_operators::frame::OpError;
use onnx_tensor::{Tensor, Value};

use super::Entry;
use super::softmax::softmax_of_row;
use crate::number::{self, Number};
use crate::precision::ulp;
use crate::query::reals;
use crate::{Query, Radius};

pub(super) const RULES: &[Entry] = &[Entry {
    domain: "ai.onnx.preview",
    name: "FlexAttention",
    rule: flex_attention,
}];

fn flex_attention(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let (Some(q), Some(k), Some(v)) = (
        number::elements(query, 0),
        number::elements(query, 1),
        number::elements(query, 2),
    ) else {
        return super::exact::decides(query);
    };
    let heads = Heads::read(query)?;
    let mut ran = query.bodies.ran().into_iter();
    let mut modified = |name: &str, numbers: Vec<Number>| match query.call.optional_graph(name)? {
        Some(graph) => changed(query, graph, ran.next().unwrap_or_default(), &numbers),
        None => Ok(Some(numbers)),
    };
    let unknown = || {
        Ok(vec![Radius::unknown(
            "the radius of the result of a graph of the node is unknown",
        )])
    };
    let Some(mut weights) = modified("score_mod", heads.scores(&q, &k))? else {
        return unknown();
    };
    weights.chunks_mut(heads.keys.max(1)).for_each(softmax_of_row);
    let Some(weights) = modified("prob_mod", weights)? else {
        return unknown();
    };
    let y = heads.weighted(&weights, &v);
    Ok(vec![number::radius(query, 0, y, "attention")])
}

/// The extents of queries, keys and values: batch × heads × sequence × size.
struct Heads {
    /// Rows of scores.
    rows: usize,
    heads: usize,
    length: usize,
    size: usize,
    shared: usize,
    keys: usize,
    width: usize,
    scale: Number,
}

impl Heads {
    fn read(query: &Query<'_>) -> Result<Heads, OpError> {
        let shape = |index: usize| Ok::<_, OpError>(query.call.tensor(index)?.shape());
        let (&[batch, heads, length, size], &[_, shared, keys, _], &[.., width]) =
            (shape(0)?, shape(1)?, shape(2)?)
        else {
            return Err(OpError::invalid("query, key and value must have rank 4"));
        };
        let unit = query.unit(0);
        Ok(Heads {
            rows: batch * heads * length,
            heads,
            length,
            size,
            shared,
            keys,
            width,
            scale: match query.call.optional_float("scale")? {
                Some(scale) => Number::off(f64::from(scale), 0.0, unit),
                None => Number::exact(1.0) / Number::off(size as f64, 0.0, unit).sqrt(),
            },
        })
    }

    /// The head of keys and values that a row of scores reads: consecutive query heads share one.
    fn shared_head(&self, row: usize) -> usize {
        let (image, head) = (row / self.length / self.heads, row / self.length % self.heads);
        image * self.shared + head / (self.heads / self.shared.max(1)).max(1)
    }

    /// Q·Kᵀ·scale, row by row.
    fn scores(&self, q: &[Number], k: &[Number]) -> Vec<Number> {
        let score = |(row, key): (usize, usize)| {
            let q = q.iter().skip(row * self.size).take(self.size);
            let k = k
                .iter()
                .skip((self.shared_head(row) * self.keys + key) * self.size);
            Number::dot(q.copied().zip(k.copied())) * self.scale
        };
        let places = (0..self.rows).flat_map(|row| (0..self.keys).map(move |key| (row, key)));
        places.map(score).collect()
    }

    /// P·V, row by row.
    fn weighted(&self, weights: &[Number], v: &[Number]) -> Vec<Number> {
        let element = |(row, column): (usize, usize)| {
            let weights = weights.iter().skip(row * self.keys).take(self.keys);
            let from = self.shared_head(row) * self.keys * self.width + column;
            let values = v.iter().skip(from).step_by(self.width.max(1));
            Number::dot(weights.copied().zip(values.copied()))
        };
        let places = (0..self.rows).flat_map(|row| (0..self.width).map(move |column| (row, column)));
        places.map(element).collect()
    }
}

/// The result of the body for numbers that it got as `inputs`; `None` if its radius is unknown.
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
