//! What the elements of a tensor must be.

use onnx_tensor::{DType, Element, Tensor, TensorError, footprint};

use crate::error::{ModelError, ModelErrorKind};

/// Element type, shape and count of a tensor whose elements are yet to be read.
pub(super) struct Layout {
    pub(super) dtype: DType,
    pub(super) shape: Vec<usize>,
    /// The number of elements.
    pub(super) count: usize,
    /// The product of the extents that are not zero, which the limits bound.
    pub(super) footprint: usize,
}

impl Layout {
    pub(super) fn new(dtype: DType, shape: Vec<usize>) -> Result<Layout, TensorError> {
        let footprint = footprint(&shape)?;
        // The widest element has 128 bits: what passes here can be counted in bits.
        if footprint.checked_mul(128).is_none() {
            return Err(TensorError::TooLarge { shape });
        }
        let count = if shape.contains(&0) { 0 } else { footprint };
        Ok(Layout {
            dtype,
            shape,
            count,
            footprint,
        })
    }

    /// Bytes in raw_data; strings have no such form.
    pub(super) fn raw_bytes(&self) -> Option<usize> {
        Some((self.count * self.dtype.bits()?).div_ceil(8))
    }

    /// Fails unless a field has as many values as the shape asks for.
    pub(super) fn expect(
        &self,
        field: &'static str,
        found: usize,
        expected: usize,
    ) -> Result<(), ModelErrorKind> {
        if found == expected {
            return Ok(());
        }
        let (shape, dtype) = (self.shape.clone(), self.dtype);
        Err(ModelErrorKind::FieldCount {
            field,
            found,
            expected,
            shape,
            dtype,
        })
    }

    /// The tensor over these elements.
    pub(super) fn tensor<T: Element>(&self, elements: Vec<T>) -> Result<Tensor, ModelError> {
        Ok(Tensor::new(&self.shape, elements)?)
    }
}
