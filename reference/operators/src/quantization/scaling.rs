//! Scales and zero points of quantization and dequantization, and their granularity.

use onnx_tensor::{Array, Tensor};

use crate::frame::{Call, OpError};
use crate::shared::quantize::Granularity;
use crate::shared::quantized::reals;

impl Granularity {
    /// Reads the attributes `axis` and `block_size`.
    pub fn of(call: &Call<'_>) -> Result<Granularity, OpError> {
        Ok(Granularity::Blocked {
            axis: call.int("axis")?,
            size: call.int("block_size")?,
        })
    }
}

/// The scale (input 1) in a form that broadcasts to `shape`.
pub fn scale(call: &Call<'_>, granularity: Granularity, shape: &[usize]) -> Result<Array<f64>, OpError> {
    granularity.spread(&reals(call.tensor(1)?)?.into_shared(), shape)
}

/// The zero point (input 2), or 0 without one, in a form that broadcasts to `shape`. It must have the shape
/// of the scale, except that a single element may have rank 0 or 1: the official cases combine a scalar and
/// a vector of length 1.
pub fn zero_point(call: &Call<'_>, granularity: Granularity, shape: &[usize]) -> Result<Array<f64>, OpError> {
    let scale = call.tensor(1)?;
    let Some(zero_point) = call.optional_tensor(2)? else {
        return Ok(ndarray::arr0(0.0).into_dyn().into_shared());
    };
    let alone = |tensor: &Tensor| tensor.rank() <= 1 && tensor.len() == 1;
    if zero_point.shape() != scale.shape() && !(alone(zero_point) && alone(scale)) {
        return Err(OpError::invalid(format!(
            "the scale has the shape {:?}, but the zero point has {:?}",
            scale.shape(),
            zero_point.shape()
        )));
    }
    granularity.spread(&reals(zero_point)?.into_shared(), shape)
}
