//! Text (`onnx/defs/text` and the string operators).

// The rest of this file is written by `cargo xtask generate index`.

mod ngrams;
mod regex_full_match;
mod string_concat;
mod string_normalizer;
mod string_split;
mod tf_idf_vectorizer;

use crate::frame::OpDef;

#[rustfmt::skip]
pub(crate) const OPERATORS: &[&OpDef] = &[
    &regex_full_match::OP,
    &string_concat::OP,
    &string_normalizer::OP,
    &string_split::OP,
    &tf_idf_vectorizer::OP,
];
