//! Control flow (`onnx/defs/controlflow`): operators that run a body.

// The rest of this file is written by `cargo xtask generate index`.

mod body;
mod dimensions;
mod r#if;
mod r#loop;
mod scan;
mod scan_output;
mod sequence_map;

use crate::frame::OpDef;

#[rustfmt::skip]
pub(crate) const OPERATORS: &[&OpDef] = &[
    &r#if::OP,
    &r#loop::OP,
    &scan::OP,
    &sequence_map::OP,
];
