//! Reciprocal — 1 / x, elementwise; ±Inf at ±0; correctly rounded.

use onnx_arithmetic::functions::Function;

use crate::frame::Change::{First, TypesOnly, Wording};
use crate::frame::{OpDef, op, v};
use crate::shared::elementwise::estimated;

pub const OP: OpDef = op(
    "Reciprocal",
    &[
        v(1, First, |call| {
            estimated(call, Function::Reciprocal, f64::recip, &[])
        }),
        v(6, Wording, |call| {
            estimated(call, Function::Reciprocal, f64::recip, &[])
        }),
        v(13, TypesOnly, |call| {
            estimated(call, Function::Reciprocal, f64::recip, &[])
        }),
    ],
);
