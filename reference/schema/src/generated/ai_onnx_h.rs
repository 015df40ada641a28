//! Generated from onnx 1.23.2 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static HAMMING_WINDOW: [OperatorSchema; 1] = [schema("", "HammingWindow", 17, (1, 1), (1, 1))
    .inputs(&[single("size", of("T1"))])
    .outputs(&[single("output", of("T2"))])
    .attributes(&[int("output_datatype", 1), int("periodic", 1)])
    .constraints(&[
        constraint("T1", BLACKMAN_WINDOW_17_T1),
        constraint("T2", ABS_13_T),
    ])
    .function(FunctionKind::Static)];

pub(super) static HANN_WINDOW: [OperatorSchema; 1] = [schema("", "HannWindow", 17, (1, 1), (1, 1))
    .inputs(&[single("size", of("T1"))])
    .outputs(&[single("output", of("T2"))])
    .attributes(&[int("output_datatype", 1), int("periodic", 1)])
    .constraints(&[
        constraint("T1", BLACKMAN_WINDOW_17_T1),
        constraint("T2", ABS_13_T),
    ])
    .function(FunctionKind::Static)];

pub(super) static HARD_SIGMOID: [OperatorSchema; 3] = [
    schema("", "HardSigmoid", 1, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            float("alpha", 0.2),
            float("beta", 0.5),
            unset("consumed_inputs", Ints),
        ])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "HardSigmoid", 6, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[float("alpha", 0.2), float("beta", 0.5)])
        .constraints(&[constraint("T", ABS_1_T)])
        .function(FunctionKind::Static),
    schema("", "HardSigmoid", 22, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[float("alpha", 0.2), float("beta", 0.5)])
        .constraints(&[constraint("T", ACOS_22_T)])
        .function(FunctionKind::Static),
];

pub(super) static HARD_SWISH: [OperatorSchema; 2] = [
    schema("", "HardSwish", 14, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)])
        .function(FunctionKind::Static),
    schema("", "HardSwish", 22, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", ACOS_22_T)])
        .function(FunctionKind::Static),
];

pub(super) static HARDMAX: [OperatorSchema; 3] = [
    schema("", "Hardmax", 1, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("axis", 1)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Hardmax", 11, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("axis", 1)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Hardmax", 13, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("axis", -1)])
        .constraints(&[constraint("T", ACOS_22_T)]),
];
