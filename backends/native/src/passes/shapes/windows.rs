//! Shapes of operators with a window: Conv and poolings.

use onnx_tensor::Dim;

use super::{Context, Shape, fixed};
use crate::ops::{Rounding, Window};

impl Context<'_> {
    /// The filters are the input at this position.
    pub(super) fn conv(&self, filters: usize) -> Option<Shape> {
        let (x, w) = (self.shape(0)?, self.fixed(filters)?);
        let (filters, kernel) = (*w.first()?, w.get(2..)?);
        let mut result = vec![x.first()?.clone(), Dim::Fixed(filters)];
        result.extend(self.windows(x.get(2..)?, kernel, Rounding::Down)?);
        Some(result)
    }

    pub(super) fn pool(&self) -> Option<Shape> {
        let x = self.shape(0)?;
        let kernel = crate::ops::call::extents(self.operator.attributes.ints("kernel_shape").ok()??).ok()?;
        let up = self.int("ceil_mode").unwrap_or(0) != 0;
        let mut result = x.get(..2)?.to_vec();
        let rounding = if up { Rounding::Up } else { Rounding::Down };
        result.extend(self.windows(x.get(2..)?, &kernel, rounding)?);
        Some(result)
    }

    /// The result has one pixel for each channel.
    pub(super) fn global_pool(&self) -> Option<Shape> {
        let (images, pixels) = self.shape(0)?.split_at_checked(2)?;
        Some([images, &vec![Dim::Fixed(1); pixels.len()]].concat())
    }

    fn windows(&self, input: &[Dim], kernel: &[usize], rounding: Rounding) -> Option<Shape> {
        let extents = input.iter().map(|dim| match dim {
            Dim::Fixed(extent) => Some(*extent),
            _ => None,
        });
        let Some(extents) = extents.collect::<Option<Vec<usize>>>() else {
            return Some(vec![Dim::Unknown; input.len()]);
        };
        let window = Window::new(&self.operator.attributes, &extents, kernel, rounding).ok()?;
        Some(fixed(&window.output))
    }
}
