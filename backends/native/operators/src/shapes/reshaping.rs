//! Shapes of operators that keep or repeat elements: Reshape, Flatten, Expand, Tile.

use onnx_tensor::Dim;

use super::{Known, Shape, broadcast_of, fixed, mapped, whole};
use crate::call::{axes, extent};
use crate::listed_axes;

impl Known<'_> {
    /// The extents that an input lists. If only their number is known, the rank is known.
    pub fn listed(&self, position: usize) -> Option<Shape> {
        if let Some(values) = self.ints(position) {
            return Some(fixed(&crate::call::extents(&values).ok()?));
        }
        match self.shape(position)? {
            [Dim::Fixed(rank)] if *rank <= MAX_RANK => Some(vec![Dim::Unknown; *rank]),
            _ => None,
        }
    }

    pub fn reshape(&self) -> Option<Shape> {
        let Some(wanted) = self.ints_or_attribute(1, "shape") else {
            return self.listed(1);
        };
        let allow = self.int("allowzero").unwrap_or(0) != 0;
        let from = self.shape(0)?;
        if let Some(from) = from.iter().map(whole).collect::<Option<Vec<_>>>() {
            return Some(fixed(&crate::reshaped(&from, &wanted, allow).ok()?));
        }
        let dim = |(at, &value): (usize, &i64)| match value {
            -1 => Some(Dim::Unknown),
            0 if !allow => from.get(at).cloned(),
            value => extent(value).ok().map(Dim::Fixed),
        };
        wanted.iter().enumerate().map(dim).collect()
    }

    pub fn squeeze(&self) -> Option<Shape> {
        let shape = self.shape(0)?;
        let Some(listed) = self.ints_or_attribute(1, "axes") else {
            // Without axes, all of extent 1 are removed.
            let shape = self.fixed(0).filter(|_| !self.is_given(1))?;
            return Some(fixed(
                &shape
                    .into_iter()
                    .filter(|&extent| extent != 1)
                    .collect::<Vec<_>>(),
            ));
        };
        let listed = axes(&listed, shape.len()).ok()?;
        let kept = shape.iter().enumerate().filter(|(at, _)| !listed.contains(at));
        Some(kept.map(|(_, dim)| dim.clone()).collect())
    }

    pub fn unsqueeze(&self) -> Option<Shape> {
        let mut shape = self.shape_like(0)?;
        let listed = self.ints_or_attribute(1, "axes")?;
        for at in axes(&listed, shape.len() + listed.len()).ok()? {
            if at > shape.len() {
                return None;
            }
            shape.insert(at, Dim::Fixed(1));
        }
        Some(shape)
    }

    /// Shape: one element for each listed axis.
    pub fn shape_of_shape(&self) -> Option<Shape> {
        let axes = listed_axes(self.attributes, self.shape(0)?.len());
        Some(vec![Dim::Fixed(axes.len())])
    }

    pub fn flatten(&self) -> Option<Shape> {
        let shape = self.shape(0)?;
        let at = self.int("axis")?;
        let at = if at < 0 {
            at.checked_add_unsigned(shape.len() as u64)?
        } else {
            at
        };
        let (before, after) = shape.split_at_checked(usize::try_from(at).ok()?)?;
        let product = |dims: &[Dim]| {
            let fixed = dims.iter().map(whole).collect::<Option<Vec<_>>>()?;
            fixed.into_iter().try_fold(1, usize::checked_mul)
        };
        Some(
            [before, after]
                .map(|dims| product(dims).map_or(Dim::Unknown, Dim::Fixed))
                .to_vec(),
        )
    }

    pub fn expand(&self) -> Option<Shape> {
        broadcast_of(&[self.shape(0)?, &self.listed(1)?])
    }

    /// Before since 6 the inputs are a number of tiles and an axis.
    pub fn tile(&self) -> Option<Shape> {
        let shape = self.shape(0)?;
        if self.since < 6 {
            return Some(vec![Dim::Unknown; shape.len()]);
        }
        let Some(repeats) = self.ints(1) else {
            return Some(vec![Dim::Unknown; shape.len()]);
        };
        let repeated = |(dim, &times): (&Dim, &i64)| match times {
            1 => dim.clone(),
            times => mapped(dim, |length| length.checked_mul(extent(times).ok()?)),
        };
        (repeats.len() == shape.len()).then(|| shape.iter().zip(&repeats).map(repeated).collect())
    }
}

/// A longer list of extents is not a shape that a model has.
const MAX_RANK: usize = 64;
