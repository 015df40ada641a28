//! Generated from onnxruntime 1.32.0 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static PACKED_ATTENTION: [OperatorSchema; 1] =
    [schema("com.microsoft", "PackedAttention", 1, (5, 6), (1, 1))
        .inputs(&[
            single("input", of("T")),
            single("weights", of("T")),
            single("bias", of("T")),
            single("token_offset", of("M")),
            single("cumulative_sequence_length", of("M")),
            optional("attention_bias", of("T")),
        ])
        .outputs(&[single("output", of("T"))])
        .attributes(&[
            required("num_heads", Int),
            unset("qkv_hidden_sizes", Ints),
            unset("scale", Float),
        ])
        .constraints(&[
            constraint("T", DISENTANGLED_ATTENTION_TRT_1_T),
            constraint("M", TENSOR_INT32),
        ])];

pub(super) static PACKED_MULTI_HEAD_ATTENTION: [OperatorSchema; 1] =
    [
        schema("com.microsoft", "PackedMultiHeadAttention", 1, (6, 7), (1, 1))
            .inputs(&[
                single("query", of("T")),
                optional("key", of("T")),
                optional("value", of("T")),
                optional("bias", of("T")),
                single("token_offset", of("M")),
                single("cumulative_sequence_length", of("M")),
                optional("attention_bias", of("T")),
            ])
            .outputs(&[single("output", of("T"))])
            .attributes(&[
                unset("mask_filter_value", Float),
                required("num_heads", Int),
                unset("scale", Float),
            ])
            .constraints(&[
                constraint("T", DISENTANGLED_ATTENTION_TRT_1_T),
                constraint("M", TENSOR_INT32),
            ]),
    ];

pub(super) static PACKED_SPARSE_ATTENTION_INDEXER: [OperatorSchema; 1] = [schema(
    "com.microsoft",
    "PackedSparseAttentionIndexer",
    1,
    (16, 22),
    (6, 9),
)
.inputs(&[
    single("query", of("T")),
    optional("key", of("T")),
    single("query_norm_weight", of("T")),
    single("key_norm_weight", of("T")),
    single("cos_cache", of("T")),
    single("sin_cache", of("T")),
    single("cumulative_sequence_lengths", of("M")),
    single("past_sequence_lengths", of("M")),
    optional("gate", of("T")),
    optional("position_bias", of("T")),
    optional("head_weights", of("T")),
    optional("position_ids", of("I")),
    single("past_key_state", of("T_KEY")),
    single("past_kv_buffer", of("T")),
    optional("past_gate_buffer", of("T")),
    single("past_state_lengths", of("M")),
    optional("state_update_capture_count", of("M")),
    optional("state_update_active", of("M")),
    optional("indexshare_mode", of("M")),
    optional("merged_indices", of("M")),
    optional("merged_counts", of("M")),
    optional("merged_status", of("M")),
])
.outputs(&[
    single("selected_indices", of("M")),
    single("selected_counts", of("M")),
    single("present_key_state", of("T_KEY")),
    single("present_kv_buffer", of("T")),
    optional("present_gate_buffer", of("T")),
    single("present_state_lengths", of("M")),
    optional("state_update", of("T")),
    optional("indexshare_status", of("M")),
    optional("state_status", of("M")),
])
.attributes(&[
    required("compress_ratio", Int),
    float("epsilon", 1e-06),
    unset("head_weight_scale", Float),
    unset("index_topk", Int),
    string("indexshare_state_policy", "default"),
    int("max_output_entries", 0),
    required("policy_mode", String),
    unset("scale", Float),
    required("state_capacity", Int),
    int("state_update_capacity", 0),
    unset("token_budget", Int),
])
.constraints(&[
    constraint("T", ATTENTION_1_T),
    constraint("T_KEY", ATTENTION_1_T),
    constraint("I", TENSOR_INT64),
    constraint("M", TENSOR_INT32),
])];

pub(super) static PACKED_SPARSE_ATTENTION_INDEXER_MERGE: [OperatorSchema; 1] = [schema(
    "com.microsoft",
    "PackedSparseAttentionIndexerMerge",
    1,
    (3, 7),
    (3, 3),
)
.inputs(&[
    single("base_indices", of("T")),
    single("base_counts", of("T")),
    single("base_row_indices", of("T")),
    optional("range_starts", of("T")),
    optional("range_ends", of("T")),
    optional("additional_indices", of("T")),
    optional("additional_counts", of("T")),
])
.outputs(&[
    single("selected_indices", of("T")),
    single("selected_counts", of("T")),
    single("status", of("T")),
])
.attributes(&[
    required("max_output_entries", Int),
    required("policy_mode", String),
])
.constraints(&[constraint("T", TENSOR_INT32)])];

pub(super) static PAD: [OperatorSchema; 1] = [schema("com.microsoft", "Pad", 1, (2, 3), (1, 1))
    .inputs(&[
        single("data", of("T")),
        single("pads", is(TENSOR_INT64)),
        optional("value", of("T")),
    ])
    .outputs(&[single("output", of("T"))])
    .attributes(&[string("mode", "constant")])
    .constraints(&[constraint("T", BIAS_SOFTMAX_1_T)])];

pub(super) static PAGED_ATTENTION: [OperatorSchema; 1] =
    [schema("com.microsoft", "PagedAttention", 1, (8, 17), (1, 3))
        .inputs(&[
            single("query", of("T")),
            optional("key", of("T")),
            optional("value", of("T")),
            single("key_cache", of("T_CACHE")),
            optional("value_cache", of("T_CACHE")),
            single("cumulative_sequence_length", of("S")),
            single("past_seqlens", of("S")),
            single("block_table", of("S")),
            optional("cos_cache", of("T")),
            optional("sin_cache", of("T")),
            optional("slot_mapping", of("S")),
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
            unset("do_rotary", Int),
            int("is_causal", 1),
            string("k_cache_dtype", ""),
            string("k_quant_type", "NONE"),
            string("kv_cache_layout", "SEPARATE"),
            required("kv_num_heads", Int),
            int("local_window_size", -1),
            required("num_heads", Int),
            unset("qk_norm_epsilon", Float),
            unset("rotary_interleaved", Int),
            unset("rotary_offset", Int),
            unset("scale", Float),
            unset("softcap", Float),
            string("v_cache_dtype", ""),
            unset("v_head_size", Int),
            string("v_quant_type", "NONE"),
        ])
        .constraints(&[
            constraint("T", MAT_MUL_BLOCK_QUANTIZED_FP4_WEIGHT_1_T),
            constraint("T_CACHE", PAGED_ATTENTION_1_T_CACHE),
            constraint("T_KV_SCALE", TENSOR_FLOAT),
            constraint("S", TENSOR_INT32),
        ])];
