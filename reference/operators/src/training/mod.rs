//! Training (`ai.onnx.preview.training`).

// The rest of this file is written by `cargo xtask generate index`.

mod adagrad;
mod adam;
mod function;
mod gradient;
mod momentum;
mod optimizer;
mod rules;
mod subgraph;
mod tape;

use crate::frame::OpDef;

#[rustfmt::skip]
pub(crate) const OPERATORS: &[&OpDef] = &[
    &adagrad::OP,
    &adam::OP,
    &gradient::OP,
    &momentum::OP,
];
