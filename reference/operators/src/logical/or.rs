//! Or — disjunction of two truth values, elementwise.

use crate::frame::Change::{First, Semantics};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::elementwise::Broadcasting::{self, Legacy, Multidirectional};
use crate::shared::elementwise::binary;

pub const OP: OpDef = op(
    "Or",
    &[
        v(1, First, |call| or(call, Legacy)),
        v(7, Semantics, |call| or(call, Multidirectional)),
    ],
);

fn or(call: &Call<'_>, broadcasting: Broadcasting) -> Result<Outputs, OpError> {
    binary(call, broadcasting, |a: &bool, b: &bool| Ok(*a || *b))
}
