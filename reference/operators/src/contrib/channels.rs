//! Images with channels last.

use onnx_tensor::Tensor;

use crate::frame::{Call, OpError};
use crate::shared::layout;

/// `x` with its last axis as the second, if `last`.
pub fn to_first(x: &Tensor, last: bool) -> Result<Tensor, OpError> {
    if last {
        permuted(x, |order| order[1..].rotate_right(1))
    } else {
        Ok(x.clone())
    }
}

/// `x` with its second axis as the last, if `last`.
pub fn to_last(x: &Tensor, last: bool) -> Result<Tensor, OpError> {
    if last {
        permuted(x, |order| order[1..].rotate_left(1))
    } else {
        Ok(x.clone())
    }
}

fn permuted(x: &Tensor, change: impl Fn(&mut [usize])) -> Result<Tensor, OpError> {
    let mut order: Vec<usize> = (0..x.rank()).collect();
    if order.len() < 2 {
        return Err(OpError::invalid(format!(
            "shape {:?} must have a batch and a channel axis",
            x.shape()
        )));
    }
    change(&mut order);
    layout::permute(x, &order)
}

/// Whether the attribute `channels_last` is set.
pub fn are_last(call: &Call<'_>) -> Result<bool, OpError> {
    call.flag("channels_last")
}
