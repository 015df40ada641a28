//! The core of the attention operators: softmax(scale · Q · Kᵀ + bias) · V for each head, with past keys and
//! values.
//!
//! In f64 (products of f64 inputs in double-double). Arrays have the shape batch × heads × sequence × size.

use ndarray::{Array1, Array2, Array4, ArrayView1, Axis, Ix5, concatenate};
use onnx_tensor::{DType, Tensor, Value};

use crate::frame::{Call, OpError};
use crate::shared::heads;
use crate::shared::reals::{narrow, widen};

/// Queries, keys and values.
#[derive(Debug)]
pub struct Heads {
    pub query: Array4<f64>,
    /// The keys, past ones first.
    pub key: Array4<f64>,
    /// The values, past ones first.
    pub value: Array4<f64>,
    /// The number of past keys.
    pub past: usize,
    /// The type of the operands.
    pub dtype: DType,
}

impl Heads {
    /// scale · Q · Kᵀ. A scale that is absent or 0 is 1 / √size.
    pub fn scores(&self, call: &Call<'_>) -> Result<Array4<f64>, OpError> {
        heads::check(&self.query, &self.key, &self.value)?;
        let scale = match call.optional_float("scale")? {
            None | Some(0.0) => (self.query.dim().3 as f64).sqrt().recip(),
            Some(scale) => f64::from(scale),
        };
        heads::scores(call, &self.query, &self.key, scale, self.dtype)
    }

    /// Softmax of each row of the scores, times the values, as batch × sequence × (heads · size).
    pub fn output(&self, call: &Call<'_>, mut scores: Array4<f64>) -> Result<Value, OpError> {
        heads::softmax(&mut scores);
        let output = heads::weighted(call, &scores, &self.value, self.dtype)?;
        Ok(narrow(heads::pack(output)?, self.dtype)?.into())
    }

    /// Appends keys and values behind past ones.
    pub fn behind(&mut self, key: &Array4<f64>, value: &Array4<f64>) -> Result<(), OpError> {
        self.past = key.dim().2;
        let joined = |past: &Array4<f64>, new: &Array4<f64>| {
            concatenate(Axis(2), &[past.view(), new.view()]).map_err(|_| {
                OpError::invalid(format!(
                    "past of shape {:?} and new keys or values of shape {:?} do not agree",
                    past.shape(),
                    new.shape()
                ))
            })
        };
        (self.key, self.value) = (joined(key, &self.key)?, joined(value, &self.value)?);
        Ok(())
    }
}

/// A mask hides keys from queries, or makes them less likely.
pub fn causal(scores: &mut Array4<f64>, past: usize) {
    for ((_, _, query, key), score) in scores.indexed_iter_mut() {
        if key > past + query {
            *score = f64::NEG_INFINITY;
        }
    }
}

/// Adds `attention_bias`, input `index`, to the scores.
pub fn add_bias(call: &Call<'_>, index: usize, scores: &mut Array4<f64>) -> Result<(), OpError> {
    let Some(bias) = call.optional_tensor(index)? else {
        return Ok(());
    };
    let values = heads::of_rank_4(bias, "attention_bias")?;
    let fits = values.dim().2 == scores.dim().2 && values.dim().3 == scores.dim().3;
    let stretched = values.broadcast(scores.dim()).filter(|_| fits).ok_or_else(|| {
        OpError::invalid(format!(
            "`attention_bias` of shape {:?} does not fit scores of shape {:?}",
            bias.shape(),
            scores.shape()
        ))
    })?;
    heads::Sums::new(call, call.dtype(0)?).add(scores, stretched);
    Ok(())
}

/// Adds `mask_filter_value` to the scores of the keys that the mask, input `index`, excludes. Without the
/// attribute it is −10000, as its text says.
pub fn add_mask(call: &Call<'_>, index: usize, scores: &mut Array4<f64>) -> Result<(), OpError> {
    let Some(mask) = call.optional_integers(index)? else {
        return Ok(());
    };
    let filter = f64::from(call.optional_float("mask_filter_value")?.unwrap_or(-10000.0));
    let (batch, _, queries, keys) = scores.dim();
    let shape = call.tensor(index)?.shape();
    let excluded: Box<dyn Fn(usize, usize, usize) -> bool> = match *shape {
        [count] if count == batch || count == 3 * batch + 2 => {
            Box::new(|image, _, key| key as i64 >= mask[image])
        }
        [count] if count == 2 * batch => {
            Box::new(|image, _, key| key as i64 >= mask[image] || (key as i64) < mask[batch + image])
        }
        [rows, columns] if (rows, columns) == (batch, keys) => {
            Box::new(|image, _, key| mask[image * keys + key] <= 0)
        }
        [rows, middle, columns] if (rows, middle, columns) == (batch, queries, keys) => {
            Box::new(|image, query, key| mask[(image * queries + query) * keys + key] <= 0)
        }
        [rows, 1, height, width] if rows == batch && height == width && height >= keys && keys >= queries => {
            let past = keys - queries;
            Box::new(move |image, query, key| mask[(image * height + past + query) * height + key] <= 0)
        }
        _ => {
            return Err(OpError::invalid(format!(
                "a mask of shape {shape:?} does not fit {batch} entries of {queries} queries and {keys} keys"
            )));
        }
    };
    let mut sums = heads::Sums::new(call, call.dtype(0)?);
    for ((image, _, query, key), score) in scores.indexed_iter_mut() {
        if excluded(image, query, key) {
            *score = sums.of(*score, filter);
        }
    }
    Ok(())
}

/// `tensor` of batch × sequence × (heads · size) plus a part of the projection bias, by heads.
pub fn projected(
    call: &Call<'_>,
    tensor: &Tensor,
    count: usize,
    bias: Option<ArrayView1<'_, f64>>,
    name: &str,
) -> Result<Array4<f64>, OpError> {
    let mut array = heads::unpack(call, tensor, count, name)?;
    if let Some(bias) = bias {
        add_to_heads(&mut array, bias, name)?;
    }
    Ok(array)
}

/// Adds one element for each head and position in the head.
pub fn add_to_heads(array: &mut Array4<f64>, bias: ArrayView1<'_, f64>, name: &str) -> Result<(), OpError> {
    let (_, count, _, size) = array.dim();
    let found = bias.len();
    let bias = bias.into_shape_with_order((1, count, 1, size)).map_err(|_| {
        OpError::invalid(format!(
            "a bias of {found} elements does not fit {count} heads of size {size} of `{name}`"
        ))
    })?;
    *array += &bias;
    Ok(())
}

/// Keys and values of shape 2 × batch × heads × sequence × size.
pub fn past_pair(past: &Tensor) -> Result<(Array4<f64>, Array4<f64>), OpError> {
    let misfit = || {
        OpError::invalid(format!(
            "`past` of shape {:?} must be 2 × B × N × P × H",
            past.shape()
        ))
    };
    let both = widen(past)?.into_dimensionality::<Ix5>().map_err(|_| misfit())?;
    if both.dim().0 != 2 {
        return Err(misfit());
    }
    Ok((
        both.index_axis(Axis(0), 0).to_owned(),
        both.index_axis(Axis(0), 1).to_owned(),
    ))
}

/// The inverse of [`past_pair`].
pub fn present_pair(heads: &Heads) -> Result<Value, OpError> {
    if heads.key.dim() != heads.value.dim() {
        return Err(OpError::undefined(
            "`present` with keys and values of different sizes",
        ));
    }
    let both = ndarray::stack(Axis(0), &[heads.key.view(), heads.value.view()])?;
    Ok(narrow(both.into_dyn(), heads.dtype)?.into())
}

/// The projection bias, if there is one.
pub fn bias_of(call: &Call<'_>, index: usize) -> Result<Option<Array1<f64>>, OpError> {
    let bias = call.optional_tensor(index)?.map(widen).transpose()?;
    bias.map(|bias| Ok(bias.into_dimensionality()?)).transpose()
}

/// Adds the projection bias at input `index`, if there is one, to each row.
pub fn add_projection_bias(
    call: &Call<'_>,
    index: usize,
    projected: &mut Array2<f64>,
) -> Result<(), OpError> {
    let Some(bias) = bias_of(call, index)? else {
        return Ok(());
    };
    *projected += &bias.broadcast(projected.dim()).ok_or_else(|| {
        OpError::invalid(format!(
            "a bias of {} elements for projections of width {}",
            bias.len(),
            projected.ncols()
        ))
    })?;
    Ok(())
}
