//! Softsign — x / (1 + |x|), elementwise; evaluated in f64 and rounded once. At ±Inf the formula is NaN.

use onnx_arithmetic::functions::Function;

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{OpDef, op, v};
use crate::shared::activation;
use crate::shared::elementwise::estimated;

pub const OP: OpDef = op(
    "Softsign",
    &[
        v(1, First, |call| {
            estimated(call, Function::Softsign, activation::softsign, &[])
        }),
        v(22, TypesOnly, |call| {
            estimated(call, Function::Softsign, activation::softsign, &[])
        }),
    ],
);
