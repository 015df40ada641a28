//! Generated from onnx 1.23.2 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static NEG: [OperatorSchema; 3] = [
    schema("", "Neg", 1, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[unset("consumed_inputs", Ints)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Neg", 6, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", NEG_6_T)]),
    schema("", "Neg", 13, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", NEG_13_T)]),
];

pub(super) static NEGATIVE_LOG_LIKELIHOOD_LOSS: [OperatorSchema; 3] = [
    schema("", "NegativeLogLikelihoodLoss", 12, (2, 3), (1, 1))
        .inputs(&[
            single("input", of("T")),
            single("target", of("Tind")),
            optional("weight", of("T")),
        ])
        .outputs(&[single("loss", of("T"))])
        .attributes(&[unset("ignore_index", Int), string("reduction", "mean")])
        .constraints(&[
            constraint("T", ABS_1_T),
            constraint("Tind", BLACKMAN_WINDOW_17_T1),
        ])
        .function(FunctionKind::ContextDependent),
    schema("", "NegativeLogLikelihoodLoss", 13, (2, 3), (1, 1))
        .inputs(&[
            single("input", of("T")),
            single("target", of("Tind")),
            optional("weight", of("T")),
        ])
        .outputs(&[single("loss", of("T"))])
        .attributes(&[unset("ignore_index", Int), string("reduction", "mean")])
        .constraints(&[
            constraint("T", ABS_1_T),
            constraint("Tind", BLACKMAN_WINDOW_17_T1),
        ])
        .function(FunctionKind::ContextDependent),
    schema("", "NegativeLogLikelihoodLoss", 22, (2, 3), (1, 1))
        .inputs(&[
            single("input", of("T")),
            single("target", of("Tind")),
            optional("weight", of("T")),
        ])
        .outputs(&[single("loss", of("T"))])
        .attributes(&[unset("ignore_index", Int), string("reduction", "mean")])
        .constraints(&[
            constraint("T", ACOS_22_T),
            constraint("Tind", BLACKMAN_WINDOW_17_T1),
        ])
        .function(FunctionKind::ContextDependent),
];

pub(super) static NON_MAX_SUPPRESSION: [OperatorSchema; 2] = [
    schema("", "NonMaxSuppression", 10, (2, 5), (1, 1))
        .inputs(&[
            single("boxes", is(TENSOR_FLOAT)),
            single("scores", is(TENSOR_FLOAT)),
            optional("max_output_boxes_per_class", is(TENSOR_INT64)),
            optional("iou_threshold", is(TENSOR_FLOAT)),
            optional("score_threshold", is(TENSOR_FLOAT)),
        ])
        .outputs(&[single("selected_indices", is(TENSOR_INT64))])
        .attributes(&[int("center_point_box", 0)]),
    schema("", "NonMaxSuppression", 11, (2, 5), (1, 1))
        .inputs(&[
            single("boxes", is(TENSOR_FLOAT)),
            single("scores", is(TENSOR_FLOAT)),
            optional("max_output_boxes_per_class", is(TENSOR_INT64)),
            optional("iou_threshold", is(TENSOR_FLOAT)),
            optional("score_threshold", is(TENSOR_FLOAT)),
        ])
        .outputs(&[single("selected_indices", is(TENSOR_INT64))])
        .attributes(&[int("center_point_box", 0)]),
];

pub(super) static NON_ZERO: [OperatorSchema; 2] = [
    schema("", "NonZero", 9, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", is(TENSOR_INT64))])
        .constraints(&[constraint("T", COMPRESS_9_T)]),
    schema("", "NonZero", 13, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", is(TENSOR_INT64))])
        .constraints(&[constraint("T", CENTER_CROP_PAD_18_T)]),
];

pub(super) static NOT: [OperatorSchema; 1] = [schema("", "Not", 1, (1, 1), (1, 1))
    .inputs(&[single("X", of("T"))])
    .outputs(&[single("Y", of("T"))])
    .constraints(&[constraint("T", TENSOR_BOOL)])];
