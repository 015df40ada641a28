//! The preview domain (`ai.onnx.preview`).

// The rest of this file is written by `cargo xtask generate index`.

mod flex_attention;

use crate::frame::OpDef;

#[rustfmt::skip]
pub(crate) const OPERATORS: &[&OpDef] = &[
    &flex_attention::OP,
];
