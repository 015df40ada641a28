//! ArgMax — the index of the greatest element along an axis; the first of equal elements or, since 12 with
//! `select_last_index`, the last.

use super::arg::arg;
use crate::frame::Change::{First, Semantics, TypesOnly, Wording};
use crate::frame::{OpDef, op, v};
use crate::shared::extremum::Extremum::Max;

pub const OP: OpDef = op(
    "ArgMax",
    &[
        v(1, First, |call| arg(call, Max, false)),
        v(11, Wording, |call| arg(call, Max, false)),
        v(12, Semantics, |call| {
            arg(call, Max, call.flag("select_last_index")?)
        }),
        v(13, TypesOnly, |call| {
            arg(call, Max, call.flag("select_last_index")?)
        }),
    ],
);
