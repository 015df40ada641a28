//! Exp — eˣ, elementwise; evaluated in f64 and rounded once.

use crate::frame::Change::{First, TypesOnly, Wording};
use crate::frame::{OpDef, op, v};
use crate::shared::elementwise::float;

pub const OP: OpDef = op(
    "Exp",
    &[
        v(1, First, |call| float(call, libm::exp)),
        v(6, Wording, |call| float(call, libm::exp)),
        v(13, TypesOnly, |call| float(call, libm::exp)),
    ],
);
