//! Floor — the greatest integer not above the element, elementwise; exact.

use onnx_arithmetic::functions::Function;

use crate::frame::Change::{First, TypesOnly, Wording};
use crate::frame::{OpDef, op, v};
use crate::shared::elementwise::estimated;

pub const OP: OpDef = op(
    "Floor",
    &[
        v(1, First, |call| estimated(call, Function::Floor, f64::floor, &[])),
        v(6, Wording, |call| {
            estimated(call, Function::Floor, f64::floor, &[])
        }),
        v(13, TypesOnly, |call| {
            estimated(call, Function::Floor, f64::floor, &[])
        }),
    ],
);
