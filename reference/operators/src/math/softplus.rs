//! Softplus — ln(1 + eˣ), elementwise; evaluated in f64 and rounded once.

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{OpDef, op, v};
use crate::shared::activation;
use crate::shared::elementwise::{Hard, float_but};

pub const OP: OpDef = op(
    "Softplus",
    &[
        v(1, First, |call| float_but(call, activation::softplus, HARD)),
        v(22, TypesOnly, |call| float_but(call, activation::softplus, HARD)),
    ],
);

/// Found by `exhaustive --what float` among all 2³² arguments.
const HARD: Hard = &[(0x39EA_41D0, 0x3F31_80BD)];
