//! IsNaN — whether the element is NaN.

use super::classify::classify;
use crate::frame::Change::{First, TypesOnly};
use crate::frame::{OpDef, op, v};

pub const OP: OpDef = op(
    "IsNaN",
    &[
        v(9, First, |call| classify(call, f64::is_nan)),
        v(13, TypesOnly, |call| classify(call, f64::is_nan)),
        v(20, TypesOnly, |call| classify(call, f64::is_nan)),
    ],
);
