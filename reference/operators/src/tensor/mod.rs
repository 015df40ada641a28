//! Tensors (`onnx/defs/tensor`): shape, layout, indexing, type conversion.

// The rest of this file is written by `cargo xtask generate index`.

mod r#where;

use crate::frame::OpDef;

#[rustfmt::skip]
pub(crate) const OPERATORS: &[&OpDef] = &[
    &r#where::OP,
];
