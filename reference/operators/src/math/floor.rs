//! Floor — the greatest integer not above the element, elementwise; exact.

use crate::frame::Change::{First, TypesOnly, Wording};
use crate::frame::{OpDef, op, v};
use crate::shared::elementwise::float;

pub const OP: OpDef = op(
    "Floor",
    &[
        v(1, First, |call| float(call, f64::floor)),
        v(6, Wording, |call| float(call, f64::floor)),
        v(13, TypesOnly, |call| float(call, f64::floor)),
    ],
);
