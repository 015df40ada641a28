//! Shapes of signal processing, and of attention and convolutions with a state.

use onnx_tensor::Dim;

use super::{Known, Shape, mapped, whole};
use crate::call::{axis, extent};
use crate::{Direction, extent_of, one_sided};

impl Known<'_> {
    /// The axis has the extent of the spectrum, or of the signal; the last one has the parts.
    pub fn dft(&self) -> Option<Shape> {
        let mut shape = self.shape(0)?.to_vec();
        let direction = Direction::of(self.attributes).ok()?;
        let last = shape.len().checked_sub(1)?;
        shape[last] = Dim::Fixed(direction.parts());
        let along = match (self.since, self.is_given(2)) {
            (..20, _) => self.int("axis"),
            (_, false) => Some(-2),
            (_, true) => self.ints(2).and_then(|axis| axis.first().copied()),
        };
        let Some(along) = along else {
            shape[..last].fill(Dim::Unknown);
            return Some(shape);
        };
        let at = axis(along, shape.len()).ok().filter(|&at| at < last)?;
        let length = if self.is_given(1) {
            self.ints(1).and_then(|length| extent(*length.first()?).ok())
        } else {
            whole(&shape[at]).and_then(|extent| direction.default_length(extent))
        };
        let given = length.map(|length| extent_of(direction, length));
        shape[at] = given.map_or(Dim::Unknown, Dim::Fixed);
        Some(shape)
    }

    /// BlackmanWindow, HammingWindow and HannWindow: as many elements as the input says.
    pub fn window(&self) -> Option<Shape> {
        let size = self.ints(0).and_then(|size| extent(*size.first()?).ok());
        Some(vec![size.map_or(Dim::Unknown, Dim::Fixed)])
    }

    /// Batch, frames, values of a spectrum, and their two parts.
    pub fn stft(&self) -> Option<Shape> {
        let signal = self.shape(0)?;
        let batch = signal.first()?.clone();
        let length = whole(signal.get(1)?);
        let given = |position: usize| self.ints(position).and_then(|list| extent(*list.first()?).ok());
        let frame = match (self.is_given(3), self.is_given(2)) {
            (true, _) => given(3),
            (false, true) => self.shape(2).and_then(|window| whole(window.first()?)),
            (false, false) => length,
        };
        let frames = || {
            length?
                .checked_sub(frame?)?
                .checked_div(given(1)?)?
                .checked_add(1)
        };
        let bins = if self.attributes.flag("onesided").ok()? {
            frame.map(one_sided)
        } else {
            frame
        };
        let dim = |extent: Option<usize>| extent.map_or(Dim::Unknown, Dim::Fixed);
        Some(vec![batch, dim(frames()), dim(bins), Dim::Fixed(2)])
    }

    /// The result has the shape of the input; the state has as many positions as the kernel without one.
    pub fn causal(&self) -> Option<Vec<Option<Shape>>> {
        let state = || {
            let (x, kernel) = (self.shape(0)?, self.shape(1)?);
            let taps = mapped(kernel.get(2)?, |taps| taps.checked_sub(1));
            Some(vec![x.first()?.clone(), x.get(1)?.clone(), taps])
        };
        Some(vec![self.shape_like(0), state()])
    }

    /// The result has the heads of the query and the size of the values; the state is a matrix of keys and
    /// values for each key head.
    pub fn linear_attention(&self) -> Option<Vec<Option<Shape>>> {
        let heads = |name: &str| extent(self.int(name)?).ok().filter(|heads| *heads > 0);
        let (query_heads, heads) = (heads("q_num_heads")?, heads("kv_num_heads")?);
        let [query, key, value] = [self.shape(0)?, self.shape(1)?, self.shape(2)?];
        let head = |of: &[Dim]| Some(mapped(of.get(2)?, |hidden| Some(hidden / heads)));
        let (keys, values) = (head(key)?, head(value)?);
        let (batch, tokens) = (query.first()?.clone(), query.get(1)?.clone());
        let hidden = mapped(&values, |values| values.checked_mul(query_heads));
        Some(vec![
            Some(vec![batch.clone(), tokens, hidden]),
            Some(vec![batch, Dim::Fixed(heads), keys, values]),
        ])
    }

    /// The counts have as many columns as the greatest coordinate says.
    pub fn ngrams(&self) -> Option<Shape> {
        let mut shape = self.shape(0)?.to_vec();
        let last = self.attributes.ints("ngram_indexes").ok()??.iter().max();
        let width = last.map_or(Some(0), |&last| extent(last).ok()?.checked_add(1))?;
        *shape.last_mut()? = Dim::Fixed(width);
        Some(shape)
    }
}
