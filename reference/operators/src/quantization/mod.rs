//! Quantization (`onnx/defs/quantization`).

// The rest of this file is written by `cargo xtask generate index`.

mod dequantize_linear;
mod dynamic_quantize_linear;
mod quantize_linear;
mod scaling;

use crate::frame::OpDef;

#[rustfmt::skip]
pub(crate) const OPERATORS: &[&OpDef] = &[
    &dequantize_linear::OP,
    &dynamic_quantize_linear::OP,
    &quantize_linear::OP,
];
