//! Sqrt — square root, elementwise; NaN below 0; correctly rounded.

use crate::frame::Change::{First, TypesOnly, Wording};
use crate::frame::{OpDef, op, v};
use crate::shared::elementwise::float;

pub const OP: OpDef = op(
    "Sqrt",
    &[
        v(1, First, |call| float(call, f64::sqrt)),
        v(6, Wording, |call| float(call, f64::sqrt)),
        v(13, TypesOnly, |call| float(call, f64::sqrt)),
    ],
);
