//! Cos — cosine of an angle in radians, elementwise; evaluated in f64 and rounded once.

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{OpDef, op, v};
use crate::shared::elementwise::{Hard, float_but};

pub const OP: OpDef = op(
    "Cos",
    &[
        v(7, First, |call| float_but(call, libm::cos, HARD)),
        v(22, TypesOnly, |call| float_but(call, libm::cos, HARD)),
    ],
);

/// Found by `exhaustive --what float` among all 2³² arguments.
const HARD: Hard = &[
    (0x5F18_B878, 0x3F7F_14BB),
    (0x6115_CB11, 0x3F78_142F),
    (0xDF18_B878, 0x3F7F_14BB),
    (0xE115_CB11, 0x3F78_142F),
];
