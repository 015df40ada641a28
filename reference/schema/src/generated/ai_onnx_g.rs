//! Generated from onnx 1.23.2 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static GRU: [OperatorSchema; 5] = [
    schema("", "GRU", 1, (3, 6), (2, 2))
        .inputs(&[
            single("X", of("T")),
            single("W", of("T")),
            single("R", of("T")),
            optional("B", of("T")),
            optional("sequence_lens", of("T1")),
            optional("initial_h", of("T")),
        ])
        .outputs(&[optional("Y", of("T")), single("Y_h", of("T"))])
        .attributes(&[
            unset("activation_alpha", Floats),
            unset("activation_beta", Floats),
            unset("activations", Strings),
            unset("clip", Float),
            string("direction", "foward"),
            unset("hidden_size", Int),
            int("output_sequence", 0),
        ])
        .constraints(&[constraint("T", ABS_1_T), constraint("T1", TENSOR_INT32)]),
    schema("", "GRU", 3, (3, 6), (0, 2))
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
            unset("activations", Strings),
            unset("clip", Float),
            string("direction", "forward"),
            unset("hidden_size", Int),
            int("linear_before_reset", 0),
            int("output_sequence", 0),
        ])
        .constraints(&[constraint("T", ABS_1_T), constraint("T1", TENSOR_INT32)]),
    schema("", "GRU", 7, (3, 6), (0, 2))
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
            unset("activations", Strings),
            unset("clip", Float),
            string("direction", "forward"),
            unset("hidden_size", Int),
            int("linear_before_reset", 0),
        ])
        .constraints(&[constraint("T", ABS_1_T), constraint("T1", TENSOR_INT32)]),
    schema("", "GRU", 14, (3, 6), (0, 2))
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
            unset("activations", Strings),
            unset("clip", Float),
            string("direction", "forward"),
            unset("hidden_size", Int),
            int("layout", 0),
            int("linear_before_reset", 0),
        ])
        .constraints(&[constraint("T", ABS_1_T), constraint("T1", TENSOR_INT32)]),
    schema("", "GRU", 22, (3, 6), (0, 2))
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
            unset("activations", Strings),
            unset("clip", Float),
            string("direction", "forward"),
            unset("hidden_size", Int),
            int("layout", 0),
            int("linear_before_reset", 0),
        ])
        .constraints(&[constraint("T", ACOS_22_T), constraint("T1", TENSOR_INT32)]),
];

pub(super) static GATHER: [OperatorSchema; 3] = [
    schema("", "Gather", 1, (2, 2), (1, 1))
        .inputs(&[single("data", of("T")), single("indices", of("Tind"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("axis", 0)])
        .constraints(&[
            constraint("T", COMPRESS_9_T),
            constraint("Tind", BLACKMAN_WINDOW_17_T1),
        ]),
    schema("", "Gather", 11, (2, 2), (1, 1))
        .inputs(&[single("data", of("T")), single("indices", of("Tind"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("axis", 0)])
        .constraints(&[
            constraint("T", COMPRESS_9_T),
            constraint("Tind", BLACKMAN_WINDOW_17_T1),
        ]),
    schema("", "Gather", 13, (2, 2), (1, 1))
        .inputs(&[single("data", of("T")), single("indices", of("Tind"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("axis", 0)])
        .constraints(&[
            constraint("T", CENTER_CROP_PAD_18_T),
            constraint("Tind", BLACKMAN_WINDOW_17_T1),
        ]),
];

pub(super) static GATHER_ELEMENTS: [OperatorSchema; 2] = [
    schema("", "GatherElements", 11, (2, 2), (1, 1))
        .inputs(&[single("data", of("T")), single("indices", of("Tind"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("axis", 0)])
        .constraints(&[
            constraint("T", COMPRESS_9_T),
            constraint("Tind", BLACKMAN_WINDOW_17_T1),
        ]),
    schema("", "GatherElements", 13, (2, 2), (1, 1))
        .inputs(&[single("data", of("T")), single("indices", of("Tind"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("axis", 0)])
        .constraints(&[
            constraint("T", CENTER_CROP_PAD_18_T),
            constraint("Tind", BLACKMAN_WINDOW_17_T1),
        ]),
];

pub(super) static GATHER_ND: [OperatorSchema; 3] = [
    schema("", "GatherND", 11, (2, 2), (1, 1))
        .inputs(&[single("data", of("T")), single("indices", is(TENSOR_INT64))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", COMPRESS_9_T)]),
    schema("", "GatherND", 12, (2, 2), (1, 1))
        .inputs(&[single("data", of("T")), single("indices", is(TENSOR_INT64))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("batch_dims", 0)])
        .constraints(&[constraint("T", COMPRESS_9_T)]),
    schema("", "GatherND", 13, (2, 2), (1, 1))
        .inputs(&[single("data", of("T")), single("indices", is(TENSOR_INT64))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("batch_dims", 0)])
        .constraints(&[constraint("T", CENTER_CROP_PAD_18_T)]),
];

pub(super) static GELU: [OperatorSchema; 1] = [schema("", "Gelu", 20, (1, 1), (1, 1))
    .inputs(&[single("X", of("T"))])
    .outputs(&[single("Y", of("T"))])
    .attributes(&[string("approximate", "none")])
    .constraints(&[constraint("T", ACOS_22_T)])
    .function(FunctionKind::ContextDependent)];

pub(super) static GEMM: [OperatorSchema; 6] = [
    schema("", "Gemm", 1, (3, 3), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T")), single("C", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            float("alpha", 1.0),
            float("beta", 1.0),
            int("broadcast", 0),
            int("transA", 0),
            int("transB", 0),
        ])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Gemm", 6, (3, 3), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T")), single("C", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            float("alpha", 1.0),
            float("beta", 1.0),
            int("broadcast", 0),
            int("transA", 0),
            int("transB", 0),
        ])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Gemm", 7, (3, 3), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T")), single("C", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            float("alpha", 1.0),
            float("beta", 1.0),
            int("transA", 0),
            int("transB", 0),
        ])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Gemm", 9, (3, 3), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T")), single("C", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            float("alpha", 1.0),
            float("beta", 1.0),
            int("transA", 0),
            int("transB", 0),
        ])
        .constraints(&[constraint("T", ADD_6_T)]),
    schema("", "Gemm", 11, (2, 3), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T")), optional("C", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            float("alpha", 1.0),
            float("beta", 1.0),
            int("transA", 0),
            int("transB", 0),
        ])
        .constraints(&[constraint("T", ADD_6_T)]),
    schema("", "Gemm", 13, (2, 3), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T")), optional("C", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            float("alpha", 1.0),
            float("beta", 1.0),
            int("transA", 0),
            int("transB", 0),
        ])
        .constraints(&[constraint("T", ADD_13_T)]),
];

pub(super) static GLOBAL_AVERAGE_POOL: [OperatorSchema; 2] = [
    schema("", "GlobalAveragePool", 1, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "GlobalAveragePool", 22, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", ACOS_22_T)]),
];

pub(super) static GLOBAL_LP_POOL: [OperatorSchema; 3] = [
    schema("", "GlobalLpPool", 1, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[float("p", 2.0)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "GlobalLpPool", 2, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[int("p", 2)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "GlobalLpPool", 22, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[int("p", 2)])
        .constraints(&[constraint("T", ACOS_22_T)]),
];

pub(super) static GLOBAL_MAX_POOL: [OperatorSchema; 2] = [
    schema("", "GlobalMaxPool", 1, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "GlobalMaxPool", 22, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", ACOS_22_T)]),
];

pub(super) static GREATER: [OperatorSchema; 4] = [
    schema("", "Greater", 1, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T1"))])
        .attributes(&[unset("axis", Int), int("broadcast", 0)])
        .constraints(&[constraint("T", ABS_1_T), constraint("T1", TENSOR_BOOL)]),
    schema("", "Greater", 7, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T1"))])
        .constraints(&[constraint("T", ABS_1_T), constraint("T1", TENSOR_BOOL)]),
    schema("", "Greater", 9, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T1"))])
        .constraints(&[constraint("T", ABS_6_T), constraint("T1", TENSOR_BOOL)]),
    schema("", "Greater", 13, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T1"))])
        .constraints(&[constraint("T", ABS_13_T), constraint("T1", TENSOR_BOOL)]),
];

pub(super) static GREATER_OR_EQUAL: [OperatorSchema; 2] = [
    schema("", "GreaterOrEqual", 12, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T1"))])
        .constraints(&[constraint("T", ABS_6_T), constraint("T1", TENSOR_BOOL)])
        .function(FunctionKind::Static),
    schema("", "GreaterOrEqual", 16, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T1"))])
        .constraints(&[constraint("T", ABS_13_T), constraint("T1", TENSOR_BOOL)])
        .function(FunctionKind::Static),
];

pub(super) static GRID_SAMPLE: [OperatorSchema; 3] = [
    schema("", "GridSample", 16, (2, 2), (1, 1))
        .inputs(&[single("X", of("T1")), single("grid", of("T2"))])
        .outputs(&[single("Y", of("T1"))])
        .attributes(&[
            int("align_corners", 0),
            string("mode", "bilinear"),
            string("padding_mode", "zeros"),
        ])
        .constraints(&[constraint("T1", COMPRESS_9_T), constraint("T2", ABS_1_T)]),
    schema("", "GridSample", 20, (2, 2), (1, 1))
        .inputs(&[single("X", of("T1")), single("grid", of("T2"))])
        .outputs(&[single("Y", of("T1"))])
        .attributes(&[
            int("align_corners", 0),
            string("mode", "linear"),
            string("padding_mode", "zeros"),
        ])
        .constraints(&[constraint("T1", COMPRESS_9_T), constraint("T2", ABS_1_T)]),
    schema("", "GridSample", 22, (2, 2), (1, 1))
        .inputs(&[single("X", of("T1")), single("grid", of("T2"))])
        .outputs(&[single("Y", of("T1"))])
        .attributes(&[
            int("align_corners", 0),
            string("mode", "linear"),
            string("padding_mode", "zeros"),
        ])
        .constraints(&[
            constraint("T1", CENTER_CROP_PAD_18_T),
            constraint("T2", ACOS_22_T),
        ]),
];

pub(super) static GROUP_NORMALIZATION: [OperatorSchema; 2] = [
    schema("", "GroupNormalization", 18, (3, 3), (1, 1))
        .inputs(&[
            single("X", of("T")),
            single("scale", of("T")),
            single("bias", of("T")),
        ])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[float("epsilon", 1e-05), required("num_groups", Int)])
        .constraints(&[constraint("T", ACOS_22_T)])
        .deprecated()
        .function(FunctionKind::ContextDependent),
    schema("", "GroupNormalization", 21, (3, 3), (1, 1))
        .inputs(&[
            single("X", of("T")),
            single("scale", of("T")),
            single("bias", of("T")),
        ])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            float("epsilon", 1e-05),
            required("num_groups", Int),
            int("stash_type", 1),
        ])
        .constraints(&[constraint("T", ACOS_22_T)])
        .function(FunctionKind::ContextDependent),
];
