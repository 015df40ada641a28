//! Generated from onnx 1.23.2 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static ONE_HOT: [OperatorSchema; 3] = [
    schema("", "OneHot", 9, (3, 3), (1, 1))
        .inputs(&[
            single("indices", of("T1")),
            single("depth", of("T2")),
            single("values", of("T3")),
        ])
        .outputs(&[single("output", of("T3"))])
        .attributes(&[int("axis", -1)])
        .constraints(&[
            constraint("T1", ABS_6_T),
            constraint("T2", ABS_6_T),
            constraint("T3", COMPRESS_9_T),
        ]),
    schema("", "OneHot", 11, (3, 3), (1, 1))
        .inputs(&[
            single("indices", of("T1")),
            single("depth", of("T2")),
            single("values", of("T3")),
        ])
        .outputs(&[single("output", of("T3"))])
        .attributes(&[int("axis", -1)])
        .constraints(&[
            constraint("T1", ABS_6_T),
            constraint("T2", ABS_6_T),
            constraint("T3", COMPRESS_9_T),
        ]),
    schema("", "OneHot", 28, (3, 3), (1, 1))
        .inputs(&[
            single("indices", of("T1")),
            single("depth", of("T2")),
            single("values", of("T3")),
        ])
        .outputs(&[single("output", of("T3"))])
        .attributes(&[int("axis", -1)])
        .constraints(&[
            constraint("T1", ABS_6_T),
            constraint("T2", ABS_6_T),
            constraint("T3", CENTER_CROP_PAD_18_T),
        ]),
];

pub(super) static OPTIONAL: [OperatorSchema; 2] = [
    schema("", "Optional", 15, (0, 1), (1, 1))
        .inputs(&[optional("input", of("V"))])
        .outputs(&[single("output", of("O"))])
        .attributes(&[unset("type", TypeProto)])
        .constraints(&[constraint("V", IF_13_V), constraint("O", OPTIONAL_15_O)]),
    schema("", "Optional", 28, (0, 1), (1, 1))
        .inputs(&[optional("input", of("V"))])
        .outputs(&[single("output", of("O"))])
        .attributes(&[unset("type", TypeProto)])
        .constraints(&[constraint("V", OPTIONAL_28_V), constraint("O", OPTIONAL_28_O)]),
];

pub(super) static OPTIONAL_GET_ELEMENT: [OperatorSchema; 3] = [
    schema("", "OptionalGetElement", 15, (1, 1), (1, 1))
        .inputs(&[single("input", of("O"))])
        .outputs(&[single("output", of("V"))])
        .constraints(&[constraint("O", OPTIONAL_15_O), constraint("V", IF_13_V)]),
    schema("", "OptionalGetElement", 18, (1, 1), (1, 1))
        .inputs(&[single("input", of("O"))])
        .outputs(&[single("output", of("V"))])
        .constraints(&[
            constraint("O", OPTIONAL_GET_ELEMENT_18_O),
            constraint("V", IF_13_V),
        ]),
    schema("", "OptionalGetElement", 28, (1, 1), (1, 1))
        .inputs(&[single("input", of("O"))])
        .outputs(&[single("output", of("V"))])
        .constraints(&[
            constraint("O", OPTIONAL_GET_ELEMENT_28_O),
            constraint("V", OPTIONAL_28_V),
        ]),
];

pub(super) static OPTIONAL_HAS_ELEMENT: [OperatorSchema; 3] = [
    schema("", "OptionalHasElement", 15, (1, 1), (1, 1))
        .inputs(&[single("input", of("O"))])
        .outputs(&[single("output", of("B"))])
        .constraints(&[constraint("O", OPTIONAL_15_O), constraint("B", TENSOR_BOOL)]),
    schema("", "OptionalHasElement", 18, (0, 1), (1, 1))
        .inputs(&[optional("input", of("O"))])
        .outputs(&[single("output", of("B"))])
        .constraints(&[
            constraint("O", OPTIONAL_GET_ELEMENT_18_O),
            constraint("B", TENSOR_BOOL),
        ]),
    schema("", "OptionalHasElement", 28, (0, 1), (1, 1))
        .inputs(&[optional("input", of("O"))])
        .outputs(&[single("output", of("B"))])
        .constraints(&[
            constraint("O", OPTIONAL_GET_ELEMENT_28_O),
            constraint("B", TENSOR_BOOL),
        ]),
];

pub(super) static OR: [OperatorSchema; 2] = [
    schema("", "Or", 1, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T1"))])
        .attributes(&[unset("axis", Int), int("broadcast", 0)])
        .constraints(&[constraint("T", TENSOR_BOOL), constraint("T1", TENSOR_BOOL)]),
    schema("", "Or", 7, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T1"))])
        .constraints(&[constraint("T", TENSOR_BOOL), constraint("T1", TENSOR_BOOL)]),
];
