//! Logic, comparison and bits (`onnx/defs/logical`).

// The rest of this file is written by `cargo xtask generate index`.

mod and;
mod bit_shift;
mod bitwise_and;
mod bitwise_not;
mod bitwise_or;
mod bitwise_xor;
mod classify;
mod equal;
mod greater;
mod greater_or_equal;
mod is_inf;
mod is_nan;
mod less;
mod less_or_equal;
mod not;
mod or;
mod xor;

use crate::frame::OpDef;

#[rustfmt::skip]
pub(crate) const OPERATORS: &[&OpDef] = &[
    &and::OP,
    &bit_shift::OP,
    &bitwise_and::OP,
    &bitwise_not::OP,
    &bitwise_or::OP,
    &bitwise_xor::OP,
    &equal::OP,
    &greater::OP,
    &greater_or_equal::OP,
    &is_inf::OP,
    &is_nan::OP,
    &less::OP,
    &less_or_equal::OP,
    &not::OP,
    &or::OP,
    &xor::OP,
];
