//! Generated from onnx 1.23.2 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static ARRAY_FEATURE_EXTRACTOR: [OperatorSchema; 1] =
    [schema("ai.onnx.ml", "ArrayFeatureExtractor", 1, (2, 2), (1, 1))
        .inputs(&[single("X", of("T")), single("Y", is(TENSOR_INT64))])
        .outputs(&[single("Z", of("T"))])
        .constraints(&[constraint("T", ARRAY_FEATURE_EXTRACTOR_1_T)])];

pub(super) static BINARIZER: [OperatorSchema; 1] = [schema("ai.onnx.ml", "Binarizer", 1, (1, 1), (1, 1))
    .inputs(&[single("X", of("T"))])
    .outputs(&[single("Y", of("T"))])
    .attributes(&[float("threshold", 0.0)])
    .constraints(&[constraint("T", BINARIZER_1_T)])];

pub(super) static CAST_MAP: [OperatorSchema; 1] = [schema("ai.onnx.ml", "CastMap", 1, (1, 1), (1, 1))
    .inputs(&[single("X", of("T1"))])
    .outputs(&[single("Y", of("T2"))])
    .attributes(&[
        string("cast_to", "TO_FLOAT"),
        string("map_form", "DENSE"),
        int("max_map", 1),
    ])
    .constraints(&[constraint("T1", CAST_MAP_1_T1), constraint("T2", CAST_MAP_1_T2)])];

pub(super) static CATEGORY_MAPPER: [OperatorSchema; 1] =
    [schema("ai.onnx.ml", "CategoryMapper", 1, (1, 1), (1, 1))
        .inputs(&[single("X", of("T1"))])
        .outputs(&[single("Y", of("T2"))])
        .attributes(&[
            unset("cats_int64s", Ints),
            unset("cats_strings", Strings),
            int("default_int64", -1),
            string("default_string", "_Unused"),
        ])
        .constraints(&[
            constraint("T1", CATEGORY_MAPPER_1_T1),
            constraint("T2", CATEGORY_MAPPER_1_T1),
        ])];

pub(super) static DICT_VECTORIZER: [OperatorSchema; 1] =
    [schema("ai.onnx.ml", "DictVectorizer", 1, (1, 1), (1, 1))
        .inputs(&[single("X", of("T1"))])
        .outputs(&[single("Y", of("T2"))])
        .attributes(&[
            unset("int64_vocabulary", Ints),
            unset("string_vocabulary", Strings),
        ])
        .constraints(&[
            constraint("T1", DICT_VECTORIZER_1_T1),
            constraint("T2", DICT_VECTORIZER_1_T2),
        ])];

pub(super) static FEATURE_VECTORIZER: [OperatorSchema; 1] =
    [
        schema("ai.onnx.ml", "FeatureVectorizer", 1, (1, UNBOUNDED), (1, 1))
            .inputs(&[variadic("X", of("T1"), 1)])
            .outputs(&[single("Y", is(TENSOR_FLOAT))])
            .attributes(&[unset("inputdimensions", Ints)])
            .constraints(&[constraint("T1", BINARIZER_1_T)]),
    ];

pub(super) static IMPUTER: [OperatorSchema; 1] = [schema("ai.onnx.ml", "Imputer", 1, (1, 1), (1, 1))
    .inputs(&[single("X", of("T"))])
    .outputs(&[single("Y", of("T"))])
    .attributes(&[
        unset("imputed_value_floats", Floats),
        unset("imputed_value_int64s", Ints),
        float("replaced_value_float", 0.0),
        int("replaced_value_int64", 0),
    ])
    .constraints(&[constraint("T", BINARIZER_1_T)])];

pub(super) static LABEL_ENCODER: [OperatorSchema; 3] = [
    schema("ai.onnx.ml", "LabelEncoder", 1, (1, 1), (1, 1))
        .inputs(&[single("X", of("T1"))])
        .outputs(&[single("Y", of("T2"))])
        .attributes(&[
            unset("classes_strings", Strings),
            int("default_int64", -1),
            string("default_string", "_Unused"),
        ])
        .constraints(&[
            constraint("T1", CATEGORY_MAPPER_1_T1),
            constraint("T2", CATEGORY_MAPPER_1_T1),
        ]),
    schema("ai.onnx.ml", "LabelEncoder", 2, (1, 1), (1, 1))
        .inputs(&[single("X", of("T1"))])
        .outputs(&[single("Y", of("T2"))])
        .attributes(&[
            float("default_float", -0.0),
            int("default_int64", -1),
            string("default_string", "_Unused"),
            unset("keys_floats", Floats),
            unset("keys_int64s", Ints),
            unset("keys_strings", Strings),
            unset("values_floats", Floats),
            unset("values_int64s", Ints),
            unset("values_strings", Strings),
        ])
        .constraints(&[constraint("T1", CAST_MAP_1_T2), constraint("T2", CAST_MAP_1_T2)]),
    schema("ai.onnx.ml", "LabelEncoder", 4, (1, 1), (1, 1))
        .inputs(&[single("X", of("T1"))])
        .outputs(&[single("Y", of("T2"))])
        .attributes(&[
            float("default_float", -0.0),
            int("default_int64", -1),
            string("default_string", "_Unused"),
            unset("default_tensor", Tensor),
            unset("keys_floats", Floats),
            unset("keys_int64s", Ints),
            unset("keys_strings", Strings),
            unset("keys_tensor", Tensor),
            unset("values_floats", Floats),
            unset("values_int64s", Ints),
            unset("values_strings", Strings),
            unset("values_tensor", Tensor),
        ])
        .constraints(&[
            constraint("T1", LABEL_ENCODER_4_T1),
            constraint("T2", LABEL_ENCODER_4_T1),
        ]),
];

pub(super) static LINEAR_CLASSIFIER: [OperatorSchema; 1] =
    [schema("ai.onnx.ml", "LinearClassifier", 1, (1, 1), (2, 2))
        .inputs(&[single("X", of("T1"))])
        .outputs(&[single("Y", of("T2")), single("Z", is(TENSOR_FLOAT))])
        .attributes(&[
            unset("classlabels_ints", Ints),
            unset("classlabels_strings", Strings),
            required("coefficients", Floats),
            unset("intercepts", Floats),
            int("multi_class", 0),
            string("post_transform", "NONE"),
        ])
        .constraints(&[
            constraint("T1", BINARIZER_1_T),
            constraint("T2", CATEGORY_MAPPER_1_T1),
        ])];

pub(super) static LINEAR_REGRESSOR: [OperatorSchema; 1] =
    [schema("ai.onnx.ml", "LinearRegressor", 1, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", is(TENSOR_FLOAT))])
        .attributes(&[
            unset("coefficients", Floats),
            unset("intercepts", Floats),
            string("post_transform", "NONE"),
            int("targets", 1),
        ])
        .constraints(&[constraint("T", BINARIZER_1_T)])];

pub(super) static NORMALIZER: [OperatorSchema; 1] = [schema("ai.onnx.ml", "Normalizer", 1, (1, 1), (1, 1))
    .inputs(&[single("X", of("T"))])
    .outputs(&[single("Y", is(TENSOR_FLOAT))])
    .attributes(&[string("norm", "MAX")])
    .constraints(&[constraint("T", BINARIZER_1_T)])];

pub(super) static ONE_HOT_ENCODER: [OperatorSchema; 1] =
    [schema("ai.onnx.ml", "OneHotEncoder", 1, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", is(TENSOR_FLOAT))])
        .attributes(&[
            unset("cats_int64s", Ints),
            unset("cats_strings", Strings),
            int("zeros", 1),
        ])
        .constraints(&[constraint("T", ARRAY_FEATURE_EXTRACTOR_1_T)])];

pub(super) static SVM_CLASSIFIER: [OperatorSchema; 1] =
    [schema("ai.onnx.ml", "SVMClassifier", 1, (1, 1), (2, 2))
        .inputs(&[single("X", of("T1"))])
        .outputs(&[single("Y", of("T2")), single("Z", is(TENSOR_FLOAT))])
        .attributes(&[
            unset("classlabels_ints", Ints),
            unset("classlabels_strings", Strings),
            unset("coefficients", Floats),
            unset("kernel_params", Floats),
            string("kernel_type", "LINEAR"),
            string("post_transform", "NONE"),
            unset("prob_a", Floats),
            unset("prob_b", Floats),
            unset("rho", Floats),
            unset("support_vectors", Floats),
            unset("vectors_per_class", Ints),
        ])
        .constraints(&[
            constraint("T1", BINARIZER_1_T),
            constraint("T2", CATEGORY_MAPPER_1_T1),
        ])];

pub(super) static SVM_REGRESSOR: [OperatorSchema; 1] =
    [schema("ai.onnx.ml", "SVMRegressor", 1, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", is(TENSOR_FLOAT))])
        .attributes(&[
            unset("coefficients", Floats),
            unset("kernel_params", Floats),
            string("kernel_type", "LINEAR"),
            int("n_supports", 0),
            int("one_class", 0),
            string("post_transform", "NONE"),
            unset("rho", Floats),
            unset("support_vectors", Floats),
        ])
        .constraints(&[constraint("T", BINARIZER_1_T)])];

pub(super) static SCALER: [OperatorSchema; 1] = [schema("ai.onnx.ml", "Scaler", 1, (1, 1), (1, 1))
    .inputs(&[single("X", of("T"))])
    .outputs(&[single("Y", is(TENSOR_FLOAT))])
    .attributes(&[unset("offset", Floats), unset("scale", Floats)])
    .constraints(&[constraint("T", BINARIZER_1_T)])];

pub(super) static TREE_ENSEMBLE: [OperatorSchema; 1] =
    [schema("ai.onnx.ml", "TreeEnsemble", 5, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            int("aggregate_function", 1),
            required("leaf_targetids", Ints),
            required("leaf_weights", Tensor),
            unset("membership_values", Tensor),
            unset("n_targets", Int),
            required("nodes_falseleafs", Ints),
            required("nodes_falsenodeids", Ints),
            required("nodes_featureids", Ints),
            unset("nodes_hitrates", Tensor),
            unset("nodes_missing_value_tracks_true", Ints),
            required("nodes_modes", Tensor),
            required("nodes_splits", Tensor),
            required("nodes_trueleafs", Ints),
            required("nodes_truenodeids", Ints),
            int("post_transform", 0),
            required("tree_roots", Ints),
        ])
        .constraints(&[constraint("T", ABS_1_T)])];

pub(super) static TREE_ENSEMBLE_CLASSIFIER: [OperatorSchema; 3] = [
    schema("ai.onnx.ml", "TreeEnsembleClassifier", 1, (1, 1), (2, 2))
        .inputs(&[single("X", of("T1"))])
        .outputs(&[single("Y", of("T2")), single("Z", is(TENSOR_FLOAT))])
        .attributes(&[
            unset("base_values", Floats),
            unset("class_ids", Ints),
            unset("class_nodeids", Ints),
            unset("class_treeids", Ints),
            unset("class_weights", Floats),
            unset("classlabels_int64s", Ints),
            unset("classlabels_strings", Strings),
            unset("nodes_falsenodeids", Ints),
            unset("nodes_featureids", Ints),
            unset("nodes_hitrates", Floats),
            unset("nodes_missing_value_tracks_true", Ints),
            unset("nodes_modes", Strings),
            unset("nodes_nodeids", Ints),
            unset("nodes_treeids", Ints),
            unset("nodes_truenodeids", Ints),
            unset("nodes_values", Floats),
            string("post_transform", "NONE"),
        ])
        .constraints(&[
            constraint("T1", BINARIZER_1_T),
            constraint("T2", CATEGORY_MAPPER_1_T1),
        ]),
    schema("ai.onnx.ml", "TreeEnsembleClassifier", 3, (1, 1), (2, 2))
        .inputs(&[single("X", of("T1"))])
        .outputs(&[single("Y", of("T2")), single("Z", is(TENSOR_FLOAT))])
        .attributes(&[
            unset("base_values", Floats),
            unset("base_values_as_tensor", Tensor),
            unset("class_ids", Ints),
            unset("class_nodeids", Ints),
            unset("class_treeids", Ints),
            unset("class_weights", Floats),
            unset("class_weights_as_tensor", Tensor),
            unset("classlabels_int64s", Ints),
            unset("classlabels_strings", Strings),
            unset("nodes_falsenodeids", Ints),
            unset("nodes_featureids", Ints),
            unset("nodes_hitrates", Floats),
            unset("nodes_hitrates_as_tensor", Tensor),
            unset("nodes_missing_value_tracks_true", Ints),
            unset("nodes_modes", Strings),
            unset("nodes_nodeids", Ints),
            unset("nodes_treeids", Ints),
            unset("nodes_truenodeids", Ints),
            unset("nodes_values", Floats),
            unset("nodes_values_as_tensor", Tensor),
            string("post_transform", "NONE"),
        ])
        .constraints(&[
            constraint("T1", BINARIZER_1_T),
            constraint("T2", CATEGORY_MAPPER_1_T1),
        ]),
    schema("ai.onnx.ml", "TreeEnsembleClassifier", 5, (1, 1), (2, 2))
        .inputs(&[single("X", of("T1"))])
        .outputs(&[single("Y", of("T2")), single("Z", is(TENSOR_FLOAT))])
        .attributes(&[
            unset("base_values", Floats),
            unset("base_values_as_tensor", Tensor),
            unset("class_ids", Ints),
            unset("class_nodeids", Ints),
            unset("class_treeids", Ints),
            unset("class_weights", Floats),
            unset("class_weights_as_tensor", Tensor),
            unset("classlabels_int64s", Ints),
            unset("classlabels_strings", Strings),
            unset("nodes_falsenodeids", Ints),
            unset("nodes_featureids", Ints),
            unset("nodes_hitrates", Floats),
            unset("nodes_hitrates_as_tensor", Tensor),
            unset("nodes_missing_value_tracks_true", Ints),
            unset("nodes_modes", Strings),
            unset("nodes_nodeids", Ints),
            unset("nodes_treeids", Ints),
            unset("nodes_truenodeids", Ints),
            unset("nodes_values", Floats),
            unset("nodes_values_as_tensor", Tensor),
            string("post_transform", "NONE"),
        ])
        .constraints(&[
            constraint("T1", BINARIZER_1_T),
            constraint("T2", CATEGORY_MAPPER_1_T1),
        ])
        .deprecated(),
];

pub(super) static TREE_ENSEMBLE_REGRESSOR: [OperatorSchema; 3] = [
    schema("ai.onnx.ml", "TreeEnsembleRegressor", 1, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", is(TENSOR_FLOAT))])
        .attributes(&[
            string("aggregate_function", "SUM"),
            unset("base_values", Floats),
            unset("n_targets", Int),
            unset("nodes_falsenodeids", Ints),
            unset("nodes_featureids", Ints),
            unset("nodes_hitrates", Floats),
            unset("nodes_missing_value_tracks_true", Ints),
            unset("nodes_modes", Strings),
            unset("nodes_nodeids", Ints),
            unset("nodes_treeids", Ints),
            unset("nodes_truenodeids", Ints),
            unset("nodes_values", Floats),
            string("post_transform", "NONE"),
            unset("target_ids", Ints),
            unset("target_nodeids", Ints),
            unset("target_treeids", Ints),
            unset("target_weights", Floats),
        ])
        .constraints(&[constraint("T", BINARIZER_1_T)]),
    schema("ai.onnx.ml", "TreeEnsembleRegressor", 3, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", is(TENSOR_FLOAT))])
        .attributes(&[
            string("aggregate_function", "SUM"),
            unset("base_values", Floats),
            unset("base_values_as_tensor", Tensor),
            unset("n_targets", Int),
            unset("nodes_falsenodeids", Ints),
            unset("nodes_featureids", Ints),
            unset("nodes_hitrates", Floats),
            unset("nodes_hitrates_as_tensor", Tensor),
            unset("nodes_missing_value_tracks_true", Ints),
            unset("nodes_modes", Strings),
            unset("nodes_nodeids", Ints),
            unset("nodes_treeids", Ints),
            unset("nodes_truenodeids", Ints),
            unset("nodes_values", Floats),
            unset("nodes_values_as_tensor", Tensor),
            string("post_transform", "NONE"),
            unset("target_ids", Ints),
            unset("target_nodeids", Ints),
            unset("target_treeids", Ints),
            unset("target_weights", Floats),
            unset("target_weights_as_tensor", Tensor),
        ])
        .constraints(&[constraint("T", BINARIZER_1_T)]),
    schema("ai.onnx.ml", "TreeEnsembleRegressor", 5, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", is(TENSOR_FLOAT))])
        .attributes(&[
            string("aggregate_function", "SUM"),
            unset("base_values", Floats),
            unset("base_values_as_tensor", Tensor),
            unset("n_targets", Int),
            unset("nodes_falsenodeids", Ints),
            unset("nodes_featureids", Ints),
            unset("nodes_hitrates", Floats),
            unset("nodes_hitrates_as_tensor", Tensor),
            unset("nodes_missing_value_tracks_true", Ints),
            unset("nodes_modes", Strings),
            unset("nodes_nodeids", Ints),
            unset("nodes_treeids", Ints),
            unset("nodes_truenodeids", Ints),
            unset("nodes_values", Floats),
            unset("nodes_values_as_tensor", Tensor),
            string("post_transform", "NONE"),
            unset("target_ids", Ints),
            unset("target_nodeids", Ints),
            unset("target_treeids", Ints),
            unset("target_weights", Floats),
            unset("target_weights_as_tensor", Tensor),
        ])
        .constraints(&[constraint("T", BINARIZER_1_T)])
        .deprecated(),
];

pub(super) static ZIP_MAP: [OperatorSchema; 1] = [schema("ai.onnx.ml", "ZipMap", 1, (1, 1), (1, 1))
    .inputs(&[single("X", is(TENSOR_FLOAT))])
    .outputs(&[single("Z", of("T"))])
    .attributes(&[
        unset("classlabels_int64s", Ints),
        unset("classlabels_strings", Strings),
    ])
    .constraints(&[constraint("T", ZIP_MAP_1_T)])];
