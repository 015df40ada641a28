//! Mathematics (`onnx/defs/math`): elementwise functions, products, transforms.

// The rest of this file is written by `cargo xtask generate index`.

mod add;
mod elementwise;
mod exp;

use crate::frame::OpDef;

#[rustfmt::skip]
pub(crate) const OPERATORS: &[&OpDef] = &[
    &add::OP,
    &exp::OP,
];
