//! Sin — sine of an angle in radians, elementwise; evaluated in f64 and rounded once.

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{OpDef, op, v};
use crate::shared::elementwise::float;

pub const OP: OpDef = op(
    "Sin",
    &[
        v(7, First, |call| float(call, libm::sin)),
        v(22, TypesOnly, |call| float(call, libm::sin)),
    ],
);
