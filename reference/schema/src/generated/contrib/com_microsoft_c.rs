//! Generated from onnxruntime 1.32.0 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static C_DIST: [OperatorSchema; 1] = [schema("com.microsoft", "CDist", 1, (2, 2), (1, 1))
    .inputs(&[single("A", of("T")), single("B", of("T"))])
    .outputs(&[single("C", of("T"))])
    .attributes(&[string("metric", "sqeuclidean")])
    .constraints(&[constraint("T", LAYER_NORMALIZATION_1_U)])];

pub(super) static CAUSAL_CONV_WITH_STATE: [OperatorSchema; 1] =
    [schema("com.microsoft", "CausalConvWithState", 1, (2, 4), (2, 3))
        .inputs(&[
            single("input", of("T")),
            single("weight", of("T")),
            optional("bias", of("T")),
            optional("past_state", of("T")),
        ])
        .outputs(&[
            single("output", of("T")),
            single("present_state", of("T")),
            optional("state_update", of("T")),
        ])
        .attributes(&[
            string("activation", "none"),
            int("channels_last", 0),
            int("dilation", 1),
            int("input_channel_offset", 0),
            int("input_channels", 0),
            int("ndim", 1),
            int("state_channels_last", -1),
            int("state_length", 0),
            int("state_update_capacity", 0),
            int("state_window", 0),
        ])
        .constraints(&[constraint("T", ATTENTION_1_T)])];

pub(super) static COMPLEX_MUL: [OperatorSchema; 1] =
    [schema("com.microsoft", "ComplexMul", 1, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T"))])
        .constraints(&[constraint("T", BIAS_SOFTMAX_1_T)])];

pub(super) static COMPLEX_MUL_CONJ: [OperatorSchema; 1] =
    [schema("com.microsoft", "ComplexMulConj", 1, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T"))])
        .constraints(&[constraint("T", BIAS_SOFTMAX_1_T)])];

pub(super) static CONV_STATE_REPLAY: [OperatorSchema; 1] =
    [schema("com.microsoft", "ConvStateReplay", 1, (4, 4), (1, 1))
        .inputs(&[
            single("source_backing", of("T")),
            single("capture_backing", of("T")),
            single("destination_backing", of("T")),
            single("metadata", of("TI")),
        ])
        .outputs(&[single("destination_out", of("T"))])
        .constraints(&[
            constraint("T", DISENTANGLED_ATTENTION_TRT_1_T),
            constraint("TI", TENSOR_INT64),
        ])];

pub(super) static CONV_TRANSPOSE_WITH_DYNAMIC_PADS: [OperatorSchema; 1] =
    [
        schema("com.microsoft", "ConvTransposeWithDynamicPads", 1, (2, 4), (1, 1))
            .inputs(&[
                single("X", of("T")),
                single("W", of("T")),
                optional("Pads", is(TENSOR_INT64)),
                optional("B", of("T")),
            ])
            .outputs(&[single("Y", of("T"))])
            .attributes(&[
                string("auto_pad", "NOTSET"),
                unset("dilations", Ints),
                int("group", 1),
                unset("kernel_shape", Ints),
                unset("output_padding", Ints),
                unset("strides", Ints),
            ])
            .constraints(&[constraint("T", BIAS_SOFTMAX_1_T)]),
    ];

pub(super) static CROP_AND_RESIZE: [OperatorSchema; 1] =
    [schema("com.microsoft", "CropAndResize", 1, (4, 4), (1, 1))
        .inputs(&[
            single("X", of("T1")),
            single("rois", of("T1")),
            single("batch_indices", of("T2")),
            single("crop_size", of("T2")),
        ])
        .outputs(&[single("Y", of("T1"))])
        .attributes(&[float("extrapolation_value", 0.0), string("mode", "bilinear")])
        .constraints(&[constraint("T1", BIAS_SOFTMAX_1_T), constraint("T2", TENSOR_INT32)])];
