//! Generated from onnxruntime 1.32.0 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static DECODER_ATTENTION: [OperatorSchema; 1] =
    [schema("com.microsoft", "DecoderAttention", 1, (12, 12), (1, 3))
        .inputs(&[
            single("query", of("T")),
            single("key", of("T")),
            single("q_weight", of("T")),
            single("kv_weight", of("T")),
            single("bias", of("T")),
            optional("key_padding_mask", of("B")),
            optional("key_cache", of("T")),
            optional("value_cache", of("T")),
            single("static_kv", of("B")),
            single("use_past", of("B")),
            single("has_layer_state", of("B")),
            single("has_key_padding_mask", of("B")),
        ])
        .outputs(&[
            single("output", of("T")),
            optional("new_key_cache", of("T")),
            optional("new_value_cache", of("T")),
        ])
        .attributes(&[unset("mask_filter_value", Float), required("num_heads", Int)])
        .constraints(&[
            constraint("T", DISENTANGLED_ATTENTION_TRT_1_T),
            constraint("B", TENSOR_BOOL),
        ])];

pub(super) static DECODER_MASKED_MULTI_HEAD_ATTENTION: [OperatorSchema; 1] = [schema(
    "com.microsoft",
    "DecoderMaskedMultiHeadAttention",
    1,
    (1, 11),
    (1, 4),
)
.inputs(&[
    single("query", of("T")),
    optional("key", of("T")),
    optional("value", of("T")),
    optional("mask_index", of("M")),
    optional("attention_bias", of("T")),
    optional("past_key", of("T")),
    optional("past_value", of("T")),
    optional("past_sequence_length", of("M")),
    optional("beam_width", of("M")),
    optional("cache_indirection", of("M")),
    optional("bias", of("T")),
])
.outputs(&[
    single("output", of("T")),
    optional("present_key", of("T")),
    optional("present_value", of("T")),
    optional("qk", of("QK")),
])
.attributes(&[
    unset("mask_filter_value", Float),
    required("num_heads", Int),
    unset("output_qk", Int),
    unset("past_present_share_buffer", Int),
    unset("scale", Float),
])
.constraints(&[
    constraint("T", DISENTANGLED_ATTENTION_TRT_1_T),
    constraint("QK", DISENTANGLED_ATTENTION_TRT_1_T),
    constraint("M", TENSOR_INT32),
])];

pub(super) static DECODER_MASKED_SELF_ATTENTION: [OperatorSchema; 1] =
    [
        schema("com.microsoft", "DecoderMaskedSelfAttention", 1, (7, 9), (2, 2))
            .inputs(&[
                single("input", of("T")),
                single("weights", of("T")),
                single("bias", of("T")),
                optional("mask_index", of("M")),
                single("past", of("T")),
                optional("attention_bias", of("T")),
                single("past_sequence_length", of("M")),
                optional("beam_width", of("M")),
                optional("cache_indirection", of("M")),
            ])
            .outputs(&[single("output", of("T")), single("present", of("T"))])
            .attributes(&[
                unset("do_rotary", Int),
                unset("mask_filter_value", Float),
                required("num_heads", Int),
                unset("past_present_share_buffer", Int),
                unset("scale", Float),
            ])
            .constraints(&[
                constraint("T", DISENTANGLED_ATTENTION_TRT_1_T),
                constraint("M", TENSOR_INT32),
            ]),
    ];

pub(super) static DEQUANTIZE_BFP: [OperatorSchema; 1] =
    [schema("com.microsoft", "DequantizeBFP", 1, (3, 3), (1, 1))
        .inputs(&[
            single("x", of("T1")),
            single("shape", of("T2")),
            single("strides", of("T2")),
        ])
        .outputs(&[single("y", of("T3"))])
        .attributes(&[required("bfp_type", Int), int("block_dim", -1), int("dtype", 1)])
        .constraints(&[
            constraint("T1", TENSOR_UINT8),
            constraint("T2", TENSOR_INT64),
            constraint("T3", ATTENTION_1_T),
        ])];

pub(super) static DEQUANTIZE_LINEAR: [OperatorSchema; 1] =
    [schema("com.microsoft", "DequantizeLinear", 1, (2, 3), (1, 1))
        .inputs(&[
            single("x", of("T1")),
            single("x_scale", of("T2")),
            optional("x_zero_point", of("T1")),
        ])
        .outputs(&[single("y", of("T2"))])
        .attributes(&[unset("axis", Int)])
        .constraints(&[
            constraint("T1", DEQUANTIZE_LINEAR_1_T1),
            constraint("T2", DISENTANGLED_ATTENTION_TRT_1_T),
        ])];

pub(super) static DEQUANTIZE_WITH_ORDER: [OperatorSchema; 1] =
    [schema("com.microsoft", "DequantizeWithOrder", 1, (2, 2), (1, 1))
        .inputs(&[single("input", of("Q")), single("scale_input", of("S"))])
        .outputs(&[single("output", of("F"))])
        .attributes(&[
            required("order_input", Int),
            required("order_output", Int),
            required("to", Int),
        ])
        .constraints(&[
            constraint("Q", TENSOR_INT8),
            constraint("F", DISENTANGLED_ATTENTION_TRT_1_T),
            constraint("S", TENSOR_FLOAT),
        ])];

pub(super) static DYNAMIC_QUANTIZE_LSTM: [OperatorSchema; 1] =
    [
        schema("com.microsoft", "DynamicQuantizeLSTM", 1, (12, 12), (0, 3))
            .inputs(&[
                single("X", of("T")),
                single("W", of("T2")),
                single("R", of("T2")),
                optional("B", of("T")),
                optional("sequence_lens", of("T1")),
                optional("initial_h", of("T")),
                optional("initial_c", of("T")),
                optional("P", of("T")),
                single("W_scale", of("T")),
                single("W_zero_point", of("T2")),
                single("R_scale", of("T")),
                single("R_zero_point", of("T2")),
            ])
            .outputs(&[
                optional("Y", of("T")),
                optional("Y_h", of("T")),
                optional("Y_c", of("T")),
            ])
            .attributes(&[
                unset("activation_alpha", Floats),
                unset("activation_beta", Floats),
                unset("activations", Strings),
                unset("clip", Float),
                string("direction", "forward"),
                unset("hidden_size", Int),
                int("input_forget", 0),
            ])
            .constraints(&[
                constraint("T", TENSOR_FLOAT),
                constraint("T1", TENSOR_INT32),
                constraint("T2", DYNAMIC_QUANTIZE_LSTM_1_T2),
            ]),
    ];

pub(super) static DYNAMIC_QUANTIZE_MAT_MUL: [OperatorSchema; 1] =
    [
        schema("com.microsoft", "DynamicQuantizeMatMul", 1, (3, 5), (1, 1))
            .inputs(&[
                single("A", of("T1")),
                single("B", of("T2")),
                single("b_scale", of("T1")),
                optional("b_zero_point", of("T2")),
                optional("bias", of("T1")),
            ])
            .outputs(&[single("Y", of("T1"))])
            .constraints(&[
                constraint("T1", TENSOR_FLOAT),
                constraint("T2", DYNAMIC_QUANTIZE_LSTM_1_T2),
            ]),
    ];

pub(super) static DYNAMIC_SPARSE_ATTENTION: [OperatorSchema; 1] =
    [
        schema("com.microsoft", "DynamicSparseAttention", 1, (11, 20), (1, 4))
            .inputs(&[
                single("query", of("TQuery")),
                optional("key", of("TQuery")),
                optional("value", of("TValue")),
                optional("past_key", of("TCache")),
                optional("past_value", of("TCache")),
                optional("auxiliary_key", of("T")),
                optional("auxiliary_value", of("T")),
                single("selected_indices", of("M")),
                single("selected_counts", of("M")),
                single("seqlens_k", of("M")),
                single("total_sequence_length", of("M")),
                optional("cos_cache", of("T")),
                optional("sin_cache", of("T")),
                optional("position_ids", is(TENSOR_INT64)),
                optional("q_norm_weight", of("T")),
                optional("k_norm_weight", of("T")),
                optional("head_sink", of("T")),
                optional("committed_length", of("M")),
                optional("key_scale", of("S")),
                optional("value_scale", of("S")),
            ])
            .outputs(&[
                single("output", of("T")),
                optional("present_key", of("TCache")),
                optional("present_value", of("TCache")),
                optional("validation_status", of("M")),
            ])
            .attributes(&[
                string("attention_mode", "selected_only"),
                int("auxiliary_kv_shared", 0),
                int("do_rotary", 0),
                int("is_causal", 1),
                required("kv_num_heads", Int),
                int("local_window_size", -1),
                required("num_heads", Int),
                int("output_bf16", 0),
                float("qk_norm_epsilon", 1e-06),
                int("rotary_interleaved", 0),
                int("rotary_offset", 0),
                unset("scale", Float),
                string("selected_kv_source", "main"),
                int("smooth_softmax", 0),
            ])
            .constraints(&[
                constraint("T", ATTENTION_1_T),
                constraint("TQuery", ATTENTION_1_T),
                constraint("TValue", ATTENTION_1_T),
                constraint("TCache", DYNAMIC_SPARSE_ATTENTION_1_T_CACHE),
                constraint("S", TENSOR_FLOAT),
                constraint("M", TENSOR_INT32),
            ]),
    ];

pub(super) static DYNAMIC_TIME_WARPING: [OperatorSchema; 1] =
    [schema("com.microsoft", "DynamicTimeWarping", 1, (1, 1), (1, 1))
        .inputs(&[single("input", of("F"))])
        .outputs(&[single("output", of("I"))])
        .constraints(&[constraint("F", TENSOR_FLOAT), constraint("I", TENSOR_INT32)])];
