//! Cosh — hyperbolic cosine, elementwise; evaluated in f64 and rounded once.

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{OpDef, op, v};
use crate::shared::elementwise::float;

pub const OP: OpDef = op(
    "Cosh",
    &[
        v(9, First, |call| float(call, libm::cosh)),
        v(22, TypesOnly, |call| float(call, libm::cosh)),
    ],
);
