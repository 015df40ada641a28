//! Generated from onnxruntime 1.32.0 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static VARLEN_CAUSAL_CONV_WITH_STATE: [OperatorSchema; 1] =
    [
        schema("com.microsoft", "VarlenCausalConvWithState", 1, (5, 8), (2, 3))
            .inputs(&[
                single("input", of("T")),
                single("weight", of("T")),
                single("cumulative_sequence_length", of("M")),
                optional("bias", of("T")),
                single("initial_state", of("T")),
                optional("capture_count", of("M")),
                optional("kernel_delta", of("T")),
                optional("previous_mask", of("T")),
            ])
            .outputs(&[
                single("output", of("T")),
                single("final_state", of("T")),
                optional("state_update", of("T")),
            ])
            .attributes(&[
                string("activation", "none"),
                int("delta_offset", 0),
                int("dilation", 1),
                int("group_size", 1),
                int("state_update_capacity", 0),
            ])
            .constraints(&[constraint("T", ATTENTION_1_T), constraint("M", TENSOR_INT32)]),
    ];

pub(super) static VARLEN_N_GRAM_HASH_MAPPING: [OperatorSchema; 1] =
    [
        schema("com.microsoft", "VarlenNGramHashMapping", 1, (4, 10), (1, 4))
            .inputs(&[
                single("input_ids", of("M")),
                single("multipliers", of("M")),
                single("vocab_sizes", of("M")),
                single("cumulative_sequence_length", of("S")),
                optional("past_ids", of("M")),
                optional("head_offsets", of("M")),
                optional("eos_token_id", of("M")),
                optional("segment_ids", is(TENSOR_INT32)),
                optional("past_segment_ids", of("S")),
                optional("capture_count", of("S")),
            ])
            .outputs(&[
                single("hash_ids", of("M")),
                optional("present_ids", of("M")),
                optional("present_segment_ids", of("S")),
                optional("state_update", of("M")),
            ])
            .attributes(&[
                required("max_ngram_size", Int),
                required("n_head_per_ngram", Int),
                required("pad_id", Int),
                int("reset_on_eos", 0),
                int("state_update_capacity", 0),
            ])
            .constraints(&[
                constraint("M", GATHER_BLOCK_QUANTIZED_1_TIND),
                constraint("S", TENSOR_INT32),
            ]),
    ];
