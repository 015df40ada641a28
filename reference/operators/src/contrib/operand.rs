//! Operands of matrix products.

use onnx_tensor::{Array, Element};

use crate::frame::{Call, OpError};

/// Input `index`, a matrix, transposed if `transposed`.
pub fn matrix<T: Element>(call: &Call<'_>, index: usize, transposed: bool) -> Result<Array<T>, OpError> {
    let array = call.array::<T>(index)?.clone();
    match (array.ndim(), transposed) {
        (2, true) => Ok(array.permuted_axes(ndarray::IxDyn(&[1, 0]))),
        (2, false) => Ok(array),
        _ => Err(OpError::invalid(format!(
            "input {index} of shape {:?} is not a matrix",
            array.shape()
        ))),
    }
}

/// `array`, a stack of matrices: with `batch` its first axis becomes that of the rows; with `transposed` its
/// last two axes are then swapped. A vector stays as it is.
pub fn stack<T: Element>(array: &Array<T>, transposed: bool, batch: bool) -> Array<T> {
    let rank = array.ndim();
    if rank < 2 {
        return array.clone();
    }
    let mut order: Vec<usize> = (0..rank).collect();
    if batch {
        order[..rank - 1].rotate_left(1);
    }
    if transposed {
        order.swap(rank - 2, rank - 1);
    }
    array.clone().permuted_axes(ndarray::IxDyn(&order))
}
