//! The bias that Attention adds to the scores: the mask, and −Inf where causality, windows or padding hide
//! a key from a query.

use std::ops::Range;

use ndarray::{Array4, ArrayD, Axis, IxDyn, Slice};
use onnx_tensor::Tensor;

use crate::frame::{Call, OpError, Reading};
use crate::shared::heads::Sums;
use crate::shared::reals::widen;

/// Whether a mask may have fewer columns than there are keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MaskWidth {
    /// It must not: the mask must broadcast.
    Whole,
    /// Missing columns are −Inf.
    Padded,
}

/// The bias.
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
    /// The number of keys.
    keys: usize,
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
            keys: shape.3,
        })
    }

    /// Adds the bias to scores.
    pub fn add_to(&self, scores: &mut Array4<f64>, sums: &mut Sums) {
        let keys = scores.dim().3;
        let rows = ndarray::indices((scores.dim().0, scores.dim().1, scores.dim().2));
        for (at, mut row) in rows.into_iter().zip(scores.lanes_mut(Axis(3))) {
            let seen = self.seen(at, keys);
            for (key, score) in row.iter_mut().enumerate() {
                let mask = self
                    .mask
                    .as_ref()
                    .map_or(0.0, |mask| mask[[at.0, at.1, at.2, key]]);
                let bias = if seen.contains(&key) {
                    mask
                } else {
                    mask + f64::NEG_INFINITY
                };
                *score = sums.of(*score, bias);
            }
        }
    }

    /// The keys that causality, windows and padding do not hide from a query.
    fn seen(&self, (image, _, query): Row, keys: usize) -> Range<usize> {
        let position = (query as i64).saturating_add(self.offsets[image]);
        let (left, right) = self.window;
        let start = left.map_or(0, |left| position.saturating_sub(left));
        let ends = [
            self.is_causal.then_some(position),
            right.map(|right| position.saturating_add(right)),
            self.valid.as_ref().map(|valid| valid[image].saturating_sub(1)),
        ];
        let last = ends.into_iter().flatten().fold(i64::MAX, i64::min);
        let within = |end: i64| usize::try_from(end).unwrap_or(0).min(keys);
        within(start)..within(last.saturating_add(1))
    }

    /// Whether the bias of every key is −Inf.
    pub fn is_masked(&self, at: Row) -> bool {
        match &self.mask {
            None => self.seen(at, self.keys).is_empty(),
            Some(mask) => {
                let seen = self.seen(at, self.keys);
                let row = mask.slice(ndarray::s![at.0, at.1, at.2, ..]);
                row.iter().enumerate().all(|(key, &mask)| {
                    let bias = if seen.contains(&key) {
                        mask
                    } else {
                        mask + f64::NEG_INFINITY
                    };
                    bias == f64::NEG_INFINITY
                })
            }
        }
    }

    /// Sets each row to zero whose bias is −Inf everywhere.
    pub fn clear_masked_rows(&self, probabilities: &mut Array4<f64>) {
        let (batch, heads, queries, _) = probabilities.dim();
        for at in ndarray::indices((batch, heads, queries)) {
            if self.is_masked(at) {
                let (image, head, query) = at;
                probabilities
                    .slice_mut(ndarray::s![image, head, query, ..])
                    .fill(0.0);
            }
        }
    }
}

/// The batch entry, the head and the query of a row of scores.
type Row = (usize, usize, usize);

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
