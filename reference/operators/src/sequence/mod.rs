//! Sequences (`onnx/defs/sequence`).

// The rest of this file is written by `cargo xtask generate index`.

mod concat_from_sequence;
mod position;
mod sequence_at;
mod sequence_construct;
mod sequence_empty;
mod sequence_erase;
mod sequence_insert;
mod sequence_length;
mod split_to_sequence;

use crate::frame::OpDef;

#[rustfmt::skip]
pub(crate) const OPERATORS: &[&OpDef] = &[
    &concat_from_sequence::OP,
    &sequence_at::OP,
    &sequence_construct::OP,
    &sequence_empty::OP,
    &sequence_erase::OP,
    &sequence_insert::OP,
    &sequence_length::OP,
    &split_to_sequence::OP,
];
