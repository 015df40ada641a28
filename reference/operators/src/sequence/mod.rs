//! Sequences (`onnx/defs/sequence`).

// The rest of this file is written by `cargo xtask generate index`.

use crate::frame::OpDef;

#[rustfmt::skip]
pub(crate) const OPERATORS: &[&OpDef] = &[];
