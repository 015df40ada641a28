//! The bias that Attention adds to the scores: the mask, and −Inf where causality, windows or padding hide
//! a key from a query.

use ndarray::{Array4, ArrayD, Axis, IxDyn, Slice};
use onnx_tensor::Tensor;

use crate::frame::{Call, OpError, Reading};
use crate::shared::reals::widen;

/// Whether a mask may have fewer columns than there are keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MaskWidth {
    /// It must not: the mask must broadcast.
    Whole,
    /// Missing columns are −Inf.
    Padded,
}

/// The bias, evaluated on demand.
#[derive(Debug)]
pub struct Bias {
    /// The mask as an additive bias, broadcast to the whole shape.
    mask: Option<Array4<f64>>,
    is_causal: bool,
    /// The extent of a query's window to the left and to the right; `None` is unbounded.
    window: (Option<i64>, Option<i64>),
    /// For each batch entry the number of keys before the first query.
    offsets: Vec<i64>,
    /// For each batch entry the number of keys that are not padding.
    valid: Option<Vec<i64>>,
}

impl Bias {
    /// Reads the bias of scores of shape batch × query heads × queries × keys.
    pub fn read(
        call: &Call<'_>,
        shape: (usize, usize, usize, usize),
        past: Option<usize>,
        width: MaskWidth,
    ) -> Result<Bias, OpError> {
        let (batch, _, queries, _) = shape;
        let valid = call.optional_integers(6)?;
        if let Some(valid) = &valid {
            if valid.len() != batch || call.tensor(6)?.rank() != 1 {
                return Err(OpError::invalid(format!(
                    "`nonpad_kv_seqlen` must have one entry for each of the {batch} batch entries"
                )));
            }
            if past.is_some() || call.wants(1) || call.wants(2) {
                return Err(OpError::invalid(
                    "`nonpad_kv_seqlen` cannot be used with past or present keys and values",
                ));
            }
        }
        let offsets = match (&valid, past) {
            (Some(valid), _) => valid
                .iter()
                .map(|count| count.saturating_sub(queries as i64))
                .collect(),
            (None, _) if call.takes(Reading::AttentionCausalFromPast) => vec![0; batch],
            (None, past) => vec![past.unwrap_or(0) as i64; batch],
        };
        let mask = call
            .optional_tensor(3)?
            .map(|mask| read_mask(call, mask, shape, width))
            .transpose()?;
        Ok(Bias {
            mask,
            is_causal: call.flag("is_causal")?,
            window: (
                reach(call, "left_window_size")?,
                reach(call, "right_window_size")?,
            ),
            offsets,
            valid,
        })
    }

    /// The bias of one score.
    pub fn at(&self, (image, head, query, key): (usize, usize, usize, usize)) -> f64 {
        let mask = self
            .mask
            .as_ref()
            .map_or(0.0, |mask| mask[[image, head, query, key]]);
        if self.hides(image, query as i64, key as i64) {
            mask + f64::NEG_INFINITY
        } else {
            mask
        }
    }

    fn hides(&self, image: usize, query: i64, key: i64) -> bool {
        let position = query.saturating_add(self.offsets[image]);
        let (left, right) = self.window;
        self.is_causal && key > position
            || left.is_some_and(|left| key < position.saturating_sub(left))
            || right.is_some_and(|right| key > position.saturating_add(right))
            || self.valid.as_ref().is_some_and(|valid| key >= valid[image])
    }

    /// Sets each row to zero whose bias is −Inf everywhere.
    pub fn clear_masked_rows(&self, probabilities: &mut Array4<f64>) {
        let (batch, heads, queries, keys) = probabilities.dim();
        for (image, head, query) in ndarray::indices((batch, heads, queries)) {
            if (0..keys).all(|key| self.at((image, head, query, key)) == f64::NEG_INFINITY) {
                probabilities
                    .slice_mut(ndarray::s![image, head, query, ..])
                    .fill(0.0);
            }
        }
    }
}

/// A window attribute. −1, or no such attribute in this version, is unbounded.
fn reach(call: &Call<'_>, name: &str) -> Result<Option<i64>, OpError> {
    match call.optional_int(name)? {
        None | Some(-1) => Ok(None),
        Some(size @ 0..) => Ok(Some(size)),
        Some(size) => Err(OpError::invalid(format!("`{name}` is {size}"))),
    }
}

fn read_mask(
    call: &Call<'_>,
    mask: &Tensor,
    shape: (usize, usize, usize, usize),
    width: MaskWidth,
) -> Result<Array4<f64>, OpError> {
    let values = match mask {
        Tensor::Bool(allowed) => allowed
            .mapv(|allowed| if allowed { 0.0 } else { f64::NEG_INFINITY })
            .into_owned(),
        mask if mask.dtype() == call.dtype(0)? => widen(mask)?,
        mask => {
            let (found, query) = (mask.dtype(), call.dtype(0)?);
            return Err(OpError::undefined(format!(
                "expected a bool or {query} mask, got {found}"
            )));
        }
    };
    let values = match width {
        MaskWidth::Whole => values,
        MaskWidth::Padded => padded(values, shape.3),
    };
    let whole = values.broadcast(shape).ok_or_else(|| {
        OpError::invalid(format!(
            "a mask of shape {:?} does not broadcast to {shape:?}",
            mask.shape()
        ))
    })?;
    Ok(whole.to_owned())
}

/// `mask` padded with −Inf in the missing columns.
fn padded(mask: ArrayD<f64>, columns: usize) -> ArrayD<f64> {
    let Some((&have, leading)) = mask.shape().split_last() else {
        return mask;
    };
    if have >= columns {
        return mask;
    }
    let shape = [leading, &[columns]].concat();
    let mut result = ArrayD::from_elem(IxDyn(&shape), f64::NEG_INFINITY);
    let last = Axis(leading.len());
    result.slice_axis_mut(last, Slice::from(0..have)).assign(&mask);
    result
}
