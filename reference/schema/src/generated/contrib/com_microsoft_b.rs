//! Generated from onnxruntime 1.32.0 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static BEAM_SEARCH: [OperatorSchema; 1] =
    [schema("com.microsoft", "BeamSearch", 1, (5, 12), (1, 3))
        .inputs(&[
            single("input_ids", of("F")),
            single("max_length", of("I")),
            optional("min_length", of("I")),
            single("num_beams", of("I")),
            single("num_return_sequences", of("I")),
            optional("length_penalty", of("T")),
            optional("repetition_penalty", of("T")),
            optional("vocab_mask", of("M")),
            optional("prefix_vocab_mask", of("M")),
            optional("attention_mask", of("I")),
            optional("decoder_input_ids", of("I")),
            optional("logits_processor", of("I")),
        ])
        .outputs(&[
            single("sequences", of("I")),
            optional("sequences_scores", of("T")),
            optional("scores", of("T")),
        ])
        .attributes(&[
            required("decoder", Graph),
            int("decoder_start_token_id", -1),
            int("early_stopping", 0),
            unset("encoder", Graph),
            required("eos_token_id", Int),
            unset("init_decoder", Graph),
            int("model_type", 0),
            int("no_repeat_ngram_size", 0),
            required("pad_token_id", Int),
            int("vocab_size", -1),
        ])
        .constraints(&[
            constraint("T", DISENTANGLED_ATTENTION_TRT_1_T),
            constraint("F", BEAM_SEARCH_1_F),
            constraint("I", TENSOR_INT32),
            constraint("M", TENSOR_INT32),
        ])];

pub(super) static BIAS_ADD: [OperatorSchema; 1] = [schema("com.microsoft", "BiasAdd", 1, (3, 3), (1, 1))
    .inputs(&[
        single("X", of("T")),
        single("bias", of("T")),
        single("skip", of("T")),
    ])
    .outputs(&[single("Y", of("T"))])
    .constraints(&[constraint("T", DISENTANGLED_ATTENTION_TRT_1_T)])];

pub(super) static BIAS_DROPOUT: [OperatorSchema; 1] =
    [schema("com.microsoft", "BiasDropout", 1, (2, 5), (1, 2))
        .inputs(&[
            single("data", of("T")),
            single("bias", of("T")),
            optional("residual", of("T")),
            optional("ratio", of("T1")),
            optional("training_mode", of("T2")),
        ])
        .outputs(&[single("output", of("T")), optional("mask", of("T2"))])
        .attributes(&[unset("seed", Int)])
        .constraints(&[
            constraint("T", LAYER_NORMALIZATION_1_T),
            constraint("T1", LAYER_NORMALIZATION_1_T),
            constraint("T2", TENSOR_BOOL),
        ])];

pub(super) static BIAS_GELU: [OperatorSchema; 1] = [schema("com.microsoft", "BiasGelu", 1, (2, 2), (1, 1))
    .inputs(&[single("A", of("T")), single("B", of("T"))])
    .outputs(&[single("C", of("T"))])
    .constraints(&[constraint("T", LAYER_NORMALIZATION_1_T)])];

pub(super) static BIAS_SOFTMAX: [OperatorSchema; 1] =
    [schema("com.microsoft", "BiasSoftmax", 1, (2, 2), (1, 1))
        .inputs(&[single("data", of("T")), single("bias", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("axis", 1), required("is_inner_broadcast", Int)])
        .constraints(&[constraint("T", BIAS_SOFTMAX_1_T)])];

pub(super) static BIAS_SPLIT_GELU: [OperatorSchema; 1] =
    [schema("com.microsoft", "BiasSplitGelu", 1, (2, 2), (1, 1))
        .inputs(&[single("X", of("T")), single("bias", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", DISENTANGLED_ATTENTION_TRT_1_T)])];

pub(super) static BIFURCATION_DETECTOR: [OperatorSchema; 1] =
    [schema("com.microsoft", "BifurcationDetector", 1, (3, 4), (2, 2))
        .inputs(&[
            single("src_tokens", of("T")),
            single("cur_tokens", of("T")),
            single("prev_suffix_match_idx", of("T")),
            optional("pred_tokens", of("T")),
        ])
        .outputs(&[single("tokens", of("T")), single("suffix_match_idx", of("T"))])
        .attributes(&[int("max_ngram_size", 3), int("min_ngram_size", 1)])
        .constraints(&[constraint("T", TENSOR_INT64)])];

pub(super) static BITMASK_BIAS_DROPOUT: [OperatorSchema; 1] =
    [schema("com.microsoft", "BitmaskBiasDropout", 1, (2, 5), (1, 2))
        .inputs(&[
            single("data", of("T")),
            single("bias", of("T")),
            optional("residual", of("T")),
            optional("ratio", of("T1")),
            optional("training_mode", of("T2")),
        ])
        .outputs(&[single("output", of("T")), optional("mask", of("T3"))])
        .attributes(&[unset("seed", Int)])
        .constraints(&[
            constraint("T", LAYER_NORMALIZATION_1_T),
            constraint("T1", LAYER_NORMALIZATION_1_T),
            constraint("T2", TENSOR_BOOL),
            constraint("T3", TENSOR_UINT32),
        ])];

pub(super) static BITMASK_DROPOUT: [OperatorSchema; 1] =
    [schema("com.microsoft", "BitmaskDropout", 1, (1, 3), (1, 2))
        .inputs(&[
            single("data", of("T")),
            optional("ratio", of("T1")),
            optional("training_mode", of("T2")),
        ])
        .outputs(&[single("output", of("T")), optional("mask", of("T3"))])
        .attributes(&[unset("seed", Int)])
        .constraints(&[
            constraint("T", LAYER_NORMALIZATION_1_T),
            constraint("T1", LAYER_NORMALIZATION_1_T),
            constraint("T2", TENSOR_BOOL),
            constraint("T3", TENSOR_UINT32),
        ])];

pub(super) static BRANCHWISE_RMS_NORM: [OperatorSchema; 1] =
    [schema("com.microsoft", "BranchwiseRMSNorm", 1, (1, 2), (1, 1))
        .inputs(&[single("X", of("T")), optional("scale", of("M"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[float("epsilon", 1e-05), int("num_branches", 0)])
        .constraints(&[constraint("T", ATTENTION_1_T), constraint("M", ATTENTION_1_T)])];
