//! Optionals (`onnx/defs/optional`).

// The rest of this file is written by `cargo xtask generate index`.

mod optional_construct;
mod optional_get_element;
mod optional_has_element;

use crate::frame::OpDef;

#[rustfmt::skip]
pub(crate) const OPERATORS: &[&OpDef] = &[
    &optional_construct::OP,
    &optional_get_element::OP,
    &optional_has_element::OP,
];
