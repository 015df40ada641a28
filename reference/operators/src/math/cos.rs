//! Cos — cosine of an angle in radians, elementwise; evaluated in f64 and rounded once.

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{OpDef, op, v};
use crate::shared::elementwise::float;

pub const OP: OpDef = op(
    "Cos",
    &[
        v(7, First, |call| float(call, libm::cos)),
        v(22, TypesOnly, |call| float(call, libm::cos)),
    ],
);
