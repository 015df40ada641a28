//! Shapes of operators with a window: Conv and poolings.

use onnx_tensor::Dim;

use super::{Known, Shape, fixed};
use crate::{Rounding, Transposition, Window};

impl Known<'_> {
    /// The filters are the input at this position.
    pub fn conv(&self, filters: usize) -> Option<Shape> {
        let (x, w) = (self.shape(0)?, self.fixed(filters)?);
        let (filters, kernel) = (*w.first()?, w.get(2..)?);
        let mut result = vec![x.first()?.clone(), Dim::Fixed(filters)];
        result.extend(self.windows(x.get(2..)?, kernel, Rounding::Down)?);
        Some(result)
    }

    /// Extents of the result are known if those of the image are.
    pub fn conv_transpose(&self) -> Option<Shape> {
        let (x, w) = (self.shape(0)?, self.fixed(1)?);
        let extent = |dim: &Dim| match dim {
            Dim::Fixed(extent) => Some(*extent),
            Dim::Named(_) | Dim::Unknown => None,
        };
        let attributes = &self.attributes;
        let groups = usize::try_from(attributes.int("group").ok()?).ok()?;
        let filters = w.get(1)?.checked_mul(groups)?;
        let mut result = vec![x.first()?.clone(), Dim::Fixed(filters)];
        let (channels, pixels) = (*w.first()?, x.get(2..)?);
        match pixels.iter().map(extent).collect::<Option<Vec<usize>>>() {
            Some(pixels) => {
                let image = [&[1, channels], &pixels[..]].concat();
                let since = self.since;
                let found = Transposition::new(attributes, since, &image, &w).ok()?;
                result.extend(fixed(&found.shape[2..]));
            }
            None => result.extend(vec![Dim::Unknown; pixels.len()]),
        }
        Some(result)
    }

    /// DeformConv: the offsets have the pixels of the result.
    pub fn deform_conv(&self) -> Option<Shape> {
        let (x, w, offset) = (self.shape(0)?, self.shape(1)?, self.shape(2)?);
        Some([x.get(..1)?, w.get(..1)?, offset.get(2..)?].concat())
    }

    pub fn pool(&self) -> Option<Shape> {
        let x = self.shape(0)?;
        let kernel = crate::call::extents(self.attributes.ints("kernel_shape").ok()??).ok()?;
        let up = self.int("ceil_mode").unwrap_or(0) != 0;
        let mut result = x.get(..2)?.to_vec();
        let rounding = if up { Rounding::Up } else { Rounding::Down };
        result.extend(self.windows(x.get(2..)?, &kernel, rounding)?);
        Some(result)
    }

    /// The result has one pixel for each channel.
    pub fn global_pool(&self) -> Option<Shape> {
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
        let window = Window::new(self.attributes, &extents, kernel, rounding).ok()?;
        Some(fixed(&window.output))
    }
}
