//! Softsign — x / (1 + |x|), elementwise; evaluated in f64 and rounded once. At ±Inf the formula is NaN.

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{OpDef, op, v};
use crate::shared::activation;
use crate::shared::elementwise::float;

pub const OP: OpDef = op(
    "Softsign",
    &[
        v(1, First, |call| float(call, activation::softsign)),
        v(22, TypesOnly, |call| float(call, activation::softsign)),
    ],
);
