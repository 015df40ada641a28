//! LogSoftmax — x − ln Σ eˣ over each lane; evaluated in f64 (the sum compensated) and rounded once. The text
//! says Log(Softmax(x)), where a probability may become 0 in the type of x (question `exponentials`).

use onnx_arithmetic::functions;
use onnx_tensor::{DType, Real, Tensor, dispatch};

use super::log_sum_exp::LogSumExp;
use crate::frame::Change::{First, Semantics, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, Reading, one, op, v};
use crate::shared::lanes::{self, Extent};

pub const OP: OpDef = op(
    "LogSoftmax",
    &[
        v(1, First, |call| log_softmax(call, Extent::Flattened)),
        v(11, Wording, |call| log_softmax(call, Extent::Flattened)),
        v(13, Semantics, |call| log_softmax(call, Extent::Axis)),
    ],
);

fn log_softmax(call: &Call<'_>, extent: Extent) -> Result<Outputs, OpError> {
    if call.takes(Reading::ExponentialsTyped) {
        return dispatch!(float, call.dtype(0)?, T => {
            one(Tensor::from(lanes::by_axis(call, extent, of_probabilities::<T>)?))
        });
    }
    if call.dtype(0)? == DType::Float {
        return one(Tensor::from(lanes::by_axis(call, extent, of_floats)?));
    }
    dispatch!(float, call.dtype(0)?, T => {
        one(Tensor::from(lanes::by_axis(call, extent, |lane: &[T], result: &mut [T]| {
            LogSumExp::of(lane).log_probabilities(lane, result);
        })?))
    })
}

/// −∞ where the type has no probability.
fn of_probabilities<T: Real>(lane: &[T], result: &mut [T]) {
    LogSumExp::of(lane).log_probabilities(lane, result);
    for y in result {
        if T::from_f64(libm::exp(y.to_f64())).to_f64() == 0.0 {
            *y = T::from_f64(f64::NEG_INFINITY);
        }
    }
}

/// An estimate decides most lanes.
fn of_floats(lane: &[f32], result: &mut [f32]) {
    if !functions::log_softmax(lane, result) {
        LogSumExp::of(lane).log_probabilities(lane, result);
    }
}
