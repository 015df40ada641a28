//! Sigmoid — 1 / (1 + e⁻ˣ), elementwise; evaluated in f64 and rounded once.

use crate::frame::Change::{First, TypesOnly, Wording};
use crate::frame::{OpDef, op, v};
use crate::shared::activation;
use crate::shared::elementwise::float;

pub const OP: OpDef = op(
    "Sigmoid",
    &[
        v(1, First, |call| float(call, activation::sigmoid)),
        v(6, Wording, |call| float(call, activation::sigmoid)),
        v(13, TypesOnly, |call| float(call, activation::sigmoid)),
    ],
);
