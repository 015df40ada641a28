//! Exp — eˣ, elementwise; evaluated in f64 and rounded once.

use onnx_arithmetic::functions::Function;

use crate::frame::Change::{First, TypesOnly, Wording};
use crate::frame::{OpDef, op, v};
use crate::shared::elementwise::estimated;

pub const OP: OpDef = op(
    "Exp",
    &[
        v(1, First, |call| estimated(call, Function::Exp, libm::exp, &[])),
        v(6, Wording, |call| estimated(call, Function::Exp, libm::exp, &[])),
        v(13, TypesOnly, |call| {
            estimated(call, Function::Exp, libm::exp, &[])
        }),
    ],
);
