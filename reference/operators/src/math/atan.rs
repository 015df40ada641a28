//! Atan — arc tangent in radians, elementwise; evaluated in f64 and rounded once.

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{OpDef, op, v};
use crate::shared::elementwise::float;

pub const OP: OpDef = op(
    "Atan",
    &[
        v(7, First, |call| float(call, libm::atan)),
        v(22, TypesOnly, |call| float(call, libm::atan)),
    ],
);
