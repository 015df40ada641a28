//! Shapes of signal processing, and of attention and convolutions with a state.

use onnx_tensor::Dim;

use super::{Context, Shape, mapped, whole};
use crate::ops::call::{axis, extent};
use crate::ops::{Direction, extent_of, one_sided};

impl Context<'_> {
    /// The axis has the extent of the spectrum, or of the signal; the last one has the parts.
    pub(super) fn dft(&self) -> Option<Shape> {
        let mut shape = self.shape(0)?.to_vec();
        let direction = Direction::of(&self.operator.attributes).ok()?;
        let last = shape.len().checked_sub(1)?;
        shape[last] = Dim::Fixed(direction.parts());
        let along = match (self.operator.schema.since, self.node.input(2)) {
            (..20, _) => self.int("axis"),
            (_, None) => Some(-2),
            (_, Some(_)) => self.ints(2).and_then(|axis| axis.first().copied()),
        };
        let Some(along) = along else {
            shape[..last].fill(Dim::Unknown);
            return Some(shape);
        };
        let at = axis(along, shape.len()).ok().filter(|&at| at < last)?;
        let length = match self.node.input(1) {
            None => whole(&shape[at]).and_then(|extent| direction.default_length(extent)),
            Some(_) => self.ints(1).and_then(|length| extent(*length.first()?).ok()),
        };
        let given = length.map(|length| extent_of(direction, length));
        shape[at] = given.map_or(Dim::Unknown, Dim::Fixed);
        Some(shape)
    }

    /// Batch, frames, values of a spectrum, and their two parts.
    pub(super) fn stft(&self) -> Option<Shape> {
        let signal = self.shape(0)?;
        let batch = signal.first()?.clone();
        let length = whole(signal.get(1)?);
        let given = |position: usize| self.ints(position).and_then(|list| extent(*list.first()?).ok());
        let frame = match (self.node.input(3), self.node.input(2)) {
            (Some(_), _) => given(3),
            (None, Some(_)) => self.shape(2).and_then(|window| whole(window.first()?)),
            (None, None) => length,
        };
        let frames = || {
            length?
                .checked_sub(frame?)?
                .checked_div(given(1)?)?
                .checked_add(1)
        };
        let bins = match self.operator.attributes.flag("onesided").ok()? {
            true => frame.map(one_sided),
            false => frame,
        };
        let dim = |extent: Option<usize>| extent.map_or(Dim::Unknown, Dim::Fixed);
        Some(vec![batch, dim(frames()), dim(bins), Dim::Fixed(2)])
    }

    /// The result has the shape of the input; the state has as many positions as the kernel without one.
    pub(super) fn causal(&self) -> Vec<Option<Shape>> {
        let state = || {
            let (x, kernel) = (self.shape(0)?, self.shape(1)?);
            let taps = mapped(kernel.get(2)?, |taps| taps.checked_sub(1));
            Some(vec![x.first()?.clone(), x.get(1)?.clone(), taps])
        };
        vec![self.shape(0).map(<[Dim]>::to_vec), state()]
    }

    /// The result has the heads of the query and the size of the values; the state is a matrix of keys and
    /// values for each key head.
    pub(super) fn linear_attention(&self) -> Option<Vec<Option<Shape>>> {
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
    pub(super) fn ngrams(&self) -> Option<Shape> {
        let mut shape = self.shape(0)?.to_vec();
        let last = self.operator.attributes.ints("ngram_indexes").ok()??.iter().max();
        let width = last.map_or(Some(0), |&last| extent(last).ok()?.checked_add(1))?;
        *shape.last_mut()? = Dim::Fixed(width);
        Some(shape)
    }
}
