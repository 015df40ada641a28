//! Images (`onnx/defs/image`).

// The rest of this file is written by `cargo xtask generate index`.

mod image_decoder;

use crate::frame::OpDef;

#[rustfmt::skip]
pub(crate) const OPERATORS: &[&OpDef] = &[
    &image_decoder::OP,
];
