//! Exp — eˣ, elementwise; evaluated in f64 and rounded once.

use super::elementwise::unary_float;
use crate::frame::Change::{First, TypesOnly, Wording};
use crate::frame::{OpDef, op, v};

pub const OP: OpDef = op(
    "Exp",
    &[
        v(1, First, |call| unary_float(call, f64::exp)),
        v(6, Wording, |call| unary_float(call, f64::exp)),
        v(13, TypesOnly, |call| unary_float(call, f64::exp)),
    ],
);
