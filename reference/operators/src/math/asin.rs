//! Asin — arc sine in radians; NaN outside [−1, 1], elementwise; evaluated in f64 and rounded once.

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{OpDef, op, v};
use crate::shared::elementwise::float;

pub const OP: OpDef = op(
    "Asin",
    &[
        v(7, First, |call| float(call, libm::asin)),
        v(22, TypesOnly, |call| float(call, libm::asin)),
    ],
);
