//! Object detection (`onnx/defs/object_detection`).

// The rest of this file is written by `cargo xtask generate index`.

mod non_max_suppression;
mod roi_align;

use crate::frame::OpDef;

#[rustfmt::skip]
pub(crate) const OPERATORS: &[&OpDef] = &[
    &non_max_suppression::OP,
    &roi_align::OP,
];
