//! Generated from onnx 1.23.2 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static RMS_NORMALIZATION: [OperatorSchema; 1] =
    [schema("", "RMSNormalization", 23, (2, 2), (1, 1))
        .inputs(&[single("X", of("T")), single("scale", of("V"))])
        .outputs(&[single("Y", of("V"))])
        .attributes(&[int("axis", -1), float("epsilon", 1e-05), int("stash_type", 1)])
        .constraints(&[constraint("T", ACOS_22_T), constraint("V", ACOS_22_T)])
        .function(FunctionKind::ContextDependent)];

pub(super) static RNN: [OperatorSchema; 4] = [
    schema("", "RNN", 1, (3, 6), (0, 2))
        .inputs(&[
            single("X", of("T")),
            single("W", of("T")),
            single("R", of("T")),
            optional("B", of("T")),
            optional("sequence_lens", of("T1")),
            optional("initial_h", of("T")),
        ])
        .outputs(&[optional("Y", of("T")), optional("Y_h", of("T"))])
        .attributes(&[
            unset("activation_alpha", Floats),
            unset("activation_beta", Floats),
            strings("activations", &["Tanh", "Tanh"]),
            unset("clip", Float),
            string("direction", "forward"),
            unset("hidden_size", Int),
            int("output_sequence", 0),
        ])
        .constraints(&[constraint("T", ABS_1_T), constraint("T1", TENSOR_INT32)]),
    schema("", "RNN", 7, (3, 6), (0, 2))
        .inputs(&[
            single("X", of("T")),
            single("W", of("T")),
            single("R", of("T")),
            optional("B", of("T")),
            optional("sequence_lens", of("T1")),
            optional("initial_h", of("T")),
        ])
        .outputs(&[optional("Y", of("T")), optional("Y_h", of("T"))])
        .attributes(&[
            unset("activation_alpha", Floats),
            unset("activation_beta", Floats),
            strings("activations", &["Tanh", "Tanh"]),
            unset("clip", Float),
            string("direction", "forward"),
            unset("hidden_size", Int),
        ])
        .constraints(&[constraint("T", ABS_1_T), constraint("T1", TENSOR_INT32)]),
    schema("", "RNN", 14, (3, 6), (0, 2))
        .inputs(&[
            single("X", of("T")),
            single("W", of("T")),
            single("R", of("T")),
            optional("B", of("T")),
            optional("sequence_lens", of("T1")),
            optional("initial_h", of("T")),
        ])
        .outputs(&[optional("Y", of("T")), optional("Y_h", of("T"))])
        .attributes(&[
            unset("activation_alpha", Floats),
            unset("activation_beta", Floats),
            strings("activations", &["Tanh", "Tanh"]),
            unset("clip", Float),
            string("direction", "forward"),
            unset("hidden_size", Int),
            int("layout", 0),
        ])
        .constraints(&[constraint("T", ABS_1_T), constraint("T1", TENSOR_INT32)]),
    schema("", "RNN", 22, (3, 6), (0, 2))
        .inputs(&[
            single("X", of("T")),
            single("W", of("T")),
            single("R", of("T")),
            optional("B", of("T")),
            optional("sequence_lens", of("T1")),
            optional("initial_h", of("T")),
        ])
        .outputs(&[optional("Y", of("T")), optional("Y_h", of("T"))])
        .attributes(&[
            unset("activation_alpha", Floats),
            unset("activation_beta", Floats),
            strings("activations", &["Tanh", "Tanh"]),
            unset("clip", Float),
            string("direction", "forward"),
            unset("hidden_size", Int),
            int("layout", 0),
        ])
        .constraints(&[constraint("T", ACOS_22_T), constraint("T1", TENSOR_INT32)]),
];

pub(super) static RANDOM_NORMAL: [OperatorSchema; 2] = [
    schema("", "RandomNormal", 1, (0, 0), (1, 1))
        .outputs(&[single("output", of("T"))])
        .attributes(&[
            int("dtype", 1),
            float("mean", 0.0),
            float("scale", 1.0),
            unset("seed", Float),
            required("shape", Ints),
        ])
        .constraints(&[constraint("T", ABS_1_T)])
        .nondeterministic(),
    schema("", "RandomNormal", 22, (0, 0), (1, 1))
        .outputs(&[single("output", of("T"))])
        .attributes(&[
            int("dtype", 1),
            float("mean", 0.0),
            float("scale", 1.0),
            unset("seed", Float),
            required("shape", Ints),
        ])
        .constraints(&[constraint("T", ACOS_22_T)])
        .nondeterministic(),
];

pub(super) static RANDOM_NORMAL_LIKE: [OperatorSchema; 2] = [
    schema("", "RandomNormalLike", 1, (1, 1), (1, 1))
        .inputs(&[single("input", of("T1"))])
        .outputs(&[single("output", of("T2"))])
        .attributes(&[
            unset("dtype", Int),
            float("mean", 0.0),
            float("scale", 1.0),
            unset("seed", Float),
        ])
        .constraints(&[constraint("T1", COMPRESS_9_T), constraint("T2", ABS_1_T)])
        .nondeterministic(),
    schema("", "RandomNormalLike", 22, (1, 1), (1, 1))
        .inputs(&[single("input", of("T1"))])
        .outputs(&[single("output", of("T2"))])
        .attributes(&[
            unset("dtype", Int),
            float("mean", 0.0),
            float("scale", 1.0),
            unset("seed", Float),
        ])
        .constraints(&[
            constraint("T1", CENTER_CROP_PAD_18_T),
            constraint("T2", ACOS_22_T),
        ])
        .nondeterministic(),
];

pub(super) static RANDOM_UNIFORM: [OperatorSchema; 2] = [
    schema("", "RandomUniform", 1, (0, 0), (1, 1))
        .outputs(&[single("output", of("T"))])
        .attributes(&[
            int("dtype", 1),
            float("high", 1.0),
            float("low", 0.0),
            unset("seed", Float),
            required("shape", Ints),
        ])
        .constraints(&[constraint("T", ABS_1_T)])
        .nondeterministic(),
    schema("", "RandomUniform", 22, (0, 0), (1, 1))
        .outputs(&[single("output", of("T"))])
        .attributes(&[
            int("dtype", 1),
            float("high", 1.0),
            float("low", 0.0),
            unset("seed", Float),
            required("shape", Ints),
        ])
        .constraints(&[constraint("T", ACOS_22_T)])
        .nondeterministic(),
];

pub(super) static RANDOM_UNIFORM_LIKE: [OperatorSchema; 2] = [
    schema("", "RandomUniformLike", 1, (1, 1), (1, 1))
        .inputs(&[single("input", of("T1"))])
        .outputs(&[single("output", of("T2"))])
        .attributes(&[
            unset("dtype", Int),
            float("high", 1.0),
            float("low", 0.0),
            unset("seed", Float),
        ])
        .constraints(&[constraint("T1", COMPRESS_9_T), constraint("T2", ABS_1_T)])
        .nondeterministic(),
    schema("", "RandomUniformLike", 22, (1, 1), (1, 1))
        .inputs(&[single("input", of("T1"))])
        .outputs(&[single("output", of("T2"))])
        .attributes(&[
            unset("dtype", Int),
            float("high", 1.0),
            float("low", 0.0),
            unset("seed", Float),
        ])
        .constraints(&[
            constraint("T1", CENTER_CROP_PAD_18_T),
            constraint("T2", ACOS_22_T),
        ])
        .nondeterministic(),
];

pub(super) static RANGE: [OperatorSchema; 2] = [
    schema("", "Range", 11, (3, 3), (1, 1))
        .inputs(&[
            single("start", of("T")),
            single("limit", of("T")),
            single("delta", of("T")),
        ])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", RANGE_11_T)])
        .function(FunctionKind::Static),
    schema("", "Range", 27, (3, 3), (1, 1))
        .inputs(&[
            single("start", of("T")),
            single("limit", of("T")),
            single("delta", of("T")),
        ])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("stash_type", 1)])
        .constraints(&[constraint("T", RANGE_27_T)])
        .function(FunctionKind::ContextDependent),
];

pub(super) static RECIPROCAL: [OperatorSchema; 3] = [
    schema("", "Reciprocal", 1, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[unset("consumed_inputs", Ints)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Reciprocal", 6, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Reciprocal", 13, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", ACOS_22_T)]),
];

pub(super) static REDUCE_L1: [OperatorSchema; 4] = [
    schema("", "ReduceL1", 1, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[unset("axes", Ints), int("keepdims", 1)])
        .constraints(&[constraint("T", ADD_6_T)]),
    schema("", "ReduceL1", 11, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[unset("axes", Ints), int("keepdims", 1)])
        .constraints(&[constraint("T", ADD_6_T)]),
    schema("", "ReduceL1", 13, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[unset("axes", Ints), int("keepdims", 1)])
        .constraints(&[constraint("T", ADD_13_T)]),
    schema("", "ReduceL1", 18, (1, 2), (1, 1))
        .inputs(&[single("data", of("T")), optional("axes", is(TENSOR_INT64))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[int("keepdims", 1), int("noop_with_empty_axes", 0)])
        .constraints(&[constraint("T", ADD_13_T)])
        .function(FunctionKind::Static),
];

pub(super) static REDUCE_L2: [OperatorSchema; 4] = [
    schema("", "ReduceL2", 1, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[unset("axes", Ints), int("keepdims", 1)])
        .constraints(&[constraint("T", ADD_6_T)]),
    schema("", "ReduceL2", 11, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[unset("axes", Ints), int("keepdims", 1)])
        .constraints(&[constraint("T", ADD_6_T)]),
    schema("", "ReduceL2", 13, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[unset("axes", Ints), int("keepdims", 1)])
        .constraints(&[constraint("T", ADD_13_T)]),
    schema("", "ReduceL2", 18, (1, 2), (1, 1))
        .inputs(&[single("data", of("T")), optional("axes", is(TENSOR_INT64))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[int("keepdims", 1), int("noop_with_empty_axes", 0)])
        .constraints(&[constraint("T", ADD_13_T)])
        .function(FunctionKind::Static),
];

pub(super) static REDUCE_LOG_SUM: [OperatorSchema; 5] = [
    schema("", "ReduceLogSum", 1, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[unset("axes", Ints), int("keepdims", 1)])
        .constraints(&[constraint("T", ADD_6_T)]),
    schema("", "ReduceLogSum", 11, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[unset("axes", Ints), int("keepdims", 1)])
        .constraints(&[constraint("T", ADD_6_T)]),
    schema("", "ReduceLogSum", 13, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[unset("axes", Ints), int("keepdims", 1)])
        .constraints(&[constraint("T", ADD_13_T)]),
    schema("", "ReduceLogSum", 18, (1, 2), (1, 1))
        .inputs(&[single("data", of("T")), optional("axes", is(TENSOR_INT64))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[int("keepdims", 1), int("noop_with_empty_axes", 0)])
        .constraints(&[constraint("T", ADD_13_T)])
        .function(FunctionKind::Static),
    schema("", "ReduceLogSum", 28, (1, 2), (1, 1))
        .inputs(&[single("data", of("T")), optional("axes", is(TENSOR_INT64))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[int("keepdims", 1), int("noop_with_empty_axes", 0)])
        .constraints(&[constraint("T", ACOS_22_T)])
        .function(FunctionKind::Static),
];

pub(super) static REDUCE_LOG_SUM_EXP: [OperatorSchema; 5] = [
    schema("", "ReduceLogSumExp", 1, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[unset("axes", Ints), int("keepdims", 1)])
        .constraints(&[constraint("T", ADD_6_T)]),
    schema("", "ReduceLogSumExp", 11, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[unset("axes", Ints), int("keepdims", 1)])
        .constraints(&[constraint("T", ADD_6_T)]),
    schema("", "ReduceLogSumExp", 13, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[unset("axes", Ints), int("keepdims", 1)])
        .constraints(&[constraint("T", ADD_13_T)]),
    schema("", "ReduceLogSumExp", 18, (1, 2), (1, 1))
        .inputs(&[single("data", of("T")), optional("axes", is(TENSOR_INT64))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[int("keepdims", 1), int("noop_with_empty_axes", 0)])
        .constraints(&[constraint("T", ADD_13_T)])
        .function(FunctionKind::Static),
    schema("", "ReduceLogSumExp", 28, (1, 2), (1, 1))
        .inputs(&[single("data", of("T")), optional("axes", is(TENSOR_INT64))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[int("keepdims", 1), int("noop_with_empty_axes", 0)])
        .constraints(&[constraint("T", ACOS_22_T)])
        .function(FunctionKind::Static),
];

pub(super) static REDUCE_MAX: [OperatorSchema; 6] = [
    schema("", "ReduceMax", 1, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[unset("axes", Ints), int("keepdims", 1)])
        .constraints(&[constraint("T", ADD_6_T)]),
    schema("", "ReduceMax", 11, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[unset("axes", Ints), int("keepdims", 1)])
        .constraints(&[constraint("T", ADD_6_T)]),
    schema("", "ReduceMax", 12, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[unset("axes", Ints), int("keepdims", 1)])
        .constraints(&[constraint("T", REDUCE_MAX_12_T)]),
    schema("", "ReduceMax", 13, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[unset("axes", Ints), int("keepdims", 1)])
        .constraints(&[constraint("T", REDUCE_MAX_13_T)]),
    schema("", "ReduceMax", 18, (1, 2), (1, 1))
        .inputs(&[single("data", of("T")), optional("axes", is(TENSOR_INT64))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[int("keepdims", 1), int("noop_with_empty_axes", 0)])
        .constraints(&[constraint("T", REDUCE_MAX_13_T)]),
    schema("", "ReduceMax", 20, (1, 2), (1, 1))
        .inputs(&[single("data", of("T")), optional("axes", is(TENSOR_INT64))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[int("keepdims", 1), int("noop_with_empty_axes", 0)])
        .constraints(&[constraint("T", REDUCE_MAX_20_T)]),
];

pub(super) static REDUCE_MEAN: [OperatorSchema; 4] = [
    schema("", "ReduceMean", 1, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[unset("axes", Ints), int("keepdims", 1)])
        .constraints(&[constraint("T", ADD_6_T)]),
    schema("", "ReduceMean", 11, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[unset("axes", Ints), int("keepdims", 1)])
        .constraints(&[constraint("T", ADD_6_T)]),
    schema("", "ReduceMean", 13, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[unset("axes", Ints), int("keepdims", 1)])
        .constraints(&[constraint("T", ADD_13_T)]),
    schema("", "ReduceMean", 18, (1, 2), (1, 1))
        .inputs(&[single("data", of("T")), optional("axes", is(TENSOR_INT64))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[int("keepdims", 1), int("noop_with_empty_axes", 0)])
        .constraints(&[constraint("T", ADD_13_T)]),
];

pub(super) static REDUCE_MIN: [OperatorSchema; 6] = [
    schema("", "ReduceMin", 1, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[unset("axes", Ints), int("keepdims", 1)])
        .constraints(&[constraint("T", ADD_6_T)]),
    schema("", "ReduceMin", 11, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[unset("axes", Ints), int("keepdims", 1)])
        .constraints(&[constraint("T", ADD_6_T)]),
    schema("", "ReduceMin", 12, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[unset("axes", Ints), int("keepdims", 1)])
        .constraints(&[constraint("T", REDUCE_MAX_12_T)]),
    schema("", "ReduceMin", 13, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[unset("axes", Ints), int("keepdims", 1)])
        .constraints(&[constraint("T", REDUCE_MAX_13_T)]),
    schema("", "ReduceMin", 18, (1, 2), (1, 1))
        .inputs(&[single("data", of("T")), optional("axes", is(TENSOR_INT64))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[int("keepdims", 1), int("noop_with_empty_axes", 0)])
        .constraints(&[constraint("T", REDUCE_MAX_13_T)]),
    schema("", "ReduceMin", 20, (1, 2), (1, 1))
        .inputs(&[single("data", of("T")), optional("axes", is(TENSOR_INT64))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[int("keepdims", 1), int("noop_with_empty_axes", 0)])
        .constraints(&[constraint("T", REDUCE_MAX_20_T)]),
];

pub(super) static REDUCE_PROD: [OperatorSchema; 4] = [
    schema("", "ReduceProd", 1, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[unset("axes", Ints), int("keepdims", 1)])
        .constraints(&[constraint("T", ADD_6_T)]),
    schema("", "ReduceProd", 11, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[unset("axes", Ints), int("keepdims", 1)])
        .constraints(&[constraint("T", ADD_6_T)]),
    schema("", "ReduceProd", 13, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[unset("axes", Ints), int("keepdims", 1)])
        .constraints(&[constraint("T", ADD_13_T)]),
    schema("", "ReduceProd", 18, (1, 2), (1, 1))
        .inputs(&[single("data", of("T")), optional("axes", is(TENSOR_INT64))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[int("keepdims", 1), int("noop_with_empty_axes", 0)])
        .constraints(&[constraint("T", ADD_13_T)]),
];

pub(super) static REDUCE_SUM: [OperatorSchema; 3] = [
    schema("", "ReduceSum", 1, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[unset("axes", Ints), int("keepdims", 1)])
        .constraints(&[constraint("T", ADD_6_T)]),
    schema("", "ReduceSum", 11, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[unset("axes", Ints), int("keepdims", 1)])
        .constraints(&[constraint("T", ADD_6_T)]),
    schema("", "ReduceSum", 13, (1, 2), (1, 1))
        .inputs(&[single("data", of("T")), optional("axes", is(TENSOR_INT64))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[int("keepdims", 1), int("noop_with_empty_axes", 0)])
        .constraints(&[constraint("T", ADD_13_T)]),
];

pub(super) static REDUCE_SUM_SQUARE: [OperatorSchema; 4] = [
    schema("", "ReduceSumSquare", 1, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[unset("axes", Ints), int("keepdims", 1)])
        .constraints(&[constraint("T", ADD_6_T)]),
    schema("", "ReduceSumSquare", 11, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[unset("axes", Ints), int("keepdims", 1)])
        .constraints(&[constraint("T", ADD_6_T)]),
    schema("", "ReduceSumSquare", 13, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[unset("axes", Ints), int("keepdims", 1)])
        .constraints(&[constraint("T", ADD_13_T)]),
    schema("", "ReduceSumSquare", 18, (1, 2), (1, 1))
        .inputs(&[single("data", of("T")), optional("axes", is(TENSOR_INT64))])
        .outputs(&[single("reduced", of("T"))])
        .attributes(&[int("keepdims", 1), int("noop_with_empty_axes", 0)])
        .constraints(&[constraint("T", ADD_13_T)])
        .function(FunctionKind::Static),
];

pub(super) static REGEX_FULL_MATCH: [OperatorSchema; 1] = [schema("", "RegexFullMatch", 20, (1, 1), (1, 1))
    .inputs(&[single("X", of("T1"))])
    .outputs(&[single("Y", of("T2"))])
    .attributes(&[unset("pattern", String)])
    .constraints(&[constraint("T1", TENSOR_STRING), constraint("T2", TENSOR_BOOL)])];

pub(super) static RELU: [OperatorSchema; 4] = [
    schema("", "Relu", 1, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[unset("consumed_inputs", Ints)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Relu", 6, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Relu", 13, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", ACOS_22_T)]),
    schema("", "Relu", 14, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", NEG_13_T)])
        .function(FunctionKind::Static),
];

pub(super) static RESHAPE: [OperatorSchema; 9] = [
    schema("", "Reshape", 1, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reshaped", of("T"))])
        .attributes(&[unset("consumed_inputs", Ints), unset("shape", Ints)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Reshape", 5, (2, 2), (1, 1))
        .inputs(&[single("data", of("T")), single("shape", is(TENSOR_INT64))])
        .outputs(&[single("reshaped", of("T"))])
        .constraints(&[constraint("T", COMPRESS_9_T)]),
    schema("", "Reshape", 13, (2, 2), (1, 1))
        .inputs(&[single("data", of("T")), single("shape", is(TENSOR_INT64))])
        .outputs(&[single("reshaped", of("T"))])
        .constraints(&[constraint("T", CENTER_CROP_PAD_18_T)]),
    schema("", "Reshape", 14, (2, 2), (1, 1))
        .inputs(&[single("data", of("T")), single("shape", is(TENSOR_INT64))])
        .outputs(&[single("reshaped", of("T"))])
        .attributes(&[int("allowzero", 0)])
        .constraints(&[constraint("T", CENTER_CROP_PAD_18_T)]),
    schema("", "Reshape", 19, (2, 2), (1, 1))
        .inputs(&[single("data", of("T")), single("shape", is(TENSOR_INT64))])
        .outputs(&[single("reshaped", of("T"))])
        .attributes(&[int("allowzero", 0)])
        .constraints(&[constraint("T", CONSTANT_19_T)]),
    schema("", "Reshape", 21, (2, 2), (1, 1))
        .inputs(&[single("data", of("T")), single("shape", is(TENSOR_INT64))])
        .outputs(&[single("reshaped", of("T"))])
        .attributes(&[int("allowzero", 0)])
        .constraints(&[constraint("T", CONSTANT_21_T)]),
    schema("", "Reshape", 23, (2, 2), (1, 1))
        .inputs(&[single("data", of("T")), single("shape", is(TENSOR_INT64))])
        .outputs(&[single("reshaped", of("T"))])
        .attributes(&[int("allowzero", 0)])
        .constraints(&[constraint("T", CONSTANT_23_T)]),
    schema("", "Reshape", 24, (2, 2), (1, 1))
        .inputs(&[single("data", of("T")), single("shape", is(TENSOR_INT64))])
        .outputs(&[single("reshaped", of("T"))])
        .attributes(&[int("allowzero", 0)])
        .constraints(&[constraint("T", CONSTANT_24_T)]),
    schema("", "Reshape", 25, (2, 2), (1, 1))
        .inputs(&[single("data", of("T")), single("shape", is(TENSOR_INT64))])
        .outputs(&[single("reshaped", of("T"))])
        .attributes(&[int("allowzero", 0)])
        .constraints(&[constraint("T", CONSTANT_25_T)]),
];

pub(super) static RESIZE: [OperatorSchema; 5] = [
    schema("", "Resize", 10, (2, 2), (1, 1))
        .inputs(&[single("X", of("T")), single("scales", is(TENSOR_FLOAT))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[string("mode", "nearest")])
        .constraints(&[constraint("T", COMPRESS_9_T)]),
    schema("", "Resize", 11, (3, 4), (1, 1))
        .inputs(&[
            single("X", of("T1")),
            single("roi", of("T2")),
            single("scales", is(TENSOR_FLOAT)),
            optional("sizes", is(TENSOR_INT64)),
        ])
        .outputs(&[single("Y", of("T1"))])
        .attributes(&[
            string("coordinate_transformation_mode", "half_pixel"),
            float("cubic_coeff_a", -0.75),
            int("exclude_outside", 0),
            float("extrapolation_value", 0.0),
            string("mode", "nearest"),
            string("nearest_mode", "round_prefer_floor"),
        ])
        .constraints(&[constraint("T1", COMPRESS_9_T), constraint("T2", ABS_1_T)]),
    schema("", "Resize", 13, (1, 4), (1, 1))
        .inputs(&[
            single("X", of("T1")),
            optional("roi", of("T2")),
            optional("scales", is(TENSOR_FLOAT)),
            optional("sizes", is(TENSOR_INT64)),
        ])
        .outputs(&[single("Y", of("T1"))])
        .attributes(&[
            string("coordinate_transformation_mode", "half_pixel"),
            float("cubic_coeff_a", -0.75),
            int("exclude_outside", 0),
            float("extrapolation_value", 0.0),
            string("mode", "nearest"),
            string("nearest_mode", "round_prefer_floor"),
        ])
        .constraints(&[constraint("T1", CENTER_CROP_PAD_18_T), constraint("T2", ABS_1_T)]),
    schema("", "Resize", 18, (1, 4), (1, 1))
        .inputs(&[
            single("X", of("T1")),
            optional("roi", of("T2")),
            optional("scales", is(TENSOR_FLOAT)),
            optional("sizes", is(TENSOR_INT64)),
        ])
        .outputs(&[single("Y", of("T1"))])
        .attributes(&[
            int("antialias", 0),
            unset("axes", Ints),
            string("coordinate_transformation_mode", "half_pixel"),
            float("cubic_coeff_a", -0.75),
            int("exclude_outside", 0),
            float("extrapolation_value", 0.0),
            string("keep_aspect_ratio_policy", "stretch"),
            string("mode", "nearest"),
            string("nearest_mode", "round_prefer_floor"),
        ])
        .constraints(&[constraint("T1", CENTER_CROP_PAD_18_T), constraint("T2", ABS_1_T)]),
    schema("", "Resize", 19, (1, 4), (1, 1))
        .inputs(&[
            single("X", of("T1")),
            optional("roi", of("T2")),
            optional("scales", is(TENSOR_FLOAT)),
            optional("sizes", is(TENSOR_INT64)),
        ])
        .outputs(&[single("Y", of("T1"))])
        .attributes(&[
            int("antialias", 0),
            unset("axes", Ints),
            string("coordinate_transformation_mode", "half_pixel"),
            float("cubic_coeff_a", -0.75),
            int("exclude_outside", 0),
            float("extrapolation_value", 0.0),
            string("keep_aspect_ratio_policy", "stretch"),
            string("mode", "nearest"),
            string("nearest_mode", "round_prefer_floor"),
        ])
        .constraints(&[constraint("T1", CENTER_CROP_PAD_18_T), constraint("T2", ABS_1_T)]),
];

pub(super) static REVERSE_SEQUENCE: [OperatorSchema; 2] = [
    schema("", "ReverseSequence", 10, (2, 2), (1, 1))
        .inputs(&[
            single("input", of("T")),
            single("sequence_lens", is(TENSOR_INT64)),
        ])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[int("batch_axis", 1), int("time_axis", 0)])
        .constraints(&[constraint("T", COMPRESS_9_T)]),
    schema("", "ReverseSequence", 28, (2, 2), (1, 1))
        .inputs(&[
            single("input", of("T")),
            single("sequence_lens", is(TENSOR_INT64)),
        ])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[int("batch_axis", 1), int("time_axis", 0)])
        .constraints(&[constraint("T", CENTER_CROP_PAD_18_T)]),
];

pub(super) static ROI_ALIGN: [OperatorSchema; 3] = [
    schema("", "RoiAlign", 10, (3, 3), (1, 1))
        .inputs(&[
            single("X", of("T1")),
            single("rois", of("T1")),
            single("batch_indices", of("T2")),
        ])
        .outputs(&[single("Y", of("T1"))])
        .attributes(&[
            string("mode", "avg"),
            int("output_height", 1),
            int("output_width", 1),
            int("sampling_ratio", 0),
            float("spatial_scale", 1.0),
        ])
        .constraints(&[constraint("T1", ABS_1_T), constraint("T2", TENSOR_INT64)]),
    schema("", "RoiAlign", 16, (3, 3), (1, 1))
        .inputs(&[
            single("X", of("T1")),
            single("rois", of("T1")),
            single("batch_indices", of("T2")),
        ])
        .outputs(&[single("Y", of("T1"))])
        .attributes(&[
            string("coordinate_transformation_mode", "half_pixel"),
            string("mode", "avg"),
            int("output_height", 1),
            int("output_width", 1),
            int("sampling_ratio", 0),
            float("spatial_scale", 1.0),
        ])
        .constraints(&[constraint("T1", ABS_1_T), constraint("T2", TENSOR_INT64)]),
    schema("", "RoiAlign", 22, (3, 3), (1, 1))
        .inputs(&[
            single("X", of("T1")),
            single("rois", of("T1")),
            single("batch_indices", of("T2")),
        ])
        .outputs(&[single("Y", of("T1"))])
        .attributes(&[
            string("coordinate_transformation_mode", "half_pixel"),
            string("mode", "avg"),
            int("output_height", 1),
            int("output_width", 1),
            int("sampling_ratio", 0),
            float("spatial_scale", 1.0),
        ])
        .constraints(&[constraint("T1", ACOS_22_T), constraint("T2", TENSOR_INT64)]),
];

pub(super) static ROTARY_EMBEDDING: [OperatorSchema; 1] = [schema("", "RotaryEmbedding", 23, (3, 4), (1, 1))
    .inputs(&[
        single("X", of("T")),
        single("cos_cache", of("T")),
        single("sin_cache", of("T")),
        optional("position_ids", of("M")),
    ])
    .outputs(&[single("Y", of("T"))])
    .attributes(&[
        int("interleaved", 0),
        unset("num_heads", Int),
        int("rotary_embedding_dim", 0),
    ])
    .constraints(&[
        constraint("T", CAUSAL_CONV_WITH_STATE_27_T),
        constraint("M", TENSOR_INT64),
    ])
    .function(FunctionKind::ContextDependent)];

pub(super) static ROUND: [OperatorSchema; 2] = [
    schema("", "Round", 11, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Round", 22, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", ACOS_22_T)]),
];
