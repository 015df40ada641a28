//! Generated from onnxruntime 1.32.0 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static GATED_ADD: [OperatorSchema; 1] = [schema("com.microsoft", "GatedAdd", 1, (3, 4), (1, 1))
    .inputs(&[
        single("X", of("T")),
        single("Y", of("T")),
        single("gate", of("T")),
        optional("gate_weight", of("T")),
    ])
    .outputs(&[single("output", of("T"))])
    .constraints(&[constraint("T", ATTENTION_1_T)])];

pub(super) static GATED_DELTA_NET: [OperatorSchema; 1] =
    [schema("com.microsoft", "GatedDeltaNet", 1, (1, 11), (1, 3))
        .inputs(&[
            single("query", of("T")),
            optional("key", of("T")),
            optional("value", of("T")),
            optional("cu_seqlens", of("TI")),
            optional("decay", of("TG")),
            optional("beta", of("TG")),
            optional("initial_state", of("TS")),
            optional("a_log", of("TS")),
            optional("dt_bias", of("TS")),
            optional("capture_count", of("TI")),
            optional("state_update_active", of("TI")),
        ])
        .outputs(&[
            single("output", of("T")),
            optional("final_state", of("TS")),
            optional("state_update", of("TS")),
        ])
        .attributes(&[
            string("beta_activation", "none"),
            int("chunk_size", 64),
            string("gate_activation", "none"),
            float("gate_lower_bound", -5.0),
            int("qk_l2_norm", 0),
            float("scale", 0.0),
            int("state_update_capacity", 0),
            string("update_rule", "gated_delta"),
        ])
        .constraints(&[
            constraint("T", ATTENTION_1_T),
            constraint("TS", TENSOR_FLOAT),
            constraint("TG", ATTENTION_1_T),
            constraint("TI", TENSOR_INT32),
        ])];

pub(super) static GATED_DELTA_NET_STATE_REPLAY: [OperatorSchema; 1] =
    [
        schema("com.microsoft", "GatedDeltaNetStateReplay", 1, (4, 4), (1, 1))
            .inputs(&[
                single("source_backing", of("T")),
                single("capsule_backing", of("T")),
                single("destination_backing", of("T")),
                single("metadata", of("TI")),
            ])
            .outputs(&[single("destination_out", of("T"))])
            .constraints(&[constraint("T", TENSOR_FLOAT), constraint("TI", TENSOR_INT64)]),
    ];

pub(super) static GATED_RMS_NORM: [OperatorSchema; 1] =
    [schema("com.microsoft", "GatedRMSNorm", 1, (3, 3), (1, 1))
        .inputs(&[
            single("X", of("T")),
            single("scale", of("T")),
            single("gate", of("T")),
        ])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[string("activation", "silu"), float("epsilon", 1e-05)])
        .constraints(&[constraint("T", ATTENTION_1_T)])];

pub(super) static GATED_RELATIVE_POSITION_BIAS: [OperatorSchema; 1] =
    [
        schema("com.microsoft", "GatedRelativePositionBias", 1, (6, 7), (1, 1))
            .inputs(&[
                single("query_layer", of("T")),
                single("query_bias", of("T")),
                single("rel_pos", of("T")),
                single("weight", of("T")),
                single("bias", of("T")),
                single("eco_a", of("T")),
                optional("token_offset", of("M")),
            ])
            .outputs(&[single("output", of("T"))])
            .attributes(&[required("num_heads", Int)])
            .constraints(&[
                constraint("T", DISENTANGLED_ATTENTION_TRT_1_T),
                constraint("M", TENSOR_INT32),
            ]),
    ];

pub(super) static GATHER_BLOCK_QUANTIZED: [OperatorSchema; 1] =
    [schema("com.microsoft", "GatherBlockQuantized", 1, (3, 4), (1, 1))
        .inputs(&[
            single("data", of("T1")),
            single("indices", of("Tind")),
            single("scales", of("T2")),
            optional("zero_points", of("T1")),
        ])
        .outputs(&[single("output", of("T2"))])
        .attributes(&[
            int("bits", 4),
            int("block_size", 128),
            int("gather_axis", 0),
            int("quantize_axis", 1),
        ])
        .constraints(&[
            constraint("T1", GATHER_BLOCK_QUANTIZED_1_T1),
            constraint("T2", ATTENTION_1_T),
            constraint("Tind", GATHER_BLOCK_QUANTIZED_1_TIND),
        ])];

pub(super) static GATHER_ND: [OperatorSchema; 1] = [schema("com.microsoft", "GatherND", 1, (2, 2), (1, 1))
    .inputs(&[single("data", of("T")), single("indices", of("Tind"))])
    .outputs(&[single("output", of("T"))])
    .constraints(&[
        constraint("T", EXPAND_DIMS_1_T),
        constraint("Tind", GATHER_BLOCK_QUANTIZED_1_TIND),
    ])];

pub(super) static GATHER_PACKED: [OperatorSchema; 1] =
    [schema("com.microsoft", "GatherPacked", 1, (2, 2), (1, 1))
        .inputs(&[single("data", of("T1")), single("indices", of("Tind"))])
        .outputs(&[single("output", of("T2"))])
        .attributes(&[
            required("K", Int),
            int("output_dtype", 16),
            required("packed_type", Int),
        ])
        .constraints(&[
            constraint("T1", TENSOR_UINT8),
            constraint("T2", ATTENTION_1_T),
            constraint("Tind", GATHER_BLOCK_QUANTIZED_1_TIND),
        ])];

pub(super) static GELU: [OperatorSchema; 1] = [schema("com.microsoft", "Gelu", 1, (1, 1), (1, 1))
    .inputs(&[single("X", of("T"))])
    .outputs(&[single("Y", of("T"))])
    .constraints(&[constraint("T", LAYER_NORMALIZATION_1_T)])];

pub(super) static GEMM_FAST_GELU: [OperatorSchema; 1] =
    [schema("com.microsoft", "GemmFastGelu", 1, (2, 3), (1, 1))
        .inputs(&[
            single("X", of("T")),
            single("W", of("T")),
            optional("bias", of("T")),
        ])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", ATTENTION_1_T)])];

pub(super) static GEMM_FLOAT8: [OperatorSchema; 1] =
    [schema("com.microsoft", "GemmFloat8", 1, (2, 6), (1, 1))
        .inputs(&[
            single("A", of("TA")),
            single("B", of("TB")),
            optional("C", of("TC")),
            optional("scaleA", of("TS")),
            optional("scaleB", of("TS")),
            optional("scaleY", of("TS")),
        ])
        .outputs(&[single("Y", of("TR"))])
        .attributes(&[
            unset("activation", String),
            float("alpha", 1.0),
            float("beta", 0.0),
            int("dtype", 1),
            int("transA", 0),
            int("transB", 0),
        ])
        .constraints(&[
            constraint("TA", GEMM_FLOAT8_1_TA),
            constraint("TB", GEMM_FLOAT8_1_TA),
            constraint("TC", ATTENTION_1_T),
            constraint("TR", GEMM_FLOAT8_1_TA),
            constraint("TS", TENSOR_FLOAT),
        ])];

pub(super) static GEMMA_ROTARY_EMBEDDING: [OperatorSchema; 1] =
    [schema("com.microsoft", "GemmaRotaryEmbedding", 1, (5, 5), (2, 2))
        .inputs(&[
            single("emb", of("U")),
            single("q", of("T")),
            single("q_rot", of("T")),
            single("k", of("T")),
            single("k_rot", of("T")),
        ])
        .outputs(&[single("output1", of("T")), single("output2", of("T"))])
        .constraints(&[constraint("T", TENSOR_FLOAT16), constraint("U", TENSOR_FLOAT)])];

pub(super) static GREEDY_SEARCH: [OperatorSchema; 1] =
    [schema("com.microsoft", "GreedySearch", 1, (2, 7), (1, 1))
        .inputs(&[
            single("input_ids", of("I")),
            single("max_length", of("I")),
            optional("min_length", of("I")),
            optional("repetition_penalty", of("T")),
            optional("vocab_mask", of("I")),
            optional("prefix_vocab_mask", of("I")),
            optional("attention_mask", of("I")),
        ])
        .outputs(&[single("sequences", of("I"))])
        .attributes(&[
            required("decoder", Graph),
            int("decoder_start_token_id", -1),
            unset("encoder", Graph),
            required("eos_token_id", Int),
            unset("init_decoder", Graph),
            int("model_type", 0),
            int("no_repeat_ngram_size", 0),
            required("pad_token_id", Int),
            int("vocab_size", -1),
        ])
        .constraints(&[constraint("T", TENSOR_FLOAT), constraint("I", TENSOR_INT32)])];

pub(super) static GRID_SAMPLE: [OperatorSchema; 1] =
    [schema("com.microsoft", "GridSample", 1, (2, 2), (1, 1))
        .inputs(&[single("X", of("T1")), single("Grid", of("T1"))])
        .outputs(&[single("Y", of("T2"))])
        .attributes(&[
            int("align_corners", 0),
            string("mode", "bilinear"),
            string("padding_mode", "zeros"),
        ])
        .constraints(&[
            constraint("T1", EXPAND_DIMS_1_T),
            constraint("T2", BIAS_SOFTMAX_1_T),
        ])];

pub(super) static GROUP_NORM: [OperatorSchema; 1] = [schema("com.microsoft", "GroupNorm", 1, (3, 3), (1, 1))
    .inputs(&[
        single("X", of("T")),
        single("gamma", of("M")),
        single("beta", of("M")),
    ])
    .outputs(&[single("Y", of("T"))])
    .attributes(&[
        required("activation", Int),
        int("channels_last", 1),
        float("epsilon", 1e-05),
        required("groups", Int),
    ])
    .constraints(&[
        constraint("T", DISENTANGLED_ATTENTION_TRT_1_T),
        constraint("M", DISENTANGLED_ATTENTION_TRT_1_T),
    ])];

pub(super) static GROUP_QUERY_ATTENTION: [OperatorSchema; 1] =
    [schema("com.microsoft", "GroupQueryAttention", 1, (7, 17), (1, 4))
        .inputs(&[
            single("query", of("T")),
            optional("key", of("T")),
            optional("value", of("T")),
            optional("past_key", of("T_CACHE")),
            optional("past_value", of("T_CACHE")),
            single("seqlens_k", of("M")),
            single("total_sequence_length", of("M")),
            optional("cos_cache", of("T")),
            optional("sin_cache", of("T")),
            optional("position_ids", is(TENSOR_INT64)),
            optional("attention_bias", of("T")),
            optional("head_sink", of("T")),
            optional("k_scale", of("T_KV_SCALE")),
            optional("v_scale", of("T_KV_SCALE")),
            optional("q_norm_weight", of("T")),
            optional("k_norm_weight", of("T")),
            optional("query_seqlens", of("M")),
        ])
        .outputs(&[
            single("output", of("T")),
            optional("present_key", of("T_CACHE")),
            optional("present_value", of("T_CACHE")),
            optional("output_qk", of("T")),
        ])
        .attributes(&[
            int("causal", 1),
            unset("do_rotary", Int),
            unset("k_norm_epsilon", Float),
            string("k_quant_type", "NONE"),
            unset("kv_cache_bit_width", Int),
            required("kv_num_heads", Int),
            int("local_window_size", -1),
            required("num_heads", Int),
            unset("q_norm_epsilon", Float),
            float("qk_norm_epsilon", 1e-06),
            int("qk_output", 0),
            unset("rotary_interleaved", Int),
            unset("scale", Float),
            int("sliding_window_cache", 0),
            int("smooth_softmax", -1),
            unset("softcap", Float),
            string("v_quant_type", "NONE"),
        ])
        .constraints(&[
            constraint("T", ATTENTION_1_T),
            constraint("T_CACHE", GROUP_QUERY_ATTENTION_1_T_CACHE),
            constraint("T_KV_SCALE", TENSOR_FLOAT),
            constraint("M", TENSOR_INT32),
        ])];
