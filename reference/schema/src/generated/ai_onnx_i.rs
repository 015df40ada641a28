//! Generated from onnx 1.23.2 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static IDENTITY: [OperatorSchema; 9] = [
    schema("", "Identity", 1, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", COMPRESS_9_T)]),
    schema("", "Identity", 13, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", CENTER_CROP_PAD_18_T)]),
    schema("", "Identity", 14, (1, 1), (1, 1))
        .inputs(&[single("input", of("V"))])
        .outputs(&[single("output", of("V"))])
        .constraints(&[constraint("V", IDENTITY_14_V)]),
    schema("", "Identity", 16, (1, 1), (1, 1))
        .inputs(&[single("input", of("V"))])
        .outputs(&[single("output", of("V"))])
        .constraints(&[constraint("V", IDENTITY_16_V)]),
    schema("", "Identity", 19, (1, 1), (1, 1))
        .inputs(&[single("input", of("V"))])
        .outputs(&[single("output", of("V"))])
        .constraints(&[constraint("V", IDENTITY_19_V)]),
    schema("", "Identity", 21, (1, 1), (1, 1))
        .inputs(&[single("input", of("V"))])
        .outputs(&[single("output", of("V"))])
        .constraints(&[constraint("V", IDENTITY_21_V)]),
    schema("", "Identity", 23, (1, 1), (1, 1))
        .inputs(&[single("input", of("V"))])
        .outputs(&[single("output", of("V"))])
        .constraints(&[constraint("V", IDENTITY_23_V)]),
    schema("", "Identity", 24, (1, 1), (1, 1))
        .inputs(&[single("input", of("V"))])
        .outputs(&[single("output", of("V"))])
        .constraints(&[constraint("V", IDENTITY_24_V)]),
    schema("", "Identity", 25, (1, 1), (1, 1))
        .inputs(&[single("input", of("V"))])
        .outputs(&[single("output", of("V"))])
        .constraints(&[constraint("V", IDENTITY_25_V)]),
];

pub(super) static IF: [OperatorSchema; 9] = [
    schema("", "If", 1, (1, 1), (1, UNBOUNDED))
        .inputs(&[single("cond", of("B"))])
        .outputs(&[heterogeneous("outputs", of("V"), 1)])
        .attributes(&[required("else_branch", Graph), required("then_branch", Graph)])
        .constraints(&[constraint("V", COMPRESS_9_T), constraint("B", TENSOR_BOOL)])
        .nondeterministic(),
    schema("", "If", 11, (1, 1), (1, UNBOUNDED))
        .inputs(&[single("cond", of("B"))])
        .outputs(&[heterogeneous("outputs", of("V"), 1)])
        .attributes(&[required("else_branch", Graph), required("then_branch", Graph)])
        .constraints(&[constraint("V", COMPRESS_9_T), constraint("B", TENSOR_BOOL)])
        .nondeterministic(),
    schema("", "If", 13, (1, 1), (1, UNBOUNDED))
        .inputs(&[single("cond", of("B"))])
        .outputs(&[heterogeneous("outputs", of("V"), 1)])
        .attributes(&[required("else_branch", Graph), required("then_branch", Graph)])
        .constraints(&[constraint("V", IF_13_V), constraint("B", TENSOR_BOOL)])
        .nondeterministic(),
    schema("", "If", 16, (1, 1), (1, UNBOUNDED))
        .inputs(&[single("cond", of("B"))])
        .outputs(&[heterogeneous("outputs", of("V"), 1)])
        .attributes(&[required("else_branch", Graph), required("then_branch", Graph)])
        .constraints(&[constraint("V", IF_16_V), constraint("B", TENSOR_BOOL)])
        .nondeterministic(),
    schema("", "If", 19, (1, 1), (1, UNBOUNDED))
        .inputs(&[single("cond", of("B"))])
        .outputs(&[heterogeneous("outputs", of("V"), 1)])
        .attributes(&[required("else_branch", Graph), required("then_branch", Graph)])
        .constraints(&[constraint("V", IF_19_V), constraint("B", TENSOR_BOOL)])
        .nondeterministic(),
    schema("", "If", 21, (1, 1), (1, UNBOUNDED))
        .inputs(&[single("cond", of("B"))])
        .outputs(&[heterogeneous("outputs", of("V"), 1)])
        .attributes(&[required("else_branch", Graph), required("then_branch", Graph)])
        .constraints(&[constraint("V", IF_21_V), constraint("B", TENSOR_BOOL)])
        .nondeterministic(),
    schema("", "If", 23, (1, 1), (1, UNBOUNDED))
        .inputs(&[single("cond", of("B"))])
        .outputs(&[heterogeneous("outputs", of("V"), 1)])
        .attributes(&[required("else_branch", Graph), required("then_branch", Graph)])
        .constraints(&[constraint("V", IF_23_V), constraint("B", TENSOR_BOOL)])
        .nondeterministic(),
    schema("", "If", 24, (1, 1), (1, UNBOUNDED))
        .inputs(&[single("cond", of("B"))])
        .outputs(&[heterogeneous("outputs", of("V"), 1)])
        .attributes(&[required("else_branch", Graph), required("then_branch", Graph)])
        .constraints(&[constraint("V", IF_24_V), constraint("B", TENSOR_BOOL)])
        .nondeterministic(),
    schema("", "If", 25, (1, 1), (1, UNBOUNDED))
        .inputs(&[single("cond", of("B"))])
        .outputs(&[heterogeneous("outputs", of("V"), 1)])
        .attributes(&[required("else_branch", Graph), required("then_branch", Graph)])
        .constraints(&[constraint("V", IF_25_V), constraint("B", TENSOR_BOOL)])
        .nondeterministic(),
];

pub(super) static IMAGE_DECODER: [OperatorSchema; 1] = [schema("", "ImageDecoder", 20, (1, 1), (1, 1))
    .inputs(&[single("encoded_stream", of("T1"))])
    .outputs(&[single("image", of("T2"))])
    .attributes(&[string("pixel_format", "RGB")])
    .constraints(&[constraint("T1", TENSOR_UINT8), constraint("T2", TENSOR_UINT8)])];

pub(super) static INSTANCE_NORMALIZATION: [OperatorSchema; 3] = [
    schema("", "InstanceNormalization", 1, (3, 3), (1, 1))
        .inputs(&[
            single("input", of("T")),
            single("scale", of("T")),
            single("B", of("T")),
        ])
        .outputs(&[single("output", of("T"))])
        .attributes(&[unset("consumed_inputs", Ints), float("epsilon", 1e-05)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "InstanceNormalization", 6, (3, 3), (1, 1))
        .inputs(&[
            single("input", of("T")),
            single("scale", of("T")),
            single("B", of("T")),
        ])
        .outputs(&[single("output", of("T"))])
        .attributes(&[float("epsilon", 1e-05)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "InstanceNormalization", 22, (3, 3), (1, 1))
        .inputs(&[
            single("input", of("T")),
            single("scale", of("T")),
            single("B", of("T")),
        ])
        .outputs(&[single("output", of("T"))])
        .attributes(&[float("epsilon", 1e-05)])
        .constraints(&[constraint("T", ACOS_22_T)]),
];

pub(super) static IS_INF: [OperatorSchema; 2] = [
    schema("", "IsInf", 10, (1, 1), (1, 1))
        .inputs(&[single("X", of("T1"))])
        .outputs(&[single("Y", of("T2"))])
        .attributes(&[int("detect_negative", 1), int("detect_positive", 1)])
        .constraints(&[constraint("T1", IS_INF_10_T1), constraint("T2", TENSOR_BOOL)]),
    schema("", "IsInf", 20, (1, 1), (1, 1))
        .inputs(&[single("X", of("T1"))])
        .outputs(&[single("Y", of("T2"))])
        .attributes(&[int("detect_negative", 1), int("detect_positive", 1)])
        .constraints(&[constraint("T1", DROPOUT_22_T), constraint("T2", TENSOR_BOOL)]),
];

pub(super) static IS_NA_N: [OperatorSchema; 3] = [
    schema("", "IsNaN", 9, (1, 1), (1, 1))
        .inputs(&[single("X", of("T1"))])
        .outputs(&[single("Y", of("T2"))])
        .constraints(&[constraint("T1", ABS_1_T), constraint("T2", TENSOR_BOOL)]),
    schema("", "IsNaN", 13, (1, 1), (1, 1))
        .inputs(&[single("X", of("T1"))])
        .outputs(&[single("Y", of("T2"))])
        .constraints(&[constraint("T1", ACOS_22_T), constraint("T2", TENSOR_BOOL)]),
    schema("", "IsNaN", 20, (1, 1), (1, 1))
        .inputs(&[single("X", of("T1"))])
        .outputs(&[single("Y", of("T2"))])
        .constraints(&[constraint("T1", DROPOUT_22_T), constraint("T2", TENSOR_BOOL)]),
];
