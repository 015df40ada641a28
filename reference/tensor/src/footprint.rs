//! The rule that bounds the size of a tensor.

use crate::{DType, TensorError};

/// The product of the non-zero extents of `shape`; 1 for a scalar.
///
/// A tensor with an extent of zero has no element. A loop over its other extents, a buffer for one lane, or
/// an array without the empty axis still takes this number of steps or elements. Code that allocates or loops
/// over extents must bound this number, not the product of all extents.
///
/// # Errors
/// [`TensorError::TooLarge`] if the product exceeds `isize::MAX`, the limit of an array.
pub fn footprint(shape: &[usize]) -> Result<usize, TensorError> {
    let mut nonzero = shape.iter().filter(|&&extent| extent != 0);
    nonzero
        .try_fold(1_usize, |product, &extent| product.checked_mul(extent))
        .filter(|&product| isize::try_from(product).is_ok())
        .ok_or_else(|| TensorError::TooLarge {
            shape: shape.to_vec(),
        })
}

/// The bytes of memory that [`footprint`] elements of `dtype` take.
///
/// # Errors
/// [`TensorError::TooLarge`] as for [`footprint`], or if the number of bytes exceeds `isize::MAX`.
pub fn footprint_bytes(shape: &[usize], dtype: DType) -> Result<usize, TensorError> {
    let bytes = footprint(shape)?.checked_mul(dtype.memory());
    bytes
        .filter(|&bytes| isize::try_from(bytes).is_ok())
        .ok_or_else(|| TensorError::TooLarge {
            shape: shape.to_vec(),
        })
}

/// The number of elements of `shape`, bounded by [`footprint`].
///
/// # Errors
/// [`TensorError::TooLarge`] as for [`footprint`].
pub fn count(shape: &[usize]) -> Result<usize, TensorError> {
    let nonzero = footprint(shape)?;
    Ok(if shape.contains(&0) { 0 } else { nonzero })
}

#[cfg(test)]
mod tests {
    use super::{count, footprint, footprint_bytes};
    use crate::DType;

    #[track_caller]
    fn check(shape: &[usize], elements: Option<usize>, extents: Option<usize>, bytes: Option<usize>) {
        assert_eq!(count(shape).ok(), elements, "count of {shape:?}");
        assert_eq!(footprint(shape).ok(), extents, "footprint of {shape:?}");
        let found = footprint_bytes(shape, DType::Double).ok();
        assert_eq!(found, bytes, "bytes of {shape:?}");
    }

    #[test]
    fn an_extent_of_zero_does_not_hide_the_others() {
        let most = isize::MAX as usize;
        check(&[], Some(1), Some(1), Some(8));
        check(&[2, 3], Some(6), Some(6), Some(48));
        check(&[0], Some(0), Some(1), Some(8));
        check(&[0, 5, 0, 3], Some(0), Some(15), Some(120));
        check(&[0, most], Some(0), Some(most), None);
        check(&[0, most, 2], None, None, None);
        check(&[1 << 32, 1 << 32], None, None, None);
        check(&[0, 1 << 32, 1 << 32], None, None, None);
    }
}
