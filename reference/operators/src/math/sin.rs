//! Sin — sine of an angle in radians, elementwise; evaluated in f64 and rounded once.

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{OpDef, op, v};
use crate::shared::elementwise::{Hard, float_but};

pub const OP: OpDef = op(
    "Sin",
    &[
        v(7, First, |call| float_but(call, libm::sin, HARD)),
        v(22, TypesOnly, |call| float_but(call, libm::sin, HARD)),
    ],
);

/// Found by `exhaustive --what float` among all 2³² arguments.
const HARD: Hard = &[(0x4619_9998, 0xBEB1_FA5D), (0xC619_9998, 0x3EB1_FA5D)];
