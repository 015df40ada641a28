//! Generated from onnx 1.23.2 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static TAN: [OperatorSchema; 2] = [
    schema("", "Tan", 7, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Tan", 22, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ACOS_22_T)]),
];

pub(super) static TANH: [OperatorSchema; 3] = [
    schema("", "Tanh", 1, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[unset("consumed_inputs", Ints)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Tanh", 6, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Tanh", 13, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ACOS_22_T)]),
];

pub(super) static TENSOR_SCATTER: [OperatorSchema; 1] = [schema("", "TensorScatter", 24, (2, 3), (1, 1))
    .inputs(&[
        single("past_cache", of("T")),
        single("update", of("T")),
        optional("write_indices", is(TENSOR_INT64)),
    ])
    .outputs(&[single("present_cache", of("T"))])
    .attributes(&[int("axis", -2), string("mode", "linear")])
    .constraints(&[constraint("T", CONSTANT_24_T)])];

pub(super) static TF_IDF_VECTORIZER: [OperatorSchema; 1] = [schema("", "TfIdfVectorizer", 9, (1, 1), (1, 1))
    .inputs(&[single("X", of("T"))])
    .outputs(&[single("Y", of("T1"))])
    .attributes(&[
        required("max_gram_length", Int),
        required("max_skip_count", Int),
        required("min_gram_length", Int),
        required("mode", String),
        required("ngram_counts", Ints),
        required("ngram_indexes", Ints),
        unset("pool_int64s", Ints),
        unset("pool_strings", Strings),
        unset("weights", Floats),
    ])
    .constraints(&[
        constraint("T", TF_IDF_VECTORIZER_9_T),
        constraint("T1", TENSOR_FLOAT),
    ])];

pub(super) static THRESHOLDED_RELU: [OperatorSchema; 2] = [
    schema("", "ThresholdedRelu", 10, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[float("alpha", 1.0)])
        .constraints(&[constraint("T", ABS_1_T)])
        .function(FunctionKind::Static),
    schema("", "ThresholdedRelu", 22, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[float("alpha", 1.0)])
        .constraints(&[constraint("T", ACOS_22_T)])
        .function(FunctionKind::Static),
];

pub(super) static TILE: [OperatorSchema; 3] = [
    schema("", "Tile", 1, (3, 3), (1, 1))
        .inputs(&[
            single("input", of("T")),
            single("tiles", of("T")),
            single("axis", of("T")),
        ])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ABS_1_T), constraint("T1", TENSOR_INT64)]),
    schema("", "Tile", 6, (2, 2), (1, 1))
        .inputs(&[single("input", of("T")), single("repeats", of("T1"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", COMPRESS_9_T), constraint("T1", TENSOR_INT64)]),
    schema("", "Tile", 13, (2, 2), (1, 1))
        .inputs(&[single("input", of("T")), single("repeats", of("T1"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[
            constraint("T", CENTER_CROP_PAD_18_T),
            constraint("T1", TENSOR_INT64),
        ]),
];

pub(super) static TOP_K: [OperatorSchema; 4] = [
    schema("", "TopK", 1, (1, 1), (2, 2))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Values", of("T")), single("Indices", of("I"))])
        .attributes(&[int("axis", -1), required("k", Int)])
        .constraints(&[constraint("T", ABS_1_T), constraint("I", TENSOR_INT64)]),
    schema("", "TopK", 10, (2, 2), (2, 2))
        .inputs(&[single("X", of("T")), single("K", is(TENSOR_INT64))])
        .outputs(&[single("Values", of("T")), single("Indices", of("I"))])
        .attributes(&[int("axis", -1)])
        .constraints(&[constraint("T", ABS_1_T), constraint("I", TENSOR_INT64)]),
    schema("", "TopK", 11, (2, 2), (2, 2))
        .inputs(&[single("X", of("T")), single("K", is(TENSOR_INT64))])
        .outputs(&[single("Values", of("T")), single("Indices", of("I"))])
        .attributes(&[int("axis", -1), int("largest", 1), int("sorted", 1)])
        .constraints(&[constraint("T", ABS_6_T), constraint("I", TENSOR_INT64)]),
    schema("", "TopK", 24, (2, 2), (2, 2))
        .inputs(&[single("X", of("T")), single("K", is(TENSOR_INT64))])
        .outputs(&[single("Values", of("T")), single("Indices", of("I"))])
        .attributes(&[int("axis", -1), int("largest", 1), int("sorted", 1)])
        .constraints(&[constraint("T", ABS_13_T), constraint("I", TENSOR_INT64)]),
];

pub(super) static TRANSPOSE: [OperatorSchema; 6] = [
    schema("", "Transpose", 1, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("transposed", of("T"))])
        .attributes(&[unset("perm", Ints)])
        .constraints(&[constraint("T", COMPRESS_9_T)]),
    schema("", "Transpose", 13, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("transposed", of("T"))])
        .attributes(&[unset("perm", Ints)])
        .constraints(&[constraint("T", CENTER_CROP_PAD_18_T)]),
    schema("", "Transpose", 21, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("transposed", of("T"))])
        .attributes(&[unset("perm", Ints)])
        .constraints(&[constraint("T", CONSTANT_21_T)]),
    schema("", "Transpose", 23, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("transposed", of("T"))])
        .attributes(&[unset("perm", Ints)])
        .constraints(&[constraint("T", CONSTANT_23_T)]),
    schema("", "Transpose", 24, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("transposed", of("T"))])
        .attributes(&[unset("perm", Ints)])
        .constraints(&[constraint("T", CONSTANT_24_T)]),
    schema("", "Transpose", 25, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("transposed", of("T"))])
        .attributes(&[unset("perm", Ints)])
        .constraints(&[constraint("T", CONSTANT_25_T)]),
];

pub(super) static TRILU: [OperatorSchema; 1] = [schema("", "Trilu", 14, (1, 2), (1, 1))
    .inputs(&[single("input", of("T")), optional("k", is(TENSOR_INT64))])
    .outputs(&[single("output", of("T"))])
    .attributes(&[int("upper", 1)])
    .constraints(&[constraint("T", CENTER_CROP_PAD_18_T)])];
