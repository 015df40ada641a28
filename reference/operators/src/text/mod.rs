//! Text (`onnx/defs/text` and the string operators).

// The rest of this file is written by `cargo xtask generate index`.

use crate::frame::OpDef;

#[rustfmt::skip]
pub(crate) const OPERATORS: &[&OpDef] = &[];
