//! Acos — arc cosine in radians; NaN outside [−1, 1], elementwise; evaluated in f64 and rounded once.

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{OpDef, op, v};
use crate::shared::elementwise::{Hard, float_but};

pub const OP: OpDef = op(
    "Acos",
    &[
        v(7, First, |call| float_but(call, libm::acos, HARD)),
        v(22, TypesOnly, |call| float_but(call, libm::acos, HARD)),
    ],
);

/// Found by `exhaustive --what float` among all 2³² arguments.
const HARD: Hard = &[(0x3288_85A3, 0x3FC9_0FDB), (0x3982_6222, 0x3FC9_07B5)];
