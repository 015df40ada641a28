//! Softmax — eˣ / Σ eˣ over each lane; evaluated in f64 (the sum compensated) and rounded once.

use onnx_arithmetic::functions;
use onnx_tensor::{DType, Tensor, dispatch};

use super::log_sum_exp::LogSumExp;
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
    if call.dtype(0)? == DType::Float {
        return one(Tensor::from(lanes::by_axis(call, extent, of_floats)?));
    }
    dispatch!(float, call.dtype(0)?, T => {
        one(Tensor::from(lanes::by_axis(call, extent, |lane: &[T], result: &mut [T]| {
            LogSumExp::of(lane).probabilities(lane, result);
        })?))
    })
}

/// An estimate decides most lanes.
fn of_floats(lane: &[f32], result: &mut [f32]) {
    if !functions::softmax(lane, result, &mut vec![0.0; lane.len()]) {
        LogSumExp::of(lane).probabilities(lane, result);
    }
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::exact;

    /// Equal scores of shape (1, 2, 2): one lane of four below 13, the last axis since.
    #[test]
    fn lanes_by_version() {
        let tensor = |value: f32| Tensor::new(&[1, 2, 2], vec![value; 4]).unwrap();
        exact(("", "Softmax", 1), &[tensor(7.0)], &[], &[tensor(0.25)]);
        exact(("", "Softmax", 11), &[tensor(7.0)], &[], &[tensor(0.25)]);
        exact(("", "Softmax", 13), &[tensor(7.0)], &[], &[tensor(0.5)]);
    }
}
