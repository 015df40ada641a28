//! The expected number and storage of a tensor's elements.

use onnx_tensor::{DType, Element, Tensor, TensorError, footprint};

use crate::error::{ModelError, ModelErrorKind};

/// Element type, shape and count of a tensor whose elements are not yet decoded.
pub(super) struct Layout {
    pub(super) dtype: DType,
    pub(super) shape: Vec<usize>,
    /// The number of elements.
    pub(super) count: usize,
    /// The product of the non-zero extents, which the limits bound.
    pub(super) footprint: usize,
}

impl Layout {
    pub(super) fn new(dtype: DType, shape: Vec<usize>) -> Result<Layout, TensorError> {
        let footprint = footprint(&shape)?;
        // The widest element has 128 bits, so after this check the size in bits does not overflow.
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

    /// The size in raw_data, in bytes; `None` for strings, which are never stored there.
    pub(super) fn raw_bytes(&self) -> Option<usize> {
        Some((self.count * self.dtype.bits()?).div_ceil(8))
    }

    /// Fails if the number of values in a field differs from the number of elements.
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

    /// Makes the tensor from its elements.
    pub(super) fn tensor<T: Element>(&self, elements: Vec<T>) -> Result<Tensor, ModelError> {
        Ok(Tensor::new(&self.shape, elements)?)
    }
}
