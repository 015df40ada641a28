//! Acosh — inverse hyperbolic cosine; NaN below 1, elementwise; evaluated in f64 and rounded once.

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{OpDef, op, v};
use crate::shared::elementwise::{Hard, float_but};

pub const OP: OpDef = op(
    "Acosh",
    &[
        v(9, First, |call| float_but(call, acosh, HARD)),
        v(22, TypesOnly, |call| float_but(call, acosh, HARD)),
    ],
);

fn acosh(x: f64) -> f64 {
    // libm cancels instead of returning NaN between −2²⁶ and −2.
    if x < 1.0 { f64::NAN } else { libm::acosh(x) }
}

/// Found by `exhaustive --what float` among all 2³² arguments.
const HARD: Hard = &[(0x5E68_984E, 0x422E_4A21), (0x6558_90D3, 0x4254_D1F9)];
