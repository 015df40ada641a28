//! Generated from onnx 1.23.2 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static EINSUM: [OperatorSchema; 2] = [
    schema("", "Einsum", 12, (1, UNBOUNDED), (1, 1))
        .inputs(&[variadic("Inputs", of("T"), 1)])
        .outputs(&[single("Output", of("T"))])
        .attributes(&[required("equation", String)])
        .constraints(&[constraint("T", ABS_6_T)]),
    schema("", "Einsum", 28, (1, UNBOUNDED), (1, 1))
        .inputs(&[variadic("Inputs", of("T"), 1)])
        .outputs(&[single("Output", of("T"))])
        .attributes(&[required("equation", String)])
        .constraints(&[constraint("T", ABS_13_T)]),
];

pub(super) static ELU: [OperatorSchema; 3] = [
    schema("", "Elu", 1, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[float("alpha", 1.0), unset("consumed_inputs", Ints)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Elu", 6, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[float("alpha", 1.0)])
        .constraints(&[constraint("T", ABS_1_T)])
        .function(FunctionKind::Static),
    schema("", "Elu", 22, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[float("alpha", 1.0)])
        .constraints(&[constraint("T", ACOS_22_T)])
        .function(FunctionKind::Static),
];

pub(super) static EQUAL: [OperatorSchema; 5] = [
    schema("", "Equal", 1, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T1"))])
        .attributes(&[unset("axis", Int), int("broadcast", 0)])
        .constraints(&[constraint("T", EQUAL_1_T), constraint("T1", TENSOR_BOOL)]),
    schema("", "Equal", 7, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T1"))])
        .constraints(&[constraint("T", EQUAL_1_T), constraint("T1", TENSOR_BOOL)]),
    schema("", "Equal", 11, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T1"))])
        .constraints(&[constraint("T", CAST_1_T1), constraint("T1", TENSOR_BOOL)]),
    schema("", "Equal", 13, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T1"))])
        .constraints(&[constraint("T", ATTENTION_23_U), constraint("T1", TENSOR_BOOL)]),
    schema("", "Equal", 19, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T1"))])
        .constraints(&[constraint("T", CAST_13_T1), constraint("T1", TENSOR_BOOL)]),
];

pub(super) static ERF: [OperatorSchema; 2] = [
    schema("", "Erf", 9, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ABS_6_T)]),
    schema("", "Erf", 13, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ACOS_22_T)]),
];

pub(super) static EXP: [OperatorSchema; 3] = [
    schema("", "Exp", 1, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[unset("consumed_inputs", Ints)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Exp", 6, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Exp", 13, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", ACOS_22_T)]),
];

pub(super) static EXPAND: [OperatorSchema; 2] = [
    schema("", "Expand", 8, (2, 2), (1, 1))
        .inputs(&[single("input", of("T")), single("shape", is(TENSOR_INT64))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", COMPRESS_9_T)]),
    schema("", "Expand", 13, (2, 2), (1, 1))
        .inputs(&[single("input", of("T")), single("shape", is(TENSOR_INT64))])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("T", CENTER_CROP_PAD_18_T)]),
];

pub(super) static EYE_LIKE: [OperatorSchema; 2] = [
    schema("", "EyeLike", 9, (1, 1), (1, 1))
        .inputs(&[single("input", of("T1"))])
        .outputs(&[single("output", of("T2"))])
        .attributes(&[unset("dtype", Int), int("k", 0)])
        .constraints(&[constraint("T1", CAST_1_T1), constraint("T2", CAST_1_T1)]),
    schema("", "EyeLike", 22, (1, 1), (1, 1))
        .inputs(&[single("input", of("T1"))])
        .outputs(&[single("output", of("T2"))])
        .attributes(&[unset("dtype", Int), int("k", 0)])
        .constraints(&[constraint("T1", ATTENTION_23_U), constraint("T2", ATTENTION_23_U)]),
];
