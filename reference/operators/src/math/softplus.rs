//! Softplus — ln(1 + eˣ), elementwise; evaluated in f64 and rounded once.

use onnx_arithmetic::functions::Function;

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{OpDef, op, v};
use crate::shared::activation;
use crate::shared::elementwise::{Hard, estimated};

pub const OP: OpDef = op(
    "Softplus",
    &[
        v(1, First, |call| {
            estimated(call, Function::Softplus, activation::softplus, HARD)
        }),
        v(22, TypesOnly, |call| {
            estimated(call, Function::Softplus, activation::softplus, HARD)
        }),
    ],
);

/// Found by `exhaustive --what float` among all 2³² arguments.
const HARD: Hard = &[(0x39EA_41D0, 0x3F31_80BD)];
