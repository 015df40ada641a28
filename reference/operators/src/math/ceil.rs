//! Ceil — the least integer not below the element, elementwise; exact.

use crate::frame::Change::{First, TypesOnly, Wording};
use crate::frame::{OpDef, op, v};
use crate::shared::elementwise::float;

pub const OP: OpDef = op(
    "Ceil",
    &[
        v(1, First, |call| float(call, f64::ceil)),
        v(6, Wording, |call| float(call, f64::ceil)),
        v(13, TypesOnly, |call| float(call, f64::ceil)),
    ],
);
