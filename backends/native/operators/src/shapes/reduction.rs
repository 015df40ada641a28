//! Shapes of reductions.

use onnx_tensor::Dim;

use super::{Known, Shape};
use crate::call::{axes, axis};

impl Known<'_> {
    pub fn reduce(&self) -> Option<Shape> {
        let shape = self.shape(0)?;
        let listed = if self.is_given(1) {
            self.ints(1)?
        } else {
            self.attributes
                .ints("axes")
                .ok()?
                .map(<[i64]>::to_vec)
                .unwrap_or_default()
        };
        if listed.is_empty() && self.int("noop_with_empty_axes").unwrap_or(0) != 0 {
            return Some(shape.to_vec());
        }
        let listed = if listed.is_empty() {
            (0..shape.len()).collect()
        } else {
            axes(&listed, shape.len()).ok()?
        };
        self.reduced(shape, &listed)
    }

    /// ArgMax and ArgMin.
    pub fn arg(&self) -> Option<Shape> {
        let shape = self.shape(0)?;
        let at = axis(self.int("axis")?, shape.len()).ok()?;
        self.reduced(shape, &[at])
    }

    /// Removes the listed axes, or sets their extents to 1, as `keepdims` states.
    fn reduced(&self, shape: &[Dim], listed: &[usize]) -> Option<Shape> {
        let keep = self.int("keepdims")? != 0;
        let extents = shape.iter().enumerate().filter_map(|(at, dim)| {
            if listed.contains(&at) {
                keep.then_some(Dim::Fixed(1))
            } else {
                Some(dim.clone())
            }
        });
        Some(extents.collect())
    }
}
