//! Generated from onnxruntime 1.32.0 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static HYPER_CONNECTION_LOW_RANK_MIX: [OperatorSchema; 1] =
    [
        schema("com.microsoft", "HyperConnectionLowRankMix", 1, (5, 7), (2, 3))
            .inputs(&[
                single("streams", of("T")),
                single("norm_scale", of("T")),
                single("down_weight", of("T")),
                single("up_weight", of("T")),
                single("inject_weight", of("T")),
                optional("prev_block_output", of("T")),
                optional("prev_post_gate", of("T")),
            ])
            .outputs(&[
                single("pre_output", of("T")),
                single("post_gate", of("T")),
                optional("streams_out", of("T")),
            ])
            .attributes(&[
                float("epsilon", 1e-05),
                float("gate_div", 1.0),
                float("gate_mul", 1.0),
                required("num_branches", Int),
                float("reduction_scale", 1.0),
                float("silu_alpha", 1.0),
            ])
            .constraints(&[constraint("T", ATTENTION_1_T)]),
    ];

pub(super) static HYPER_CONNECTION_POST_MIX: [OperatorSchema; 1] =
    [
        schema("com.microsoft", "HyperConnectionPostMix", 1, (3, 4), (1, 1))
            .inputs(&[
                single("streams", of("T")),
                single("block_output", of("T")),
                single("post_mix", of("M")),
                optional("stream_mix", of("M")),
            ])
            .outputs(&[single("output", of("T"))])
            .attributes(&[int("num_branches", 0)])
            .constraints(&[constraint("T", ATTENTION_1_T), constraint("M", ATTENTION_1_T)]),
    ];

pub(super) static HYPER_CONNECTION_PRE_MIX: [OperatorSchema; 1] =
    [
        schema("com.microsoft", "HyperConnectionPreMix", 1, (2, 2), (1, 1))
            .inputs(&[single("streams", of("T")), single("pre_mix", of("M"))])
            .outputs(&[single("output", of("T"))])
            .attributes(&[int("num_branches", 0), float("reduction_scale", 1.0)])
            .constraints(&[constraint("T", ATTENTION_1_T), constraint("M", ATTENTION_1_T)]),
    ];
