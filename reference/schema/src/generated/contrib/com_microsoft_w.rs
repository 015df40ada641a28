//! Generated from onnxruntime 1.32.0 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static WHISPER_BEAM_SEARCH: [OperatorSchema; 1] =
    [schema("com.microsoft", "WhisperBeamSearch", 1, (5, 15), (1, 5))
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
            optional("cross_qk_layer_head", of("I")),
            optional("extra_decoding_ids", of("I")),
            optional("temperature", of("T")),
        ])
        .outputs(&[
            single("sequences", of("I")),
            optional("sequences_scores", of("T")),
            optional("scores", of("T")),
            optional("cross_qk", of("V")),
            optional("non_speech_probs", of("T")),
        ])
        .attributes(&[
            unset("beginning_timestamp_token_id", Int),
            required("decoder", Graph),
            unset("decoder_output_cross_qk", Int),
            int("decoder_start_token_id", -1),
            int("early_stopping", 0),
            unset("encoder", Graph),
            required("eos_token_id", Int),
            unset("init_decoder", Graph),
            int("model_type", 2),
            int("no_repeat_ngram_size", 0),
            unset("no_speech_token_id", Int),
            unset("no_timestamps_token_id", Int),
            required("pad_token_id", Int),
            unset("start_of_lm_token_id", Int),
            unset("transcribe_token_id", Int),
            unset("translate_token_id", Int),
            int("vocab_size", -1),
        ])
        .constraints(&[
            constraint("T", DISENTANGLED_ATTENTION_TRT_1_T),
            constraint("F", BEAM_SEARCH_1_F),
            constraint("I", TENSOR_INT32),
            constraint("M", TENSOR_INT32),
            constraint("V", TENSOR_FLOAT),
        ])];

pub(super) static WORD_CONV_EMBEDDING: [OperatorSchema; 1] =
    [schema("com.microsoft", "WordConvEmbedding", 1, (4, 4), (1, 1))
        .inputs(&[
            single("Sequence", of("T")),
            single("W", of("T1")),
            single("B", of("T1")),
            single("C", of("T1")),
        ])
        .outputs(&[single("Y", of("T1"))])
        .attributes(&[
            unset("char_embedding_size", Int),
            unset("conv_window_size", Int),
            unset("embedding_size", Int),
        ])
        .constraints(&[constraint("T", TENSOR_INT32), constraint("T1", TENSOR_FLOAT)])];
