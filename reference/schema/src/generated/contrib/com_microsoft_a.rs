//! Generated from onnxruntime 1.32.0 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static ATTENTION: [OperatorSchema; 1] = [schema("com.microsoft", "Attention", 1, (2, 7), (1, 2))
    .inputs(&[
        single("input", of("T")),
        single("weights", of("T")),
        optional("bias", of("T")),
        optional("mask_index", of("M")),
        optional("past", of("T")),
        optional("attention_bias", of("T")),
        optional("past_sequence_length", of("M")),
    ])
    .outputs(&[single("output", of("T")), optional("present", of("T"))])
    .attributes(&[
        unset("do_rotary", Int),
        unset("mask_filter_value", Float),
        required("num_heads", Int),
        unset("past_present_share_buffer", Int),
        unset("qkv_hidden_sizes", Ints),
        unset("rotary_embedding_dim", Int),
        unset("scale", Float),
        int("unidirectional", 0),
    ])
    .constraints(&[constraint("T", ATTENTION_1_T), constraint("M", TENSOR_INT32)])];

pub(super) static ATTN_LSTM: [OperatorSchema; 1] = [schema("com.microsoft", "AttnLSTM", 1, (3, 14), (0, 3))
    .inputs(&[
        single("X", of("T")),
        single("W", of("T")),
        single("R", of("T")),
        optional("B", of("T")),
        optional("sequence_lens", of("T1")),
        optional("initial_h", of("T")),
        optional("initial_c", of("T")),
        optional("P", of("T")),
        optional("QW", of("T")),
        optional("MW", of("T")),
        optional("V", of("T")),
        optional("M", of("T")),
        optional("memory_seq_lens", of("T1")),
        optional("AW", of("T")),
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
        constraint("T", LAYER_NORMALIZATION_1_U),
        constraint("T1", TENSOR_INT32),
    ])];
