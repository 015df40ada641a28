//! Generated from onnxruntime 1.32.0 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static EP_CONTEXT: [OperatorSchema; 1] =
    [
        schema("com.microsoft", "EPContext", 1, (0, UNBOUNDED), (1, UNBOUNDED))
            .inputs(&[heterogeneous("inputs", of("T"), 0)])
            .outputs(&[heterogeneous("outputs", of("T"), 1)])
            .attributes(&[
                int("embed_mode", 1),
                unset("ep_cache_context", String),
                unset("ep_sdk_version", String),
                unset("hardware_architecture", String),
                int("main_context", 1),
                int("max_size", 0),
                unset("notes", String),
                unset("onnx_model_filename", String),
                unset("partition_name", String),
                unset("source", String),
            ])
            .constraints(&[constraint("T", EP_CONTEXT_1_T)]),
    ];

pub(super) static EMBED_LAYER_NORMALIZATION: [OperatorSchema; 1] =
    [
        schema("com.microsoft", "EmbedLayerNormalization", 1, (7, 9), (1, 3))
            .inputs(&[
                single("input_ids", of("T1")),
                optional("segment_ids", of("T1")),
                single("word_embedding", of("T")),
                single("position_embedding", of("T")),
                optional("segment_embedding", of("T")),
                single("gamma", of("T")),
                single("beta", of("T")),
                optional("mask", of("T1")),
                optional("position_ids", of("T1")),
            ])
            .outputs(&[
                single("output", of("T")),
                optional("mask_index", of("T1")),
                optional("embedding_sum", of("T")),
            ])
            .attributes(&[float("epsilon", 1e-12), unset("mask_index_type", Int)])
            .constraints(&[
                constraint("T1", TENSOR_INT32),
                constraint("T", DISENTANGLED_ATTENTION_TRT_1_T),
            ]),
    ];

pub(super) static ENGRAM_GATE: [OperatorSchema; 1] =
    [schema("com.microsoft", "EngramGate", 1, (5, 6), (1, 2))
        .inputs(&[
            single("key", of("T")),
            single("query", of("T")),
            single("value", of("T")),
            single("key_norm_scale", of("T")),
            single("query_norm_scale", of("T")),
            optional("conv_norm_scale", of("T")),
        ])
        .outputs(&[single("output", of("T")), optional("gated_value_normed", of("T"))])
        .attributes(&[float("epsilon", 1e-05)])
        .constraints(&[constraint("T", ATTENTION_1_T)])];

pub(super) static EXPAND_DIMS: [OperatorSchema; 1] =
    [schema("com.microsoft", "ExpandDims", 1, (2, 2), (1, 1))
        .inputs(&[single("X", of("T")), single("axis", is(TENSOR_INT32))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", EXPAND_DIMS_1_T)])];
