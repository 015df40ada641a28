//! Tanh — hyperbolic tangent, elementwise; evaluated in f64 and rounded once.

use crate::frame::Change::{First, TypesOnly, Wording};
use crate::frame::{OpDef, op, v};
use crate::shared::elementwise::float;

pub const OP: OpDef = op(
    "Tanh",
    &[
        v(1, First, |call| float(call, libm::tanh)),
        v(6, Wording, |call| float(call, libm::tanh)),
        v(13, TypesOnly, |call| float(call, libm::tanh)),
    ],
);
