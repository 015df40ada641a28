//! Generated from onnxruntime 1.32.0 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static N_GRAM_HASH_MAPPING: [OperatorSchema; 1] =
    [schema("com.microsoft", "NGramHashMapping", 1, (3, 7), (1, 2))
        .inputs(&[
            single("input_ids", of("M")),
            single("multipliers", of("M")),
            single("vocab_sizes", of("M")),
            optional("past_ids", of("M")),
            optional("head_offsets", of("M")),
            optional("eos_token_id", of("M")),
            optional("segment_ids", is(TENSOR_INT32)),
        ])
        .outputs(&[single("hash_ids", of("M")), optional("present_ids", of("M"))])
        .attributes(&[
            required("max_ngram_size", Int),
            required("n_head_per_ngram", Int),
            required("pad_id", Int),
            int("reset_on_eos", 0),
        ])
        .constraints(&[constraint("M", GATHER_BLOCK_QUANTIZED_1_TIND)])];

pub(super) static N_GRAM_REPEAT_BLOCK: [OperatorSchema; 1] =
    [schema("com.microsoft", "NGramRepeatBlock", 1, (2, 2), (1, 1))
        .inputs(&[single("input_ids", of("Tid")), single("scores", of("T"))])
        .outputs(&[single("scores_out", of("T"))])
        .attributes(&[required("ngram_size", Int)])
        .constraints(&[constraint("Tid", TENSOR_INT64), constraint("T", TENSOR_FLOAT)])];

pub(super) static NHWC_CONV: [OperatorSchema; 1] = [schema("com.microsoft", "NhwcConv", 1, (2, 3), (1, 1))
    .inputs(&[single("X", of("T")), single("W", of("T")), optional("B", of("T"))])
    .outputs(&[single("Y", of("T"))])
    .attributes(&[
        string("auto_pad", "NOTSET"),
        unset("dilations", Ints),
        int("group", 1),
        unset("kernel_shape", Ints),
        unset("pads", Ints),
        unset("strides", Ints),
    ])
    .constraints(&[constraint("T", BIAS_SOFTMAX_1_T)])];

pub(super) static NHWC_FUSED_CONV: [OperatorSchema; 1] =
    [schema("com.microsoft", "NhwcFusedConv", 1, (2, 4), (1, 1))
        .inputs(&[
            single("X", of("T")),
            single("W", of("T")),
            optional("B", of("T")),
            optional("Z", of("T")),
        ])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            unset("activation", String),
            unset("activation_params", Floats),
            string("auto_pad", "NOTSET"),
            unset("dilations", Ints),
            int("group", 1),
            unset("kernel_shape", Ints),
            unset("pads", Ints),
            unset("strides", Ints),
        ])
        .constraints(&[constraint("T", DISENTANGLED_ATTENTION_TRT_1_T)])];

pub(super) static NHWC_MAX_POOL: [OperatorSchema; 1] =
    [schema("com.microsoft", "NhwcMaxPool", 1, (1, 1), (1, 1))
        .inputs(&[single("x", of("T"))])
        .outputs(&[single("y", of("T"))])
        .attributes(&[
            string("auto_pad", "NOTSET"),
            int("ceil_mode", 0),
            unset("dilations", Ints),
            required("kernel_shape", Ints),
            unset("pads", Ints),
            unset("strides", Ints),
        ])
        .constraints(&[constraint("T", DYNAMIC_QUANTIZE_LSTM_1_T2)])];
