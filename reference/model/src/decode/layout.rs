//! What the elements of a tensor must be.

use onnx_tensor::{DType, Element, Tensor, TensorError};

use crate::error::{ModelError, ModelErrorKind};

/// Element type, shape and count of a tensor whose elements are yet to be read.
pub(super) struct Layout {
    pub(super) dtype: DType,
    pub(super) shape: Vec<usize>,
    /// The product of the shape.
    pub(super) count: usize,
}

impl Layout {
    pub(super) fn new(dtype: DType, shape: Vec<usize>) -> Result<Layout, TensorError> {
        let product = match shape.contains(&0) {
            true => Some(0),
            false => shape
                .iter()
                .try_fold(1_usize, |product, &extent| product.checked_mul(extent)),
        };
        // The widest element has 128 bits: what passes here can be counted in bits.
        match product.filter(|count| count.checked_mul(128).is_some()) {
            Some(count) => Ok(Layout { dtype, shape, count }),
            None => Err(TensorError::TooLarge { shape }),
        }
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
