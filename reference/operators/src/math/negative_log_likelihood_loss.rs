//! NegativeLogLikelihoodLoss — the weighted loss −log p of the class of each sample, or its sum or mean.

use onnx_tensor::{Real, dispatch};

use super::class_loss::loss;
use crate::frame::Change::{First, TypesOnly, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};

pub const OP: OpDef = op(
    "NegativeLogLikelihoodLoss",
    &[
        v(12, First, negative_log_likelihood),
        v(13, Wording, negative_log_likelihood),
        v(22, TypesOnly, negative_log_likelihood),
    ],
);

fn negative_log_likelihood(call: &Call<'_>) -> Result<Outputs, OpError> {
    dispatch!(float, call.dtype(0)?, T => one(loss::<T>(call, call.array::<T>(0)?.map(|&y| Real::to_f64(y)))?))
}
