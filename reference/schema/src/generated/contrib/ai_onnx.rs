//! Generated from onnxruntime 1.32.0 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static AFFINE: [OperatorSchema; 2] = [
    schema("", "Affine", 1, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[float("alpha", 1.0), float("beta", 0.0)])
        .constraints(&[constraint("T", AFFINE_1_T)]),
    schema("", "Affine", 10, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[float("alpha", 1.0), float("beta", 0.0)])
        .constraints(&[constraint("T", AFFINE_1_T)])
        .deprecated(),
];

pub(super) static CROP: [OperatorSchema; 2] = [
    schema("", "Crop", 1, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[unset("border", Ints), unset("scale", Ints)])
        .constraints(&[constraint("T", AFFINE_1_T)]),
    schema("", "Crop", 10, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[required("border", Ints), unset("scale", Ints)])
        .constraints(&[constraint("T", AFFINE_1_T)])
        .deprecated(),
];

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

pub(super) static DYNAMIC_SLICE: [OperatorSchema; 2] = [
    schema("", "DynamicSlice", 1, (3, 4), (1, 1))
        .inputs(&[
            single("data", of("T")),
            single("starts", of("Tind")),
            single("ends", of("Tind")),
            optional("axes", of("Tind")),
        ])
        .outputs(&[single("output", of("T"))])
        .constraints(&[
            constraint("T", DYNAMIC_SLICE_1_T),
            constraint("Tind", DYNAMIC_SLICE_1_TIND),
        ]),
    schema("", "DynamicSlice", 10, (3, 4), (1, 1))
        .inputs(&[
            single("data", of("T")),
            single("starts", of("Tind")),
            single("ends", of("Tind")),
            optional("axes", of("Tind")),
        ])
        .outputs(&[single("output", of("T"))])
        .constraints(&[
            constraint("T", DYNAMIC_SLICE_1_T),
            constraint("Tind", DYNAMIC_SLICE_1_TIND),
        ])
        .deprecated(),
];

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

pub(super) static GRU_UNIT: [OperatorSchema; 2] = [
    schema("", "GRUUnit", 1, (4, 4), (1, 1))
        .inputs(&[
            single("hidden_prev", of("T")),
            single("gates", of("T")),
            single("seq_lengths", of("T")),
            single("t", of("T")),
        ])
        .outputs(&[single("hidden", of("T"))])
        .attributes(&[unset("drop_states", Int)])
        .constraints(&[constraint("T", AFFINE_1_T)]),
    schema("", "GRUUnit", 10, (4, 4), (1, 1))
        .inputs(&[
            single("hidden_prev", of("T")),
            single("gates", of("T")),
            single("seq_lengths", of("T")),
            single("t", of("T")),
        ])
        .outputs(&[single("hidden", of("T"))])
        .attributes(&[unset("drop_states", Int)])
        .constraints(&[constraint("T", AFFINE_1_T)])
        .deprecated(),
];

pub(super) static GIVEN_TENSOR_FILL: [OperatorSchema; 2] = [
    schema("", "GivenTensorFill", 1, (0, 1), (1, 1))
        .inputs(&[optional("shape", of("T"))])
        .outputs(&[single("X", of("T"))])
        .attributes(&[
            unset("extra_shape", Ints),
            unset("input_as_shape", Int),
            unset("shape", Ints),
            unset("values", Floats),
        ])
        .constraints(&[constraint("T", AFFINE_1_T)]),
    schema("", "GivenTensorFill", 10, (0, 1), (1, 1))
        .inputs(&[optional("shape", of("T"))])
        .outputs(&[single("X", of("T"))])
        .attributes(&[
            unset("extra_shape", Ints),
            unset("input_as_shape", Int),
            unset("shape", Ints),
            unset("values", Floats),
        ])
        .constraints(&[constraint("T", AFFINE_1_T)])
        .deprecated(),
];

pub(super) static IMAGE_SCALER: [OperatorSchema; 2] = [
    schema("", "ImageScaler", 1, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[unset("bias", Floats), float("scale", 1.0)])
        .constraints(&[constraint("T", AFFINE_1_T)]),
    schema("", "ImageScaler", 10, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[unset("bias", Floats), float("scale", 1.0)])
        .constraints(&[constraint("T", AFFINE_1_T)])
        .deprecated(),
];

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

pub(super) static MEAN_VARIANCE_NORMALIZATION: [OperatorSchema; 1] =
    [schema("", "MeanVarianceNormalization", 1, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("across_channels", 0), int("normalize_variance", 1)])
        .constraints(&[constraint("T", AFFINE_1_T)])];

pub(super) static MEMCPY_FROM_HOST: [OperatorSchema; 1] = [schema("", "MemcpyFromHost", 1, (1, 1), (1, 1))
    .inputs(&[single("X", of("T"))])
    .outputs(&[single("Y", of("T"))])
    .constraints(&[constraint("T", MEMCPY_FROM_HOST_1_T)])];

pub(super) static MEMCPY_TO_HOST: [OperatorSchema; 1] = [schema("", "MemcpyToHost", 1, (1, 1), (1, 1))
    .inputs(&[single("X", of("T"))])
    .outputs(&[single("Y", of("T"))])
    .constraints(&[constraint("T", MEMCPY_FROM_HOST_1_T)])];

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

pub(super) static PARAMETRIC_SOFTPLUS: [OperatorSchema; 2] = [
    schema("", "ParametricSoftplus", 1, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[unset("alpha", Float), unset("beta", Float)])
        .constraints(&[constraint("T", AFFINE_1_T)]),
    schema("", "ParametricSoftplus", 10, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[unset("alpha", Float), unset("beta", Float)])
        .constraints(&[constraint("T", AFFINE_1_T)])
        .deprecated(),
];

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

pub(super) static SCALE: [OperatorSchema; 2] = [
    schema("", "Scale", 1, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[float("scale", 1.0)])
        .constraints(&[constraint("T", AFFINE_1_T)]),
    schema("", "Scale", 10, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[float("scale", 1.0)])
        .constraints(&[constraint("T", AFFINE_1_T)])
        .deprecated(),
];

pub(super) static SCALED_TANH: [OperatorSchema; 2] = [
    schema("", "ScaledTanh", 1, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[unset("alpha", Float), unset("beta", Float)])
        .constraints(&[constraint("T", AFFINE_1_T)]),
    schema("", "ScaledTanh", 10, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[unset("alpha", Float), unset("beta", Float)])
        .constraints(&[constraint("T", AFFINE_1_T)])
        .deprecated(),
];

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

pub(super) static THRESHOLDED_RELU: [OperatorSchema; 1] = [schema("", "ThresholdedRelu", 1, (1, 1), (1, 1))
    .inputs(&[single("X", of("T"))])
    .outputs(&[single("Y", of("T"))])
    .attributes(&[float("alpha", 1.0)])
    .constraints(&[constraint("T", AFFINE_1_T)])];
