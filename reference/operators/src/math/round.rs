//! Round — the nearest integer, halves to even, elementwise; exact.

use onnx_arithmetic::functions::Function;

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{OpDef, op, v};
use crate::shared::elementwise::estimated;

pub const OP: OpDef = op(
    "Round",
    &[
        v(11, First, |call| {
            estimated(call, Function::Round, f64::round_ties_even, &[])
        }),
        v(22, TypesOnly, |call| {
            estimated(call, Function::Round, f64::round_ties_even, &[])
        }),
    ],
);
