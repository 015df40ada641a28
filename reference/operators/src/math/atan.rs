//! Atan — arc tangent in radians, elementwise; evaluated in f64 and rounded once.

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{OpDef, op, v};
use crate::shared::elementwise::{Hard, float_but};

pub const OP: OpDef = op(
    "Atan",
    &[
        v(7, First, |call| float_but(call, libm::atan, HARD)),
        v(22, TypesOnly, |call| float_but(call, libm::atan, HARD)),
    ],
);

/// Found by `exhaustive --what float` among all 2³² arguments.
const HARD: Hard = &[(0x3D8D_6B23, 0x3D8D_31C3), (0xBD8D_6B23, 0xBD8D_31C3)];
