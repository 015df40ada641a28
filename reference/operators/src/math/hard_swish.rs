//! HardSwish — x · max(0, min(1, x / 6 + 1 / 2)), elementwise; evaluated in f64 and rounded once.

use onnx_arithmetic::functions::Function;

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::activation;
use crate::shared::elementwise::{beyond_half, estimated_with_rest};

pub const OP: OpDef = op(
    "HardSwish",
    &[v(14, First, hard_swish), v(22, TypesOnly, hard_swish)],
);

fn hard_swish(call: &Call<'_>) -> Result<Outputs, OpError> {
    estimated_with_rest(
        call,
        Function::HardSwish,
        activation::hard_swish,
        beyond_half(1.0),
        &[],
    )
}
