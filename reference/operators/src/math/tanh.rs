//! Tanh — hyperbolic tangent, elementwise; evaluated in f64 and rounded once.

use onnx_arithmetic::functions::Function;

use crate::frame::Change::{First, TypesOnly, Wording};
use crate::frame::{OpDef, op, v};
use crate::shared::elementwise::estimated;

pub const OP: OpDef = op(
    "Tanh",
    &[
        v(1, First, |call| estimated(call, Function::Tanh, libm::tanh, &[])),
        v(6, Wording, |call| {
            estimated(call, Function::Tanh, libm::tanh, &[])
        }),
        v(13, TypesOnly, |call| {
            estimated(call, Function::Tanh, libm::tanh, &[])
        }),
    ],
);
