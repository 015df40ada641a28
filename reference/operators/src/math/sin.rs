//! Sin — sine of an angle in radians, elementwise; evaluated in f64 and rounded once.

use onnx_arithmetic::functions::Function;

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{OpDef, op, v};
use crate::shared::elementwise::{Hard, estimated};

pub const OP: OpDef = op(
    "Sin",
    &[
        v(7, First, |call| estimated(call, Function::Sin, libm::sin, HARD)),
        v(22, TypesOnly, |call| {
            estimated(call, Function::Sin, libm::sin, HARD)
        }),
    ],
);

/// Found by `exhaustive --what float` among all 2³² arguments.
const HARD: Hard = &[(0x4619_9998, 0xBEB1_FA5D), (0xC619_9998, 0x3EB1_FA5D)];
