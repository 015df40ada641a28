//! StringConcat — concatenates strings elementwise, with multidirectional broadcasting.

use crate::frame::Change::First;
use crate::frame::{OpDef, op, v};
use crate::shared::elementwise::{Broadcasting, binary};

pub const OP: OpDef = op(
    "StringConcat",
    &[v(20, First, |call| {
        binary(call, Broadcasting::Multidirectional, |x: &String, y: &String| {
            Ok([x.as_str(), y].concat())
        })
    })],
);
