//! Faults of a whole tensor with correct type and shape.

use ndarray::IxDyn;
use onnx_tensor::{Array, Element, Tensor, TensorError, dispatch};
use rand_chacha::ChaCha8Rng;

use super::super::fault::Leaf;

/// Swaps two axes of equal extent.
pub fn swapped_axes(leaf: &Leaf<'_>, _: &mut ChaCha8Rng) -> Option<Tensor> {
    let shape = leaf.tensor.shape();
    let pairs = (0..shape.len()).flat_map(|i| (i + 1..shape.len()).map(move |j| (i, j)));
    let (i, j) = pairs
        .into_iter()
        .find(|&(i, j)| shape.get(i) == shape.get(j) && shape.get(i).is_some_and(|&extent| extent > 1))?;
    swap(leaf.tensor, i, j).ok()
}

fn swap(tensor: &Tensor, i: usize, j: usize) -> Result<Tensor, TensorError> {
    dispatch!(all, tensor.dtype(), T => {
        let mut array = tensor.array::<T>()?.clone();
        array.swap_axes(i, j);
        Ok(Tensor::from(array).to_standard())
    })
}

/// Shifts every element by one position along the last axis with more than one.
pub fn shifted(leaf: &Leaf<'_>, _: &mut ChaCha8Rng) -> Option<Tensor> {
    let axis = leaf.tensor.shape().iter().rposition(|&extent| extent > 1)?;
    shift(leaf.tensor, axis).ok()
}

fn shift(tensor: &Tensor, axis: usize) -> Result<Tensor, TensorError> {
    dispatch!(all, tensor.dtype(), T => Ok(shift_array(tensor.array::<T>()?, axis)))
}

fn shift_array<T: Element>(array: &Array<T>, axis: usize) -> Tensor {
    let extent = array.shape()[axis];
    let from = |index: IxDyn| {
        let mut from = index;
        from[axis] = (from[axis] + 1) % extent;
        array[from].clone()
    };
    Tensor::from(ndarray::ArrayD::from_shape_fn(IxDyn(array.shape()), from))
}

/// Replaces the last element by old content of the buffer: the first element.
pub fn stale_last(leaf: &Leaf<'_>, _: &mut ChaCha8Rng) -> Option<Tensor> {
    last_from_first(leaf.tensor).ok()
}

fn last_from_first(tensor: &Tensor) -> Result<Tensor, TensorError> {
    dispatch!(all, tensor.dtype(), T => {
        let mut elements = tensor.to_vec::<T>()?;
        if let (Some(first), Some(last)) = (elements.first().cloned(), elements.last_mut()) {
            *last = first;
        }
        Tensor::new(tensor.shape(), elements)
    })
}

/// Zero, false or empty strings everywhere.
pub fn zero(leaf: &Leaf<'_>, _: &mut ChaCha8Rng) -> Option<Tensor> {
    zeros(leaf.tensor).ok()
}

fn zeros(tensor: &Tensor) -> Result<Tensor, TensorError> {
    dispatch!(all, tensor.dtype(), T => Tensor::new(tensor.shape(), vec![T::default(); tensor.len()]))
}
