//! Sinh — hyperbolic sine, elementwise; evaluated in f64 and rounded once.

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{OpDef, op, v};
use crate::shared::elementwise::{Hard, float_but};

pub const OP: OpDef = op(
    "Sinh",
    &[
        v(9, First, |call| float_but(call, libm::sinh, HARD)),
        v(22, TypesOnly, |call| float_but(call, libm::sinh, HARD)),
    ],
);

/// Found by `exhaustive --what float` among all 2³² arguments.
const HARD: Hard = &[(0x3A12_85FF, 0x3A12_85FF), (0xBA12_85FF, 0xBA12_85FF)];
