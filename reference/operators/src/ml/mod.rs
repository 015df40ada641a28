//! Classical machine learning (`ai.onnx.ml`, `onnx/defs/traditionalml`).

// The rest of this file is written by `cargo xtask generate index`.

mod array_feature_extractor;
mod binarizer;
mod cast_map;
mod category_mapper;
mod coupling;
mod dict_vectorizer;
mod feature_vectorizer;
mod features;
mod forest;
mod imputer;
mod label_encoder;
mod labels;
mod linear;
mod linear_classifier;
mod linear_regressor;
mod listed_trees;
mod lists;
mod lookup;
mod normalizer;
mod one_hot_encoder;
mod post_transform;
mod scaler;
mod scores;
mod svm;
mod svm_classifier;
mod svm_regressor;
mod tree_ensemble;
mod tree_ensemble_classifier;
mod tree_ensemble_regressor;
mod zip_map;

use crate::frame::OpDef;

#[rustfmt::skip]
pub(crate) const OPERATORS: &[&OpDef] = &[
    &array_feature_extractor::OP,
    &binarizer::OP,
    &cast_map::OP,
    &category_mapper::OP,
    &dict_vectorizer::OP,
    &feature_vectorizer::OP,
    &imputer::OP,
    &label_encoder::OP,
    &linear_classifier::OP,
    &linear_regressor::OP,
    &normalizer::OP,
    &one_hot_encoder::OP,
    &scaler::OP,
    &svm_classifier::OP,
    &svm_regressor::OP,
    &tree_ensemble::OP,
    &tree_ensemble_classifier::OP,
    &tree_ensemble_regressor::OP,
    &zip_map::OP,
];
