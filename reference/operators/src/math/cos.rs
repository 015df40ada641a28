//! Cos — cosine of an angle in radians, elementwise; evaluated in f64 and rounded once.

use onnx_arithmetic::functions::Function;

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{OpDef, op, v};
use crate::shared::elementwise::{Hard, estimated};

pub const OP: OpDef = op(
    "Cos",
    &[
        v(7, First, |call| estimated(call, Function::Cos, libm::cos, HARD)),
        v(22, TypesOnly, |call| {
            estimated(call, Function::Cos, libm::cos, HARD)
        }),
    ],
);

/// Found by `exhaustive --what float` among all 2³² arguments.
const HARD: Hard = &[
    (0x5F18_B878, 0x3F7F_14BB),
    (0x6115_CB11, 0x3F78_142F),
    (0xDF18_B878, 0x3F7F_14BB),
    (0xE115_CB11, 0x3F78_142F),
];
