//! Softplus — ln(1 + eˣ), elementwise; evaluated in f64 and rounded once.

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{OpDef, op, v};
use crate::shared::activation;
use crate::shared::elementwise::float;

pub const OP: OpDef = op(
    "Softplus",
    &[
        v(1, First, |call| float(call, activation::softplus)),
        v(22, TypesOnly, |call| float(call, activation::softplus)),
    ],
);
