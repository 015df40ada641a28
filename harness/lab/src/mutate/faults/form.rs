//! Faults of form: element type, shape, count.

use ndarray::{Axis, Slice};
use onnx_tensor::{Real, Tensor, TensorError, Value, dispatch};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::super::fault::Leaf;

/// Equal values in the type that backends without the correct one use instead.
pub fn wrong_dtype(leaf: &Leaf<'_>, _: &mut ChaCha8Rng) -> Option<Tensor> {
    match leaf.tensor {
        Tensor::Float(array) => Some(Tensor::from(array.mapv(f64::from))),
        Tensor::Double(array) => {
            let fits = |x: &f64| x.is_nan() || f64::from(*x as f32) == *x;
            array
                .iter()
                .all(fits)
                .then(|| Tensor::from(array.mapv(|x| x as f32)))
        }
        Tensor::Float16(array) => Some(Tensor::from(array.mapv(|x| Real::to_f64(x) as f32))),
        Tensor::Bfloat16(array) => Some(Tensor::from(array.mapv(|x| Real::to_f64(x) as f32))),
        Tensor::Int64(array) => {
            let fits = |x: &i64| i32::try_from(*x).is_ok();
            array
                .iter()
                .all(fits)
                .then(|| Tensor::from(array.mapv(|x| x as i32)))
        }
        Tensor::Int32(array) => Some(Tensor::from(array.mapv(i64::from))),
        Tensor::Int8(array) => Some(Tensor::from(array.mapv(i32::from))),
        Tensor::Uint8(array) => Some(Tensor::from(array.mapv(i32::from))),
        Tensor::Bool(array) => Some(Tensor::from(array.mapv(u8::from))),
        _ => None,
    }
}

/// The same elements with the extents in reverse order.
pub fn transposed_shape(leaf: &Leaf<'_>, _: &mut ChaCha8Rng) -> Option<Tensor> {
    let reversed: Vec<usize> = leaf.tensor.shape().iter().rev().copied().collect();
    let other = reversed != leaf.tensor.shape();
    other.then(|| leaf.tensor.reshape(&reversed).ok()).flatten()
}

/// Removes the last slice along the first axis.
pub fn truncated(leaf: &Leaf<'_>, _: &mut ChaCha8Rng) -> Option<Tensor> {
    let shorter = leaf.tensor.shape().first()?.checked_sub(1)?;
    first_slices(leaf.tensor, shorter).ok()
}

fn first_slices(tensor: &Tensor, count: usize) -> Result<Tensor, TensorError> {
    dispatch!(all, tensor.dtype(), T => {
        let slices = tensor.array::<T>()?.slice_axis(Axis(0), Slice::from(..count));
        Ok(Tensor::from(slices.to_owned()))
    })
}

/// Removes one element of a sequence.
pub fn missing_element(value: &Value, rng: &mut ChaCha8Rng) -> Option<Value> {
    match value {
        Value::Sequence(sequence) if !sequence.values.is_empty() => {
            let mut shorter = sequence.clone();
            shorter.values.remove(rng.random_range(0..sequence.values.len()));
            Some(Value::Sequence(shorter))
        }
        Value::Optional {
            element,
            value: Some(value),
        } => Some(Value::Optional {
            element: element.clone(),
            value: Some(Box::new(missing_element(value, rng)?)),
        }),
        _ => None,
    }
}
