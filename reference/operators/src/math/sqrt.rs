//! Sqrt — square root, elementwise; NaN below 0; correctly rounded.

use onnx_arithmetic::functions::Function;

use crate::frame::Change::{First, TypesOnly, Wording};
use crate::frame::{OpDef, op, v};
use crate::shared::elementwise::estimated;

pub const OP: OpDef = op(
    "Sqrt",
    &[
        v(1, First, |call| estimated(call, Function::Sqrt, f64::sqrt, &[])),
        v(6, Wording, |call| estimated(call, Function::Sqrt, f64::sqrt, &[])),
        v(13, TypesOnly, |call| {
            estimated(call, Function::Sqrt, f64::sqrt, &[])
        }),
    ],
);
