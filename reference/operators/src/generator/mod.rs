//! Generators (`onnx/defs/generator`): constants, ranges, random values.

// The rest of this file is written by `cargo xtask generate index`.

mod constant;
mod constant_of_shape;
mod eye_like;
mod range;

use crate::frame::OpDef;

#[rustfmt::skip]
pub(crate) const OPERATORS: &[&OpDef] = &[
    &constant::OP,
    &constant_of_shape::OP,
    &eye_like::OP,
    &range::OP,
];
