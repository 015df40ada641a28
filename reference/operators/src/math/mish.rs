//! Mish — x · tanh(ln(1 + eˣ)), elementwise; evaluated in f64 and rounded once. At −Inf the formula is NaN.

use onnx_arithmetic::functions::Function;

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{OpDef, op, v};
use crate::shared::activation;
use crate::shared::elementwise::{Hard, estimated};

pub const OP: OpDef = op(
    "Mish",
    &[
        v(18, First, |call| {
            estimated(call, Function::Mish, activation::mish, HARD)
        }),
        v(22, TypesOnly, |call| {
            estimated(call, Function::Mish, activation::mish, HARD)
        }),
    ],
);

/// Found by `exhaustive --what float` among all 2³² arguments.
const HARD: Hard = &[(0xB3A0_0000, 0xB33F_FFFF)];
