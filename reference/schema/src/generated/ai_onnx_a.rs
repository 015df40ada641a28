//! Generated from onnx 1.23.2 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static ABS: [OperatorSchema; 3] = [
    schema("", "Abs", 1, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[unset("consumed_inputs", Ints)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Abs", 6, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", ABS_6_T)]),
    schema("", "Abs", 13, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", ABS_13_T)]),
];

pub(super) static ACOS: [OperatorSchema; 2] = [
    schema("", "Acos", 7, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Acos", 22, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ACOS_22_T)]),
];

pub(super) static ACOSH: [OperatorSchema; 2] = [
    schema("", "Acosh", 9, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Acosh", 22, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ACOS_22_T)]),
];

pub(super) static ADD: [OperatorSchema; 5] = [
    schema("", "Add", 1, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T"))])
        .attributes(&[
            unset("axis", Int),
            int("broadcast", 0),
            unset("consumed_inputs", Ints),
        ])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Add", 6, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T"))])
        .attributes(&[unset("axis", Int), int("broadcast", 0)])
        .constraints(&[constraint("T", ADD_6_T)]),
    schema("", "Add", 7, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T"))])
        .constraints(&[constraint("T", ADD_6_T)]),
    schema("", "Add", 13, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T"))])
        .constraints(&[constraint("T", ADD_13_T)]),
    schema("", "Add", 14, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T"))])
        .constraints(&[constraint("T", ABS_13_T)]),
];

pub(super) static AFFINE_GRID: [OperatorSchema; 1] = [schema("", "AffineGrid", 20, (2, 2), (1, 1))
    .inputs(&[single("theta", of("T1")), single("size", of("T2"))])
    .outputs(&[single("grid", of("T1"))])
    .attributes(&[int("align_corners", 0)])
    .constraints(&[constraint("T1", ACOS_22_T), constraint("T2", TENSOR_INT64)])
    .nondeterministic()
    .function(FunctionKind::Static)];

pub(super) static AND: [OperatorSchema; 2] = [
    schema("", "And", 1, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T1"))])
        .attributes(&[unset("axis", Int), int("broadcast", 0)])
        .constraints(&[constraint("T", TENSOR_BOOL), constraint("T1", TENSOR_BOOL)]),
    schema("", "And", 7, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T1"))])
        .constraints(&[constraint("T", TENSOR_BOOL), constraint("T1", TENSOR_BOOL)]),
];

pub(super) static ARG_MAX: [OperatorSchema; 4] = [
    schema("", "ArgMax", 1, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", is(TENSOR_INT64))])
        .attributes(&[int("axis", 0), int("keepdims", 1)])
        .constraints(&[constraint("T", ABS_6_T)]),
    schema("", "ArgMax", 11, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", is(TENSOR_INT64))])
        .attributes(&[int("axis", 0), int("keepdims", 1)])
        .constraints(&[constraint("T", ABS_6_T)]),
    schema("", "ArgMax", 12, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", is(TENSOR_INT64))])
        .attributes(&[int("axis", 0), int("keepdims", 1), int("select_last_index", 0)])
        .constraints(&[constraint("T", ABS_6_T)]),
    schema("", "ArgMax", 13, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", is(TENSOR_INT64))])
        .attributes(&[int("axis", 0), int("keepdims", 1), int("select_last_index", 0)])
        .constraints(&[constraint("T", ABS_13_T)]),
];

pub(super) static ARG_MIN: [OperatorSchema; 4] = [
    schema("", "ArgMin", 1, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", is(TENSOR_INT64))])
        .attributes(&[int("axis", 0), int("keepdims", 1)])
        .constraints(&[constraint("T", ABS_6_T)]),
    schema("", "ArgMin", 11, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", is(TENSOR_INT64))])
        .attributes(&[int("axis", 0), int("keepdims", 1)])
        .constraints(&[constraint("T", ABS_6_T)]),
    schema("", "ArgMin", 12, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", is(TENSOR_INT64))])
        .attributes(&[int("axis", 0), int("keepdims", 1), int("select_last_index", 0)])
        .constraints(&[constraint("T", ABS_6_T)]),
    schema("", "ArgMin", 13, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("reduced", is(TENSOR_INT64))])
        .attributes(&[int("axis", 0), int("keepdims", 1), int("select_last_index", 0)])
        .constraints(&[constraint("T", ABS_13_T)]),
];

pub(super) static ASIN: [OperatorSchema; 2] = [
    schema("", "Asin", 7, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Asin", 22, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ACOS_22_T)]),
];

pub(super) static ASINH: [OperatorSchema; 2] = [
    schema("", "Asinh", 9, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Asinh", 22, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ACOS_22_T)]),
];

pub(super) static ATAN: [OperatorSchema; 2] = [
    schema("", "Atan", 7, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Atan", 22, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ACOS_22_T)]),
];

pub(super) static ATANH: [OperatorSchema; 2] = [
    schema("", "Atanh", 9, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Atanh", 22, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ACOS_22_T)]),
];

pub(super) static ATTENTION: [OperatorSchema; 3] = [
    schema("", "Attention", 23, (3, 6), (1, 4))
        .inputs(&[
            single("Q", of("T1")),
            single("K", of("T1")),
            single("V", of("T2")),
            optional("attn_mask", of("U")),
            optional("past_key", of("T1")),
            optional("past_value", of("T2")),
        ])
        .outputs(&[
            single("Y", of("T1")),
            optional("present_key", of("T1")),
            optional("present_value", of("T2")),
            optional("qk_matmul_output", of("T1")),
        ])
        .attributes(&[
            int("is_causal", 0),
            unset("kv_num_heads", Int),
            unset("q_num_heads", Int),
            int("qk_matmul_output_mode", 0),
            unset("scale", Float),
            float("softcap", 0.0),
            unset("softmax_precision", Int),
        ])
        .constraints(&[
            constraint("T1", ACOS_22_T),
            constraint("T2", ACOS_22_T),
            constraint("U", ATTENTION_23_U),
        ])
        .function(FunctionKind::ContextDependent),
    schema("", "Attention", 24, (3, 7), (1, 4))
        .inputs(&[
            single("Q", of("T1")),
            single("K", of("T1")),
            single("V", of("T2")),
            optional("attn_mask", of("U")),
            optional("past_key", of("T1")),
            optional("past_value", of("T2")),
            optional("nonpad_kv_seqlen", is(TENSOR_INT64)),
        ])
        .outputs(&[
            single("Y", of("T1")),
            optional("present_key", of("T1")),
            optional("present_value", of("T2")),
            optional("qk_matmul_output", of("T1")),
        ])
        .attributes(&[
            int("is_causal", 0),
            unset("kv_num_heads", Int),
            unset("q_num_heads", Int),
            int("qk_matmul_output_mode", 0),
            unset("scale", Float),
            float("softcap", 0.0),
            unset("softmax_precision", Int),
        ])
        .constraints(&[
            constraint("T1", ACOS_22_T),
            constraint("T2", ACOS_22_T),
            constraint("U", ATTENTION_23_U),
        ])
        .function(FunctionKind::ContextDependent),
    schema("", "Attention", 25, (3, 7), (1, 4))
        .inputs(&[
            single("Q", of("T1")),
            single("K", of("T1")),
            single("V", of("T2")),
            optional("attn_mask", of("U")),
            optional("past_key", of("T1")),
            optional("past_value", of("T2")),
            optional("nonpad_kv_seqlen", is(TENSOR_INT64)),
        ])
        .outputs(&[
            single("Y", of("T1")),
            optional("present_key", of("T1")),
            optional("present_value", of("T2")),
            optional("qk_matmul_output", of("T1")),
        ])
        .attributes(&[
            int("is_causal", 0),
            unset("kv_num_heads", Int),
            int("left_window_size", -1),
            unset("q_num_heads", Int),
            int("qk_matmul_output_mode", 0),
            int("right_window_size", -1),
            unset("scale", Float),
            float("softcap", 0.0),
            unset("softmax_precision", Int),
        ])
        .constraints(&[
            constraint("T1", ACOS_22_T),
            constraint("T2", ACOS_22_T),
            constraint("U", ATTENTION_23_U),
        ])
        .function(FunctionKind::ContextDependent),
];

pub(super) static AVERAGE_POOL: [OperatorSchema; 6] = [
    schema("", "AveragePool", 1, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            string("auto_pad", "NOTSET"),
            required("kernel_shape", Ints),
            unset("pads", Ints),
            unset("strides", Ints),
        ])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "AveragePool", 7, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            string("auto_pad", "NOTSET"),
            int("count_include_pad", 0),
            required("kernel_shape", Ints),
            unset("pads", Ints),
            unset("strides", Ints),
        ])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "AveragePool", 10, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            string("auto_pad", "NOTSET"),
            int("ceil_mode", 0),
            int("count_include_pad", 0),
            required("kernel_shape", Ints),
            unset("pads", Ints),
            unset("strides", Ints),
        ])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "AveragePool", 11, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            string("auto_pad", "NOTSET"),
            int("ceil_mode", 0),
            int("count_include_pad", 0),
            required("kernel_shape", Ints),
            unset("pads", Ints),
            unset("strides", Ints),
        ])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "AveragePool", 19, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            string("auto_pad", "NOTSET"),
            int("ceil_mode", 0),
            int("count_include_pad", 0),
            unset("dilations", Ints),
            required("kernel_shape", Ints),
            unset("pads", Ints),
            unset("strides", Ints),
        ])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "AveragePool", 22, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            string("auto_pad", "NOTSET"),
            int("ceil_mode", 0),
            int("count_include_pad", 0),
            unset("dilations", Ints),
            required("kernel_shape", Ints),
            unset("pads", Ints),
            unset("strides", Ints),
        ])
        .constraints(&[constraint("T", ACOS_22_T)]),
];
