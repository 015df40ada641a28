//! Generated from onnxruntime 1.32.0 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static SAMPLE_OP: [OperatorSchema; 1] = [schema("com.microsoft", "SampleOp", 1, (1, 1), (1, 1))
    .inputs(&[single("X", of("T"))])
    .outputs(&[single("Y", of("T"))])
    .constraints(&[constraint("T", FUSED_GEMM_1_T)])];

pub(super) static SAMPLING: [OperatorSchema; 1] = [schema("com.microsoft", "Sampling", 1, (2, 9), (1, 2))
    .inputs(&[
        single("input_ids", of("I")),
        single("max_length", of("I")),
        optional("min_length", of("I")),
        optional("repetition_penalty", of("T")),
        optional("vocab_mask", of("I")),
        optional("prefix_vocab_mask", of("I")),
        optional("attention_mask", of("I")),
        optional("presence_mask", of("I")),
        optional("seed", of("I")),
    ])
    .outputs(&[single("sequences", of("I")), optional("filtered_logits", of("T"))])
    .attributes(&[
        int("custom", 0),
        required("decoder", Graph),
        int("decoder_start_token_id", -1),
        unset("encoder", Graph),
        required("eos_token_id", Int),
        float("filter_value", -1e+20),
        unset("init_decoder", Graph),
        int("min_tokens_to_keep", 0),
        int("model_type", 0),
        int("no_repeat_ngram_size", 0),
        required("pad_token_id", Int),
        float("presence_penalty", 0.0),
        float("temperature", 1.0),
        float("top_p", 0.0),
        int("vocab_size", -1),
    ])
    .constraints(&[constraint("T", TENSOR_FLOAT), constraint("I", TENSOR_INT32)])];

pub(super) static SCALED_SI_LU: [OperatorSchema; 1] =
    [schema("com.microsoft", "ScaledSiLU", 1, (1, 2), (1, 1))
        .inputs(&[single("X", of("T")), optional("scale", of("M"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[float("alpha", 1.0)])
        .constraints(&[constraint("T", ATTENTION_1_T), constraint("M", ATTENTION_1_T)])];

pub(super) static SKIP_GROUP_NORM: [OperatorSchema; 1] =
    [schema("com.microsoft", "SkipGroupNorm", 1, (4, 5), (1, 2))
        .inputs(&[
            single("X", of("T")),
            single("gamma", of("M")),
            single("beta", of("M")),
            single("skip", of("T")),
            optional("bias", of("T")),
        ])
        .outputs(&[single("Y", of("T")), optional("S", of("T"))])
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

pub(super) static SKIP_LAYER_NORMALIZATION: [OperatorSchema; 1] =
    [
        schema("com.microsoft", "SkipLayerNormalization", 1, (3, 5), (1, 4))
            .inputs(&[
                single("input", of("T")),
                single("skip", of("T")),
                single("gamma", of("T")),
                optional("beta", of("T")),
                optional("bias", of("T")),
            ])
            .outputs(&[
                single("output", of("T")),
                optional("mean", of("U")),
                optional("inv_std_var", of("U")),
                optional("input_skip_bias_sum", of("T")),
            ])
            .attributes(&[float("epsilon", 1e-12)])
            .constraints(&[constraint("T", ATTENTION_1_T), constraint("U", TENSOR_FLOAT)]),
    ];

pub(super) static SKIP_SIMPLIFIED_LAYER_NORMALIZATION: [OperatorSchema; 1] = [schema(
    "com.microsoft",
    "SkipSimplifiedLayerNormalization",
    1,
    (3, 4),
    (1, 4),
)
.inputs(&[
    single("input", of("T")),
    single("skip", of("T")),
    single("gamma", of("T")),
    optional("bias", of("T")),
])
.outputs(&[
    single("output", of("T")),
    optional("mean", of("U")),
    optional("inv_std_var", of("U")),
    optional("input_skip_bias_sum", of("T")),
])
.attributes(&[float("epsilon", 1e-12)])
.constraints(&[constraint("T", ATTENTION_1_T), constraint("U", TENSOR_FLOAT)])];

pub(super) static SNPE: [OperatorSchema; 1] =
    [schema("com.microsoft", "Snpe", 1, (1, UNBOUNDED), (1, UNBOUNDED))
        .inputs(&[variadic("inputs", of("T"), 1)])
        .outputs(&[variadic("outputs", of("T"), 1)])
        .attributes(&[
            required("DLC", String),
            unset("notes", String),
            unset("snpe_version", String),
            unset("target_device", String),
        ])
        .constraints(&[constraint("T", SNPE_1_T)])];

pub(super) static SPARSE_ATTENTION: [OperatorSchema; 1] =
    [schema("com.microsoft", "SparseAttention", 1, (9, 11), (3, 3))
        .inputs(&[
            single("query", of("T")),
            optional("key", of("T")),
            optional("value", of("T")),
            single("past_key", of("T")),
            single("past_value", of("T")),
            single("block_row_indices", of("M")),
            single("block_col_indices", of("M")),
            single("total_sequence_length", of("M")),
            single("key_total_sequence_lengths", of("M")),
            optional("cos_cache", of("T")),
            optional("sin_cache", of("T")),
        ])
        .outputs(&[
            single("output", of("T")),
            single("present_key", of("T")),
            single("present_value", of("T")),
        ])
        .attributes(&[
            unset("do_rotary", Int),
            required("kv_num_heads", Int),
            required("num_heads", Int),
            unset("rotary_interleaved", Int),
            unset("scale", Float),
            required("sparse_block_size", Int),
        ])
        .constraints(&[constraint("T", ATTENTION_1_T), constraint("M", TENSOR_INT32)])];

pub(super) static SPARSE_ATTENTION_INDEXER: [OperatorSchema; 1] =
    [
        schema("com.microsoft", "SparseAttentionIndexer", 1, (8, 14), (2, 3))
            .inputs(&[
                single("query", of("T")),
                optional("key", of("T")),
                single("query_norm_weight", of("T")),
                single("key_norm_weight", of("T")),
                single("cos_cache", of("T")),
                single("sin_cache", of("T")),
                optional("mask", of("TB")),
                single("past_key", of("T")),
                optional("gate", of("T")),
                optional("position_bias", of("T")),
                optional("head_weights", of("T")),
                optional("position_ids", of("I")),
                optional("past_sequence_length", of("M")),
                optional("past_proj_buffer", of("T")),
            ])
            .outputs(&[
                single("selected_indices", of("M")),
                single("present_key", of("T")),
                optional("present_proj_buffer", of("T")),
            ])
            .attributes(&[
                required("compress_ratio", Int),
                float("epsilon", 1e-06),
                unset("head_weight_scale", Float),
                unset("index_topk", Int),
                required("policy_mode", String),
                unset("scale", Float),
                unset("token_budget", Int),
            ])
            .constraints(&[
                constraint("T", ATTENTION_1_T),
                constraint("TB", TENSOR_INT64),
                constraint("I", TENSOR_INT64),
                constraint("M", TENSOR_INT32),
            ]),
    ];

pub(super) static SPARSE_PAGED_ATTENTION: [OperatorSchema; 1] =
    [
        schema("com.microsoft", "SparsePagedAttention", 1, (11, 22), (1, 3))
            .inputs(&[
                single("query", of("T")),
                optional("key", of("T")),
                optional("value", of("T")),
                single("key_cache", of("T_CACHE")),
                single("value_cache", of("T_CACHE")),
                single("cumulative_sequence_length", of("S")),
                single("past_seqlens", of("S")),
                single("block_table", of("S")),
                optional("slot_mapping", of("S")),
                single("selected_indices", of("S")),
                single("selected_counts", of("S")),
                optional("auxiliary_key", of("T")),
                optional("auxiliary_value", of("T")),
                optional("auxiliary_lengths", of("S")),
                optional("cos_cache", of("T")),
                optional("sin_cache", of("T")),
                optional("head_sink", of("T")),
                optional("q_norm_weight", of("T")),
                optional("k_norm_weight", of("T")),
                optional("k_scale", of("T_KV_SCALE")),
                optional("v_scale", of("T_KV_SCALE")),
                optional("attention_metadata", of("S")),
            ])
            .outputs(&[
                single("output", of("T")),
                optional("key_cache_out", of("T_CACHE")),
                optional("value_cache_out", of("T_CACHE")),
            ])
            .attributes(&[
                string("attention_mode", "selected_only"),
                string("auxiliary_cache_layout", "contiguous"),
                int("auxiliary_kv_shared", 0),
                int("do_rotary", 0),
                int("is_causal", 1),
                string("k_quant_type", "NONE"),
                required("kv_num_heads", Int),
                int("local_window_size", -1),
                required("num_heads", Int),
                float("qk_norm_epsilon", 1e-06),
                int("rotary_interleaved", 0),
                int("rotary_offset", 0),
                unset("scale", Float),
                string("selected_kv_source", "main"),
                unset("softcap", Float),
                string("v_quant_type", "NONE"),
            ])
            .constraints(&[
                constraint("T", MAT_MUL_BLOCK_QUANTIZED_FP4_WEIGHT_1_T),
                constraint("T_CACHE", SPARSE_PAGED_ATTENTION_1_T_CACHE),
                constraint("T_KV_SCALE", TENSOR_FLOAT),
                constraint("S", TENSOR_INT32),
            ]),
    ];

pub(super) static SPARSE_TO_DENSE_MAT_MUL: [OperatorSchema; 1] =
    [schema("com.microsoft", "SparseToDenseMatMul", 1, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T1"))])
        .outputs(&[single("Y", of("T1"))])
        .attributes(&[float("alpha", 1.0), int("transA", 0), int("transB", 0)])
        .constraints(&[
            constraint("T", SPARSE_TO_DENSE_MAT_MUL_1_T),
            constraint("T1", SPARSE_TO_DENSE_MAT_MUL_1_T1),
        ])];

pub(super) static SPECULATIVE_PREFIX_COMMIT: [OperatorSchema; 1] =
    [
        schema("com.microsoft", "SpeculativePrefixCommit", 1, (7, 7), (3, 3))
            .inputs(&[
                single("next_tokens", of("I64")),
                single("input_ids", of("I64")),
                single("status", of("I32")),
                single("ctl", of("I64")),
                single("ctx_commit", of("I64")),
                single("prefixes", of("I64")),
                single("ptrs", of("I64")),
            ])
            .outputs(&[
                single("head_c", of("I32")),
                single("updated_ctl", of("I64")),
                single("updated_ctx_commit", of("I64")),
            ])
            .attributes(&[int("head_rows", 8)])
            .constraints(&[constraint("I64", TENSOR_INT64), constraint("I32", TENSOR_INT32)]),
    ];

pub(super) static SWI_GLU: [OperatorSchema; 1] = [schema("com.microsoft", "SwiGLU", 1, (1, 2), (1, 1))
    .inputs(&[single("gate", of("T")), optional("up", of("T"))])
    .outputs(&[single("output", of("T"))])
    .attributes(&[
        float("activation_alpha", 1.0),
        float("activation_beta", 0.0),
        float("limit", 0.0),
        int("round_activation", 0),
    ])
    .constraints(&[constraint("T", ATTENTION_1_T)])];
