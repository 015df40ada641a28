//! Ceil — the least integer not below the element, elementwise; exact.

use onnx_arithmetic::functions::Function;

use crate::frame::Change::{First, TypesOnly, Wording};
use crate::frame::{OpDef, op, v};
use crate::shared::elementwise::estimated;

pub const OP: OpDef = op(
    "Ceil",
    &[
        v(1, First, |call| estimated(call, Function::Ceil, f64::ceil, &[])),
        v(6, Wording, |call| estimated(call, Function::Ceil, f64::ceil, &[])),
        v(13, TypesOnly, |call| {
            estimated(call, Function::Ceil, f64::ceil, &[])
        }),
    ],
);
