//! Recurrent networks (`onnx/defs/rnn`).

pub(crate) use activation::{Activation, functions as activation_functions};
pub(crate) use layer::{has_peepholes, lengths};

// The rest of this file is written by `cargo xtask generate index`.

mod activation;
mod gates;
mod gru;
mod layer;
mod lstm;
mod simple_rnn;

use crate::frame::OpDef;

#[rustfmt::skip]
pub(crate) const OPERATORS: &[&OpDef] = &[
    &gru::OP,
    &lstm::OP,
    &simple_rnn::OP,
];
