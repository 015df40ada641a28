//! Generated from onnx 1.23.2 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static DFT: [OperatorSchema; 2] = [
    schema("", "DFT", 17, (1, 2), (1, 1))
        .inputs(&[single("input", of("T1")), optional("dft_length", of("T2"))])
        .outputs(&[single("output", of("T1"))])
        .attributes(&[int("axis", 1), int("inverse", 0), int("onesided", 0)])
        .constraints(&[
            constraint("T1", ACOS_22_T),
            constraint("T2", BLACKMAN_WINDOW_17_T1),
        ]),
    schema("", "DFT", 20, (1, 3), (1, 1))
        .inputs(&[
            single("input", of("T1")),
            optional("dft_length", of("T2")),
            optional("axis", is(TENSOR_INT64)),
        ])
        .outputs(&[single("output", of("T1"))])
        .attributes(&[int("inverse", 0), int("onesided", 0)])
        .constraints(&[
            constraint("T1", ACOS_22_T),
            constraint("T2", BLACKMAN_WINDOW_17_T1),
        ]),
];

pub(super) static DEFORM_CONV: [OperatorSchema; 2] = [
    schema("", "DeformConv", 19, (3, 5), (1, 1))
        .inputs(&[
            single("X", of("T")),
            single("W", of("T")),
            single("offset", of("T")),
            optional("B", of("T")),
            optional("mask", of("T")),
        ])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            unset("dilations", Ints),
            int("group", 1),
            unset("kernel_shape", Ints),
            int("offset_group", 1),
            unset("pads", Ints),
            unset("strides", Ints),
        ])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "DeformConv", 22, (3, 5), (1, 1))
        .inputs(&[
            single("X", of("T")),
            single("W", of("T")),
            single("offset", of("T")),
            optional("B", of("T")),
            optional("mask", of("T")),
        ])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            unset("dilations", Ints),
            int("group", 1),
            unset("kernel_shape", Ints),
            int("offset_group", 1),
            unset("pads", Ints),
            unset("strides", Ints),
        ])
        .constraints(&[constraint("T", ACOS_22_T)]),
];

pub(super) static DEPTH_TO_SPACE: [OperatorSchema; 4] = [
    schema("", "DepthToSpace", 1, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[required("blocksize", Int)])
        .constraints(&[constraint("T", COMPRESS_9_T)]),
    schema("", "DepthToSpace", 11, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[required("blocksize", Int), string("mode", "DCR")])
        .constraints(&[constraint("T", COMPRESS_9_T)]),
    schema("", "DepthToSpace", 13, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[required("blocksize", Int), string("mode", "DCR")])
        .constraints(&[constraint("T", CENTER_CROP_PAD_18_T)]),
    schema("", "DepthToSpace", 28, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[required("blocksize", Int), string("mode", "DCR")])
        .constraints(&[constraint("T", CENTER_CROP_PAD_18_T)])
        .function(FunctionKind::ContextDependent),
];

pub(super) static DEQUANTIZE_LINEAR: [OperatorSchema; 8] = [
    schema("", "DequantizeLinear", 10, (2, 3), (1, 1))
        .inputs(&[
            single("x", of("T")),
            single("x_scale", is(TENSOR_FLOAT)),
            optional("x_zero_point", of("T")),
        ])
        .outputs(&[single("y", is(TENSOR_FLOAT))])
        .constraints(&[constraint("T", DEQUANTIZE_LINEAR_10_T)]),
    schema("", "DequantizeLinear", 13, (2, 3), (1, 1))
        .inputs(&[
            single("x", of("T")),
            single("x_scale", is(TENSOR_FLOAT)),
            optional("x_zero_point", of("T")),
        ])
        .outputs(&[single("y", is(TENSOR_FLOAT))])
        .attributes(&[int("axis", 1)])
        .constraints(&[constraint("T", DEQUANTIZE_LINEAR_10_T)]),
    schema("", "DequantizeLinear", 19, (2, 3), (1, 1))
        .inputs(&[
            single("x", of("T1")),
            single("x_scale", of("T2")),
            optional("x_zero_point", of("T1")),
        ])
        .outputs(&[single("y", of("T2"))])
        .attributes(&[int("axis", 1)])
        .constraints(&[
            constraint("T1", DEQUANTIZE_LINEAR_19_T1),
            constraint("T2", CAUSAL_CONV_WITH_STATE_27_T),
        ]),
    schema("", "DequantizeLinear", 21, (2, 3), (1, 1))
        .inputs(&[
            single("x", of("T1")),
            single("x_scale", of("T2")),
            optional("x_zero_point", of("T1")),
        ])
        .outputs(&[single("y", of("T2"))])
        .attributes(&[int("axis", 1), int("block_size", 0)])
        .constraints(&[
            constraint("T1", DEQUANTIZE_LINEAR_21_T1),
            constraint("T2", CAUSAL_CONV_WITH_STATE_27_T),
        ]),
    schema("", "DequantizeLinear", 23, (2, 3), (1, 1))
        .inputs(&[
            single("x", of("T1")),
            single("x_scale", of("T2")),
            optional("x_zero_point", of("T1")),
        ])
        .outputs(&[single("y", of("T3"))])
        .attributes(&[int("axis", 1), int("block_size", 0), int("output_dtype", 0)])
        .constraints(&[
            constraint("T1", DEQUANTIZE_LINEAR_23_T1),
            constraint("T2", CAUSAL_CONV_WITH_STATE_27_T),
            constraint("T3", CAUSAL_CONV_WITH_STATE_27_T),
        ]),
    schema("", "DequantizeLinear", 24, (2, 3), (1, 1))
        .inputs(&[
            single("x", of("T1")),
            single("x_scale", of("T2")),
            optional("x_zero_point", of("T1")),
        ])
        .outputs(&[single("y", of("T3"))])
        .attributes(&[int("axis", 1), int("block_size", 0), int("output_dtype", 0)])
        .constraints(&[
            constraint("T1", DEQUANTIZE_LINEAR_23_T1),
            constraint("T2", DEQUANTIZE_LINEAR_24_T2),
            constraint("T3", CAUSAL_CONV_WITH_STATE_27_T),
        ]),
    schema("", "DequantizeLinear", 25, (2, 3), (1, 1))
        .inputs(&[
            single("x", of("T1")),
            single("x_scale", of("T2")),
            optional("x_zero_point", of("T1")),
        ])
        .outputs(&[single("y", of("T3"))])
        .attributes(&[int("axis", 1), int("block_size", 0), int("output_dtype", 0)])
        .constraints(&[
            constraint("T1", DEQUANTIZE_LINEAR_25_T1),
            constraint("T2", DEQUANTIZE_LINEAR_24_T2),
            constraint("T3", CAUSAL_CONV_WITH_STATE_27_T),
        ]),
    schema("", "DequantizeLinear", 28, (2, 3), (1, 1))
        .inputs(&[
            single("x", of("T1")),
            single("x_scale", of("T2")),
            optional("x_zero_point", of("T1")),
        ])
        .outputs(&[single("y", of("T3"))])
        .attributes(&[int("axis", 1), int("block_size", 0), int("output_dtype", 0)])
        .constraints(&[
            constraint("T1", DEQUANTIZE_LINEAR_28_T1),
            constraint("T2", DEQUANTIZE_LINEAR_24_T2),
            constraint("T3", CAUSAL_CONV_WITH_STATE_27_T),
        ]),
];

pub(super) static DET: [OperatorSchema; 2] = [
    schema("", "Det", 11, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Det", 22, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", ACOS_22_T)]),
];

pub(super) static DIV: [OperatorSchema; 5] = [
    schema("", "Div", 1, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T"))])
        .attributes(&[
            unset("axis", Int),
            int("broadcast", 0),
            unset("consumed_inputs", Ints),
        ])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Div", 6, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T"))])
        .attributes(&[unset("axis", Int), int("broadcast", 0)])
        .constraints(&[constraint("T", ADD_6_T)]),
    schema("", "Div", 7, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T"))])
        .constraints(&[constraint("T", ADD_6_T)]),
    schema("", "Div", 13, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T"))])
        .constraints(&[constraint("T", ADD_13_T)]),
    schema("", "Div", 14, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T"))])
        .constraints(&[constraint("T", ABS_13_T)]),
];

pub(super) static DROPOUT: [OperatorSchema; 7] = [
    schema("", "Dropout", 1, (1, 1), (1, 2))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("output", of("T")), optional("mask", of("T"))])
        .attributes(&[
            unset("consumed_inputs", Ints),
            int("is_test", 0),
            float("ratio", 0.5),
        ])
        .constraints(&[constraint("T", ABS_1_T)])
        .nondeterministic(),
    schema("", "Dropout", 6, (1, 1), (1, 2))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("output", of("T")), optional("mask", of("T"))])
        .attributes(&[int("is_test", 0), float("ratio", 0.5)])
        .constraints(&[constraint("T", ABS_1_T)])
        .nondeterministic(),
    schema("", "Dropout", 7, (1, 1), (1, 2))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("output", of("T")), optional("mask", of("T"))])
        .attributes(&[float("ratio", 0.5)])
        .constraints(&[constraint("T", ABS_1_T)])
        .nondeterministic(),
    schema("", "Dropout", 10, (1, 1), (1, 2))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("output", of("T")), optional("mask", of("T1"))])
        .attributes(&[float("ratio", 0.5)])
        .constraints(&[constraint("T", ABS_1_T), constraint("T1", TENSOR_BOOL)])
        .nondeterministic(),
    schema("", "Dropout", 12, (1, 3), (1, 2))
        .inputs(&[
            single("data", of("T")),
            optional("ratio", of("T1")),
            optional("training_mode", of("T2")),
        ])
        .outputs(&[single("output", of("T")), optional("mask", of("T2"))])
        .attributes(&[unset("seed", Int)])
        .constraints(&[
            constraint("T", ABS_1_T),
            constraint("T1", ABS_1_T),
            constraint("T2", TENSOR_BOOL),
        ])
        .nondeterministic(),
    schema("", "Dropout", 13, (1, 3), (1, 2))
        .inputs(&[
            single("data", of("T")),
            optional("ratio", of("T1")),
            optional("training_mode", of("T2")),
        ])
        .outputs(&[single("output", of("T")), optional("mask", of("T2"))])
        .attributes(&[unset("seed", Int)])
        .constraints(&[
            constraint("T", ACOS_22_T),
            constraint("T1", ABS_1_T),
            constraint("T2", TENSOR_BOOL),
        ])
        .nondeterministic(),
    schema("", "Dropout", 22, (1, 3), (1, 2))
        .inputs(&[
            single("data", of("T")),
            optional("ratio", of("T1")),
            optional("training_mode", of("T2")),
        ])
        .outputs(&[single("output", of("T")), optional("mask", of("T2"))])
        .attributes(&[unset("seed", Int)])
        .constraints(&[
            constraint("T", DROPOUT_22_T),
            constraint("T1", DROPOUT_22_T),
            constraint("T2", TENSOR_BOOL),
        ])
        .nondeterministic(),
];

pub(super) static DYNAMIC_QUANTIZE_LINEAR: [OperatorSchema; 1] =
    [schema("", "DynamicQuantizeLinear", 11, (1, 1), (3, 3))
        .inputs(&[single("x", of("T1"))])
        .outputs(&[
            single("y", of("T2")),
            single("y_scale", is(TENSOR_FLOAT)),
            single("y_zero_point", of("T2")),
        ])
        .constraints(&[constraint("T1", TENSOR_FLOAT), constraint("T2", TENSOR_UINT8)])
        .function(FunctionKind::Static)];
