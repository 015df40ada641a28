//! Functions of a tensor plus a bias along its last axis.

use ndarray::{ArrayD, IxDyn};
use onnx_tensor::{DType, Tensor};

use crate::frame::{Call, OpError};
use crate::shared::reals::widen;

/// `x` plus `bias`, in f64. The bias has one element for each index of the last axis.
pub fn biased(call: &Call<'_>, x: &Tensor, bias: Option<&Tensor>) -> Result<ArrayD<f64>, OpError> {
    call.reserve(x.shape(), DType::Double)?;
    let x = widen(x)?;
    match bias {
        None => Ok(x),
        Some(bias) => Ok(x.clone() + along_last(&x, bias, "bias")?),
    }
}

/// A vector with one element for each index of the last axis of `x`, in f64.
pub fn along_last(x: &ArrayD<f64>, vector: &Tensor, name: &str) -> Result<ArrayD<f64>, OpError> {
    let last = x.shape().last().copied();
    if vector.rank() != 1 || Some(vector.len()) != last {
        return Err(OpError::invalid(format!(
            "`{name}` of shape {:?} must have one element for each index of the last axis of {:?}",
            vector.shape(),
            x.shape()
        )));
    }
    Ok(widen(vector)?.into_shape_with_order(IxDyn(&[vector.len()]))?)
}
