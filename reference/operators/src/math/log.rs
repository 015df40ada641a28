//! Log — natural logarithm, elementwise; −Inf at 0, NaN below 0; evaluated in f64 and rounded once.

use crate::frame::Change::{First, TypesOnly, Wording};
use crate::frame::{OpDef, op, v};
use crate::shared::elementwise::float;

pub const OP: OpDef = op(
    "Log",
    &[
        v(1, First, |call| float(call, libm::log)),
        v(6, Wording, |call| float(call, libm::log)),
        v(13, TypesOnly, |call| float(call, libm::log)),
    ],
);
