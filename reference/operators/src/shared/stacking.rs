//! Stacks tensors along a new axis, and selects slices along an axis.

use ndarray::Axis;
use onnx_tensor::{DType, Tensor, dispatch};

use crate::frame::{Call, OpError};
use crate::shared::layout;

/// Stacks tensors of equal shape along a new axis.
pub fn stack(call: &Call<'_>, parts: &[&Tensor], axis: usize) -> Result<Tensor, OpError> {
    let Some(first) = parts.first() else {
        return Err(OpError::invalid("nothing to stack"));
    };
    if axis > first.rank() {
        return Err(OpError::invalid(format!(
            "a new axis {axis} is outside the shape {:?}",
            first.shape()
        )));
    }
    let widened = parts
        .iter()
        .map(|part| {
            let mut shape = part.shape().to_vec();
            shape.insert(axis.min(shape.len()), 1);
            Ok(part.reshape(&shape)?)
        })
        .collect::<Result<Vec<Tensor>, OpError>>()?;
    layout::concat(call, &widened.iter().collect::<Vec<_>>(), axis)
}

/// The slice at `position` along `axis`, without that axis. A view.
pub fn select(x: &Tensor, axis: usize, position: usize) -> Result<Tensor, OpError> {
    let extent = layout::extent(x, axis)?;
    if position >= extent {
        return Err(OpError::invalid(format!(
            "position {position} is outside an axis of {extent}"
        )));
    }
    dispatch!(all, x.dtype(), T => {
        let mut array = x.array::<T>()?.clone();
        array.index_axis_inplace(Axis(axis), position);
        Ok(Tensor::from(array))
    })
}

/// An arbitrary value of a type for elements that are not read or not specified: all bits zero, or the
/// empty string.
pub fn blank(dtype: DType) -> Result<Tensor, OpError> {
    dispatch!(all, dtype, T => Ok(Tensor::scalar(T::default())))
}
