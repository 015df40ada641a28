//! Round — the nearest integer, halves to even, elementwise; exact.

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{OpDef, op, v};
use crate::shared::elementwise::float;

pub const OP: OpDef = op(
    "Round",
    &[
        v(11, First, |call| float(call, f64::round_ties_even)),
        v(22, TypesOnly, |call| float(call, f64::round_ties_even)),
    ],
);
