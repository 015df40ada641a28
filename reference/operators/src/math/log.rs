//! Log — natural logarithm, elementwise; −Inf at 0, NaN below 0; evaluated in f64 and rounded once.

use onnx_arithmetic::functions::Function;

use crate::frame::Change::{First, TypesOnly, Wording};
use crate::frame::{OpDef, op, v};
use crate::shared::elementwise::{Hard, estimated};

pub const OP: OpDef = op(
    "Log",
    &[
        v(1, First, |call| estimated(call, Function::Log, libm::log, HARD)),
        v(6, Wording, |call| estimated(call, Function::Log, libm::log, HARD)),
        v(13, TypesOnly, |call| {
            estimated(call, Function::Log, libm::log, HARD)
        }),
    ],
);

/// Found by `exhaustive --what float` among all 2³² arguments.
const HARD: Hard = &[
    (0x3C41_3D3A, 0xC08E_158F),
    (0x4117_8FEB, 0x400F_E5E7),
    (0x4C5D_65A5, 0x418F_034B),
    (0x65D8_90D3, 0x4254_D1F9),
    (0x6F31_A8EC, 0x4284_5A89),
];
