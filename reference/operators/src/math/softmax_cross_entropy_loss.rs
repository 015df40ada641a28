//! SoftmaxCrossEntropyLoss — the weighted loss −log softmax of the class of each sample, or its sum or mean.
//!
//! The log-probabilities stay in f64 until the loss is rounded; the output `log_prob` is rounded
//! separately.

use onnx_tensor::{Float, Real, Tensor, dispatch};

use super::class_loss::loss;
use super::log_sum_exp::LogSumExp;
use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::lanes;

pub const OP: OpDef = op(
    "SoftmaxCrossEntropyLoss",
    &[v(12, First, cross_entropy), v(13, TypesOnly, cross_entropy)],
);

fn cross_entropy(call: &Call<'_>) -> Result<Outputs, OpError> {
    dispatch!(float, call.dtype(0)?, T => cross_entropy_of::<T>(call))
}

fn cross_entropy_of<T: Float>(call: &Call<'_>) -> Result<Outputs, OpError> {
    let scores = call.array::<T>(0)?;
    if scores.ndim() < 2 {
        return Err(OpError::invalid(
            "the scores must have shape (N, C) or (N, C, d1, …)",
        ));
    }
    let log_probabilities = lanes::along(scores, 1, scores.shape()[1], |lane: &[T], result: &mut [f64]| {
        LogSumExp::of(lane).log_probabilities(lane, result);
    });
    let rounded = call
        .wants(1)
        .then(|| Tensor::from(log_probabilities.map(|&y| <T as Real>::from_f64(y))).into());
    Ok(vec![Some(loss::<T>(call, log_probabilities)?.into()), rounded])
}
