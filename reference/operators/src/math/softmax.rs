//! Softmax — eˣ / Σ eˣ over each lane; evaluated in f64 (the sum compensated) and rounded once.

use onnx_tensor::{Tensor, dispatch};

use super::log_normaliser::LogNormaliser;
use crate::frame::Change::{First, Semantics, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::lanes::{self, Extent};

pub const OP: OpDef = op(
    "Softmax",
    &[
        v(1, First, |call| softmax(call, Extent::Flattened)),
        v(11, Wording, |call| softmax(call, Extent::Flattened)),
        v(13, Semantics, |call| softmax(call, Extent::Axis)),
    ],
);

fn softmax(call: &Call<'_>, extent: Extent) -> Result<Outputs, OpError> {
    dispatch!(float, call.dtype(0)?, T => {
        one(Tensor::from(lanes::by_axis(call, extent, |lane: &[T], result: &mut [T]| {
            LogNormaliser::of(lane).probabilities(lane, result);
        })?))
    })
}
