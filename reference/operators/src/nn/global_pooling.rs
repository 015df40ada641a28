//! The core of global pooling: each plane of N × C × … reduced to one element.

use onnx_tensor::{Float, Tensor};

use crate::frame::{Call, OpError, Outputs, one};

/// Reduces each plane by `reduce`, which gets its elements in row-major order.
pub fn reduce<T: Float>(
    call: &Call<'_>,
    mut reduce: impl FnMut(&[T]) -> Result<T, OpError>,
) -> Result<Outputs, OpError> {
    let x = call.array::<T>(0)?;
    let &[batch, channels, ref spatial @ ..] = x.shape() else {
        return Err(OpError::invalid(format!(
            "shape {:?} must have a batch and a channel axis",
            x.shape()
        )));
    };
    let plane: usize = spatial.iter().product();
    let dense = x.as_standard_layout();
    let elements = dense.as_slice().unwrap_or_default();
    let planes = batch * channels;
    let shape = [vec![batch, channels], vec![1; spatial.len()]].concat();
    call.reserve(&shape, T::DTYPE)?;
    let reduced = (0..planes)
        .map(|index| reduce(&elements[index * plane..(index + 1) * plane]))
        .collect::<Result<Vec<T>, _>>()?;
    one(Tensor::new(&shape, reduced)?)
}
