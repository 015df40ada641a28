//! Generated from onnxruntime 1.32.0 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static RMS_NORM_ROTARY: [OperatorSchema; 1] =
    [schema("com.microsoft", "RMSNormRotary", 1, (5, 6), (1, 2))
        .inputs(&[
            single("X", of("T")),
            single("scale", of("F")),
            single("position_ids", of("I")),
            single("cosine", of("TCos")),
            single("sine", of("TCos")),
            optional("prefill_numerics", of("TI")),
        ])
        .outputs(&[single("Y", of("TOut")), optional("normalized_fp32", of("F"))])
        .attributes(&[
            float("epsilon", 1e-06),
            int("flatten_batch", 0),
            int("input_start", 0),
            int("input_width", 0),
            int("output_fp16", 0),
            required("rotary_embedding_dim", Int),
            int("use_fp32_arithmetic", 1),
        ])
        .constraints(&[
            constraint("T", MAT_MUL_BLOCK_QUANTIZED_FP4_WEIGHT_1_T),
            constraint("TCos", RMS_NORM_ROTARY_1_T_COS),
            constraint("TOut", MAT_MUL_BLOCK_QUANTIZED_FP4_WEIGHT_1_T),
            constraint("F", TENSOR_FLOAT),
            constraint("I", TENSOR_INT64),
            constraint("TI", TENSOR_INT32),
        ])];

pub(super) static RANGE: [OperatorSchema; 1] = [schema("com.microsoft", "Range", 1, (2, 3), (1, 1))
    .inputs(&[
        single("start", of("T")),
        single("limit", of("T")),
        optional("delta", of("T")),
    ])
    .outputs(&[single("Y", of("T"))])
    .constraints(&[constraint("T", RANGE_1_T)])];

pub(super) static REDUCE_SUM_INTEGER: [OperatorSchema; 1] =
    [schema("com.microsoft", "ReduceSumInteger", 1, (1, 1), (1, 1))
        .inputs(&[single("data", of("T1"))])
        .outputs(&[single("reduced", of("T2"))])
        .attributes(&[required("axes", Ints), required("keepdims", Int)])
        .constraints(&[
            constraint("T1", DYNAMIC_QUANTIZE_LSTM_1_T2),
            constraint("T2", MAT_MUL_INTEGER16_1_T3),
        ])];

pub(super) static RELATIVE_POSITION_BIAS: [OperatorSchema; 1] =
    [schema("com.microsoft", "RelativePositionBias", 1, (3, 3), (1, 1))
        .inputs(&[
            single("bias_table", of("T")),
            single("query_length", of("U")),
            single("key_length", of("U")),
        ])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("is_bidirectional", 0), required("max_distance", Int)])
        .constraints(&[
            constraint("T", DISENTANGLED_ATTENTION_TRT_1_T),
            constraint("U", TENSOR_INT64),
        ])];

pub(super) static REMOVE_PADDING: [OperatorSchema; 1] =
    [schema("com.microsoft", "RemovePadding", 1, (2, 2), (4, 4))
        .inputs(&[single("input", of("T")), single("sequence_token_count", of("M"))])
        .outputs(&[
            single("output", of("T")),
            single("token_offset", of("M")),
            single("cumulated_seq_len", of("M")),
            single("max_seq_len", of("M")),
        ])
        .constraints(&[
            constraint("T", DISENTANGLED_ATTENTION_TRT_1_T),
            constraint("M", TENSOR_INT32),
        ])];

pub(super) static RESTORE_PADDING: [OperatorSchema; 1] =
    [schema("com.microsoft", "RestorePadding", 1, (2, 2), (1, 1))
        .inputs(&[single("input", of("T")), single("token_offset", of("M"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[
            constraint("T", DISENTANGLED_ATTENTION_TRT_1_T),
            constraint("M", TENSOR_INT32),
        ])];

pub(super) static RFFT: [OperatorSchema; 1] = [schema("com.microsoft", "Rfft", 1, (1, 1), (1, 1))
    .inputs(&[single("X", of("T"))])
    .outputs(&[single("Y", of("T"))])
    .attributes(&[int("normalized", 0), int("onesided", 1), int("signal_ndim", 1)])
    .constraints(&[constraint("T", BIAS_SOFTMAX_1_T)])];

pub(super) static ROTARY_EMBEDDING: [OperatorSchema; 1] =
    [schema("com.microsoft", "RotaryEmbedding", 1, (4, 4), (1, 1))
        .inputs(&[
            single("input", of("T")),
            single("position_ids", of("M")),
            single("cos_cache", of("T")),
            single("sin_cache", of("T")),
        ])
        .outputs(&[single("output", of("T"))])
        .attributes(&[
            unset("interleaved", Int),
            unset("is_packed_batching", Int),
            unset("num_heads", Int),
            unset("rotary_embedding_dim", Int),
            unset("scale", Float),
        ])
        .constraints(&[constraint("T", ATTENTION_1_T), constraint("M", TENSOR_INT64)])];

pub(super) static ROUTER_GATE_UP_PROJ: [OperatorSchema; 1] =
    [schema("com.microsoft", "RouterGateUpProj", 1, (2, 2), (2, 2))
        .inputs(&[single("X", of("T")), single("W", of("T"))])
        .outputs(&[single("router", of("T")), single("activated", of("T"))])
        .attributes(&[
            string("activation", "swiglu"),
            float("activation_alpha", 1.0),
            float("activation_beta", 0.0),
            float("limit", 0.0),
            required("router_size", Int),
        ])
        .constraints(&[constraint("T", MAT_MUL_BLOCK_QUANTIZED_FP4_WEIGHT_1_T)])];
