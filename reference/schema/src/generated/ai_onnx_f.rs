//! Generated from onnx 1.23.2 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static FLATTEN: [OperatorSchema; 8] = [
    schema("", "Flatten", 1, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("axis", 1)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Flatten", 9, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("axis", 1)])
        .constraints(&[constraint("T", COMPRESS_9_T)]),
    schema("", "Flatten", 11, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("axis", 1)])
        .constraints(&[constraint("T", COMPRESS_9_T)]),
    schema("", "Flatten", 13, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("axis", 1)])
        .constraints(&[constraint("T", CENTER_CROP_PAD_18_T)]),
    schema("", "Flatten", 21, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("axis", 1)])
        .constraints(&[constraint("T", CONSTANT_21_T)]),
    schema("", "Flatten", 23, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("axis", 1)])
        .constraints(&[constraint("T", CONSTANT_23_T)]),
    schema("", "Flatten", 24, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("axis", 1)])
        .constraints(&[constraint("T", CONSTANT_24_T)]),
    schema("", "Flatten", 25, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("axis", 1)])
        .constraints(&[constraint("T", CONSTANT_25_T)]),
];

pub(super) static FLOOR: [OperatorSchema; 3] = [
    schema("", "Floor", 1, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[unset("consumed_inputs", Ints)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Floor", 6, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Floor", 13, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", ACOS_22_T)]),
];
