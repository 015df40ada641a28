//! Generated from onnxruntime 1.32.0 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static LINEAR_ATTENTION: [OperatorSchema; 1] =
    [schema("com.microsoft", "LinearAttention", 1, (3, 6), (2, 2))
        .inputs(&[
            single("query", of("T")),
            single("key", of("T")),
            single("value", of("T")),
            optional("past_state", of("S")),
            optional("decay", of("T")),
            optional("beta", of("T")),
        ])
        .outputs(&[single("output", of("T")), single("present_state", of("S"))])
        .attributes(&[
            int("chunk_size", 64),
            required("kv_num_heads", Int),
            required("q_num_heads", Int),
            float("scale", 0.0),
            int("state_window", 0),
            string("update_rule", "gated_delta"),
        ])
        .constraints(&[constraint("T", ATTENTION_1_T), constraint("S", ATTENTION_1_T)])];

pub(super) static LINEAR_ATTENTION_GATE: [OperatorSchema; 1] =
    [schema("com.microsoft", "LinearAttentionGate", 1, (3, 4), (1, 2))
        .inputs(&[
            single("a", of("T")),
            single("dt_bias", of("TF")),
            single("decay_scale", of("TF")),
            optional("b", of("T")),
        ])
        .outputs(&[single("decay", of("T")), optional("beta", of("T"))])
        .constraints(&[constraint("T", ATTENTION_1_T), constraint("TF", TENSOR_FLOAT)])];

pub(super) static LONGFORMER_ATTENTION: [OperatorSchema; 1] =
    [schema("com.microsoft", "LongformerAttention", 1, (7, 7), (1, 1))
        .inputs(&[
            single("input", of("T")),
            single("weight", of("T")),
            single("bias", of("T")),
            single("mask", of("T")),
            single("global_weight", of("T")),
            single("global_bias", of("T")),
            single("global", of("G")),
        ])
        .outputs(&[single("output", of("T"))])
        .attributes(&[required("num_heads", Int), required("window", Int)])
        .constraints(&[
            constraint("T", DISENTANGLED_ATTENTION_TRT_1_T),
            constraint("G", TENSOR_INT32),
        ])];
