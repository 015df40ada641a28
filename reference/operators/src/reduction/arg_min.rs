//! ArgMin — the index of the least element along an axis; the first of equal elements or, since 12 with
//! `select_last_index`, the last.

use super::arg::arg;
use crate::frame::Change::{First, Semantics, TypesOnly, Wording};
use crate::frame::{OpDef, op, v};
use crate::shared::extremum::Extremum::Min;

pub const OP: OpDef = op(
    "ArgMin",
    &[
        v(1, First, |call| arg(call, Min, false)),
        v(11, Wording, |call| arg(call, Min, false)),
        v(12, Semantics, |call| {
            arg(call, Min, call.flag("select_last_index")?)
        }),
        v(13, TypesOnly, |call| {
            arg(call, Min, call.flag("select_last_index")?)
        }),
    ],
);
