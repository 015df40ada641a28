//! Generated from onnx 1.23.2 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static BATCH_NORMALIZATION: [OperatorSchema; 6] = [
    schema("", "BatchNormalization", 1, (5, 5), (1, 5))
        .inputs(&[
            single("X", of("T")),
            single("scale", of("T")),
            single("B", of("T")),
            single("mean", of("T")),
            single("var", of("T")),
        ])
        .outputs(&[
            single("Y", of("T")),
            optional("mean", of("T")),
            optional("var", of("T")),
            optional("saved_mean", of("T")),
            optional("saved_var", of("T")),
        ])
        .attributes(&[
            required("consumed_inputs", Ints),
            float("epsilon", 1e-05),
            int("is_test", 0),
            float("momentum", 0.9),
            int("spatial", 1),
        ])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "BatchNormalization", 6, (5, 5), (1, 5))
        .inputs(&[
            single("X", of("T")),
            single("scale", of("T")),
            single("B", of("T")),
            single("mean", of("T")),
            single("var", of("T")),
        ])
        .outputs(&[
            single("Y", of("T")),
            optional("mean", of("T")),
            optional("var", of("T")),
            optional("saved_mean", of("T")),
            optional("saved_var", of("T")),
        ])
        .attributes(&[
            float("epsilon", 1e-05),
            int("is_test", 0),
            float("momentum", 0.9),
            int("spatial", 1),
        ])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "BatchNormalization", 7, (5, 5), (1, 5))
        .inputs(&[
            single("X", of("T")),
            single("scale", of("T")),
            single("B", of("T")),
            single("mean", of("T")),
            single("var", of("T")),
        ])
        .outputs(&[
            single("Y", of("T")),
            optional("mean", of("T")),
            optional("var", of("T")),
            optional("saved_mean", of("T")),
            optional("saved_var", of("T")),
        ])
        .attributes(&[float("epsilon", 1e-05), float("momentum", 0.9), int("spatial", 1)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "BatchNormalization", 9, (5, 5), (1, 5))
        .inputs(&[
            single("X", of("T")),
            single("scale", of("T")),
            single("B", of("T")),
            single("mean", of("T")),
            single("var", of("T")),
        ])
        .outputs(&[
            single("Y", of("T")),
            optional("mean", of("T")),
            optional("var", of("T")),
            optional("saved_mean", of("T")),
            optional("saved_var", of("T")),
        ])
        .attributes(&[float("epsilon", 1e-05), float("momentum", 0.9)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "BatchNormalization", 14, (5, 5), (1, 3))
        .inputs(&[
            single("X", of("T")),
            single("scale", of("T")),
            single("B", of("T")),
            single("input_mean", of("U")),
            single("input_var", of("U")),
        ])
        .outputs(&[
            single("Y", of("T")),
            optional("running_mean", of("U")),
            optional("running_var", of("U")),
        ])
        .attributes(&[
            float("epsilon", 1e-05),
            float("momentum", 0.9),
            int("training_mode", 0),
        ])
        .constraints(&[constraint("T", ACOS_22_T), constraint("U", ACOS_22_T)]),
    schema("", "BatchNormalization", 15, (5, 5), (1, 3))
        .inputs(&[
            single("X", of("T")),
            single("scale", of("T1")),
            single("B", of("T1")),
            single("input_mean", of("T2")),
            single("input_var", of("T2")),
        ])
        .outputs(&[
            single("Y", of("T")),
            optional("running_mean", of("T2")),
            optional("running_var", of("T2")),
        ])
        .attributes(&[
            float("epsilon", 1e-05),
            float("momentum", 0.9),
            int("training_mode", 0),
        ])
        .constraints(&[
            constraint("T", ACOS_22_T),
            constraint("T1", ACOS_22_T),
            constraint("T2", ACOS_22_T),
        ]),
];

pub(super) static BERNOULLI: [OperatorSchema; 2] = [
    schema("", "Bernoulli", 15, (1, 1), (1, 1))
        .inputs(&[single("input", of("T1"))])
        .outputs(&[single("output", of("T2"))])
        .attributes(&[unset("dtype", Int), unset("seed", Float)])
        .constraints(&[constraint("T1", ABS_1_T), constraint("T2", ATTENTION_23_U)])
        .nondeterministic()
        .function(FunctionKind::ContextDependent),
    schema("", "Bernoulli", 22, (1, 1), (1, 1))
        .inputs(&[single("input", of("T1"))])
        .outputs(&[single("output", of("T2"))])
        .attributes(&[unset("dtype", Int), unset("seed", Float)])
        .constraints(&[constraint("T1", ACOS_22_T), constraint("T2", ATTENTION_23_U)])
        .nondeterministic()
        .function(FunctionKind::ContextDependent),
];

pub(super) static BIT_CAST: [OperatorSchema; 1] = [schema("", "BitCast", 26, (1, 1), (1, 1))
    .inputs(&[single("input", of("T1"))])
    .outputs(&[single("output", of("T2"))])
    .attributes(&[required("to", Int)])
    .constraints(&[constraint("T1", BIT_CAST_26_T1), constraint("T2", BIT_CAST_26_T1)])];

pub(super) static BIT_SHIFT: [OperatorSchema; 2] = [
    schema("", "BitShift", 11, (2, 2), (1, 1))
        .inputs(&[single("X", of("T")), single("Y", of("T"))])
        .outputs(&[single("Z", of("T"))])
        .attributes(&[required("direction", String)])
        .constraints(&[constraint("T", BIT_SHIFT_11_T)]),
    schema("", "BitShift", 28, (2, 2), (1, 1))
        .inputs(&[single("X", of("T")), single("Y", of("T"))])
        .outputs(&[single("Z", of("T"))])
        .attributes(&[required("direction", String)])
        .constraints(&[constraint("T", BIT_SHIFT_28_T)]),
];

pub(super) static BITWISE_AND: [OperatorSchema; 1] = [schema("", "BitwiseAnd", 18, (2, 2), (1, 1))
    .inputs(&[single("A", of("T")), single("B", of("T"))])
    .outputs(&[single("C", of("T"))])
    .constraints(&[constraint("T", BIT_SHIFT_28_T)])];

pub(super) static BITWISE_NOT: [OperatorSchema; 1] = [schema("", "BitwiseNot", 18, (1, 1), (1, 1))
    .inputs(&[single("X", of("T"))])
    .outputs(&[single("Y", of("T"))])
    .constraints(&[constraint("T", BIT_SHIFT_28_T)])];

pub(super) static BITWISE_OR: [OperatorSchema; 1] = [schema("", "BitwiseOr", 18, (2, 2), (1, 1))
    .inputs(&[single("A", of("T")), single("B", of("T"))])
    .outputs(&[single("C", of("T"))])
    .constraints(&[constraint("T", BIT_SHIFT_28_T)])];

pub(super) static BITWISE_XOR: [OperatorSchema; 1] = [schema("", "BitwiseXor", 18, (2, 2), (1, 1))
    .inputs(&[single("A", of("T")), single("B", of("T"))])
    .outputs(&[single("C", of("T"))])
    .constraints(&[constraint("T", BIT_SHIFT_28_T)])];

pub(super) static BLACKMAN_WINDOW: [OperatorSchema; 1] = [schema("", "BlackmanWindow", 17, (1, 1), (1, 1))
    .inputs(&[single("size", of("T1"))])
    .outputs(&[single("output", of("T2"))])
    .attributes(&[int("output_datatype", 1), int("periodic", 1)])
    .constraints(&[
        constraint("T1", BLACKMAN_WINDOW_17_T1),
        constraint("T2", ABS_13_T),
    ])
    .function(FunctionKind::Static)];
