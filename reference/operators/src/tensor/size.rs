//! Size — the number of elements, as an int64 scalar.

use onnx_tensor::Tensor;

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};

pub const OP: OpDef = op(
    "Size",
    &[
        v(1, First, count),
        v(13, TypesOnly, count),
        v(19, TypesOnly, count),
        v(21, TypesOnly, count),
        v(23, TypesOnly, count),
        v(24, TypesOnly, count),
        v(25, TypesOnly, count),
    ],
);

fn count(call: &Call<'_>) -> Result<Outputs, OpError> {
    one(Tensor::scalar(call.tensor(0)?.len() as i64))
}
