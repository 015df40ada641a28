//! SequenceLength — the number of elements, an int64 scalar.

use onnx_tensor::Tensor;

use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};

pub const OP: OpDef = op("SequenceLength", &[v(11, First, length)]);

fn length(call: &Call<'_>) -> Result<Outputs, OpError> {
    one(Tensor::scalar(call.sequence(0)?.values.len() as i64))
}
