//! Reciprocal — 1 / x, elementwise; ±Inf at ±0; correctly rounded.

use crate::frame::Change::{First, TypesOnly, Wording};
use crate::frame::{OpDef, op, v};
use crate::shared::elementwise::float;

pub const OP: OpDef = op(
    "Reciprocal",
    &[
        v(1, First, |call| float(call, f64::recip)),
        v(6, Wording, |call| float(call, f64::recip)),
        v(13, TypesOnly, |call| float(call, f64::recip)),
    ],
);
