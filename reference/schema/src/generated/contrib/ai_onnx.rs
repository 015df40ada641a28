//! Generated from onnxruntime 1.32.0 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static DISENTANGLED_ATTENTION_TRT: [OperatorSchema; 1] =
    [schema("", "DisentangledAttention_TRT", 1, (3, 3), (1, 1))
        .inputs(&[
            single("c2c_attention", of("T")),
            single("c2p_attention", of("T")),
            single("p2c_attention", of("T")),
        ])
        .outputs(&[single("disentangled_attention", of("T"))])
        .attributes(&[required("factor", Float), required("span", Int)])
        .constraints(&[constraint("T", DISENTANGLED_ATTENTION_TRT_1_T)])];

pub(super) static EFFICIENT_NMS_TRT: [OperatorSchema; 1] =
    [schema("", "EfficientNMS_TRT", 1, (2, 3), (4, 4))
        .inputs(&[
            single("boxes", of("T")),
            single("scores", of("T")),
            optional("anchors", of("T")),
        ])
        .outputs(&[
            single("num_detections", is(TENSOR_INT32)),
            single("detection_boxes", of("T")),
            single("detection_scores", of("T")),
            single("detection_classes", is(TENSOR_INT32)),
        ])
        .attributes(&[
            required("background_class", Int),
            required("box_coding", Int),
            required("iou_threshold", Float),
            required("max_output_boxes", Int),
            required("plugin_version", String),
            required("score_activation", Int),
            required("score_threshold", Float),
        ])
        .constraints(&[constraint("T", DISENTANGLED_ATTENTION_TRT_1_T)])];

pub(super) static LAYER_NORMALIZATION: [OperatorSchema; 1] =
    [schema("", "LayerNormalization", 1, (2, 3), (1, 3))
        .inputs(&[
            single("X", of("T")),
            single("Scale", of("V")),
            optional("B", of("V")),
        ])
        .outputs(&[
            single("Y", of("V")),
            optional("Mean", of("U")),
            optional("InvStdDev", of("U")),
        ])
        .attributes(&[int("axis", -1), float("epsilon", 1e-05), int("stash_type", 1)])
        .constraints(&[
            constraint("T", LAYER_NORMALIZATION_1_T),
            constraint("U", LAYER_NORMALIZATION_1_U),
            constraint("V", LAYER_NORMALIZATION_1_T),
        ])];

pub(super) static MULTILEVEL_CROP_AND_RESIZE_TRT: [OperatorSchema; 1] =
    [schema("", "MultilevelCropAndResize_TRT", 1, (5, 5), (1, 1))
        .inputs(&[
            single("boxes", of("T")),
            single("feature_map_0", of("T")),
            single("feature_map_1", of("T")),
            single("feature_map_2", of("T")),
            single("feature_map_3", of("T")),
        ])
        .outputs(&[single("patches", of("T"))])
        .attributes(&[
            required("image_size", Ints),
            required("plugin_version", String),
            required("pooled_size", Int),
        ])
        .constraints(&[constraint("T", TENSOR_FLOAT)])];

pub(super) static PYRAMID_ROI_ALIGN_TRT: [OperatorSchema; 1] =
    [schema("", "PyramidROIAlign_TRT", 1, (5, 5), (1, 1))
        .inputs(&[
            single("boxes", of("T")),
            single("feature_map_0", of("T")),
            single("feature_map_1", of("T")),
            single("feature_map_2", of("T")),
            single("feature_map_3", of("T")),
        ])
        .outputs(&[single("patches", of("T"))])
        .attributes(&[required("plugin_version", String), required("pooled_size", Int)])
        .constraints(&[constraint("T", TENSOR_FLOAT)])];

pub(super) static SIMPLIFIED_LAYER_NORMALIZATION: [OperatorSchema; 1] =
    [schema("", "SimplifiedLayerNormalization", 1, (2, 2), (1, 2))
        .inputs(&[single("X", of("T")), single("scale", of("V"))])
        .outputs(&[single("Y", of("V")), optional("inv_std_var", of("U"))])
        .attributes(&[int("axis", -1), float("epsilon", 1e-05), int("stash_type", 1)])
        .constraints(&[
            constraint("T", LAYER_NORMALIZATION_1_T),
            constraint("U", LAYER_NORMALIZATION_1_U),
            constraint("V", LAYER_NORMALIZATION_1_T),
        ])];
