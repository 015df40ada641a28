//! Asinh — inverse hyperbolic sine, elementwise; evaluated in f64 and rounded once.

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{OpDef, op, v};
use crate::shared::elementwise::float;

pub const OP: OpDef = op(
    "Asinh",
    &[
        v(9, First, |call| float(call, libm::asinh)),
        v(22, TypesOnly, |call| float(call, libm::asinh)),
    ],
);
