//! Acosh — inverse hyperbolic cosine; NaN below 1, elementwise; evaluated in f64 and rounded once.

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{OpDef, op, v};
use crate::shared::elementwise::float;

pub const OP: OpDef = op(
    "Acosh",
    &[
        v(9, First, |call| float(call, acosh)),
        v(22, TypesOnly, |call| float(call, acosh)),
    ],
);

fn acosh(x: f64) -> f64 {
    // libm cancels instead of returning NaN between −2²⁶ and −2.
    if x < 1.0 { f64::NAN } else { libm::acosh(x) }
}
