//! Asinh — inverse hyperbolic sine, elementwise; evaluated in f64 and rounded once.

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{OpDef, op, v};
use crate::shared::elementwise::{Hard, float_but};

pub const OP: OpDef = op(
    "Asinh",
    &[
        v(9, First, |call| float_but(call, libm::asinh, HARD)),
        v(22, TypesOnly, |call| float_but(call, libm::asinh, HARD)),
    ],
);

/// Found by `exhaustive --what float` among all 2³² arguments.
const HARD: Hard = &[
    (0x4BDD_65A5, 0x418F_034B),
    (0x5E68_984E, 0x422E_4A21),
    (0x6558_90D3, 0x4254_D1F9),
    (0xCBDD_65A5, 0xC18F_034B),
    (0xDE68_984E, 0xC22E_4A21),
    (0xE558_90D3, 0xC254_D1F9),
];
