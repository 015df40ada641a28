//! Generated from onnx 1.23.2 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static P_RELU: [OperatorSchema; 5] = [
    schema("", "PRelu", 1, (2, 2), (1, 1))
        .inputs(&[single("X", of("T")), single("slope", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[unset("consumed_inputs", Ints)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "PRelu", 6, (2, 2), (1, 1))
        .inputs(&[single("X", of("T")), single("slope", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "PRelu", 7, (2, 2), (1, 1))
        .inputs(&[single("X", of("T")), single("slope", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "PRelu", 9, (2, 2), (1, 1))
        .inputs(&[single("X", of("T")), single("slope", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", ADD_6_T)]),
    schema("", "PRelu", 16, (2, 2), (1, 1))
        .inputs(&[single("X", of("T")), single("slope", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", ADD_13_T)])
        .function(FunctionKind::Static),
];

pub(super) static PAD: [OperatorSchema; 10] = [
    schema("", "Pad", 1, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[
            string("mode", "constant"),
            required("paddings", Ints),
            float("value", 0.0),
        ])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Pad", 2, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[
            string("mode", "constant"),
            required("pads", Ints),
            float("value", 0.0),
        ])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Pad", 11, (2, 3), (1, 1))
        .inputs(&[
            single("data", of("T")),
            single("pads", is(TENSOR_INT64)),
            optional("constant_value", of("T")),
        ])
        .outputs(&[single("output", of("T"))])
        .attributes(&[string("mode", "constant")])
        .constraints(&[constraint("T", ABS_6_T)]),
    schema("", "Pad", 13, (2, 3), (1, 1))
        .inputs(&[
            single("data", of("T")),
            single("pads", is(TENSOR_INT64)),
            optional("constant_value", of("T")),
        ])
        .outputs(&[single("output", of("T"))])
        .attributes(&[string("mode", "constant")])
        .constraints(&[constraint("T", CENTER_CROP_PAD_18_T)]),
    schema("", "Pad", 18, (2, 4), (1, 1))
        .inputs(&[
            single("data", of("T")),
            single("pads", is(TENSOR_INT64)),
            optional("constant_value", of("T")),
            optional("axes", of("Tind")),
        ])
        .outputs(&[single("output", of("T"))])
        .attributes(&[string("mode", "constant")])
        .constraints(&[
            constraint("T", CENTER_CROP_PAD_18_T),
            constraint("Tind", BLACKMAN_WINDOW_17_T1),
        ]),
    schema("", "Pad", 19, (2, 4), (1, 1))
        .inputs(&[
            single("data", of("T")),
            single("pads", is(TENSOR_INT64)),
            optional("constant_value", of("T")),
            optional("axes", of("Tind")),
        ])
        .outputs(&[single("output", of("T"))])
        .attributes(&[string("mode", "constant")])
        .constraints(&[
            constraint("T", CENTER_CROP_PAD_18_T),
            constraint("Tind", BLACKMAN_WINDOW_17_T1),
        ]),
    schema("", "Pad", 21, (2, 4), (1, 1))
        .inputs(&[
            single("data", of("T")),
            single("pads", is(TENSOR_INT64)),
            optional("constant_value", of("T")),
            optional("axes", of("Tind")),
        ])
        .outputs(&[single("output", of("T"))])
        .attributes(&[string("mode", "constant")])
        .constraints(&[
            constraint("T", CONSTANT_21_T),
            constraint("Tind", BLACKMAN_WINDOW_17_T1),
        ]),
    schema("", "Pad", 23, (2, 4), (1, 1))
        .inputs(&[
            single("data", of("T")),
            single("pads", is(TENSOR_INT64)),
            optional("constant_value", of("T")),
            optional("axes", of("Tind")),
        ])
        .outputs(&[single("output", of("T"))])
        .attributes(&[string("mode", "constant")])
        .constraints(&[
            constraint("T", CONSTANT_23_T),
            constraint("Tind", BLACKMAN_WINDOW_17_T1),
        ]),
    schema("", "Pad", 24, (2, 4), (1, 1))
        .inputs(&[
            single("data", of("T")),
            single("pads", is(TENSOR_INT64)),
            optional("constant_value", of("T")),
            optional("axes", of("Tind")),
        ])
        .outputs(&[single("output", of("T"))])
        .attributes(&[string("mode", "constant")])
        .constraints(&[
            constraint("T", CONSTANT_24_T),
            constraint("Tind", BLACKMAN_WINDOW_17_T1),
        ]),
    schema("", "Pad", 25, (2, 4), (1, 1))
        .inputs(&[
            single("data", of("T")),
            single("pads", is(TENSOR_INT64)),
            optional("constant_value", of("T")),
            optional("axes", of("Tind")),
        ])
        .outputs(&[single("output", of("T"))])
        .attributes(&[string("mode", "constant")])
        .constraints(&[
            constraint("T", CONSTANT_25_T),
            constraint("Tind", BLACKMAN_WINDOW_17_T1),
        ]),
];

pub(super) static POW: [OperatorSchema; 5] = [
    schema("", "Pow", 1, (2, 2), (1, 1))
        .inputs(&[single("X", of("T")), single("Y", of("T"))])
        .outputs(&[single("Z", of("T"))])
        .attributes(&[unset("axis", Int), int("broadcast", 0)])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Pow", 7, (2, 2), (1, 1))
        .inputs(&[single("X", of("T")), single("Y", of("T"))])
        .outputs(&[single("Z", of("T"))])
        .constraints(&[constraint("T", ABS_1_T)]),
    schema("", "Pow", 12, (2, 2), (1, 1))
        .inputs(&[single("X", of("T")), single("Y", of("T1"))])
        .outputs(&[single("Z", of("T"))])
        .constraints(&[constraint("T", POW_12_T), constraint("T1", ABS_6_T)]),
    schema("", "Pow", 13, (2, 2), (1, 1))
        .inputs(&[single("X", of("T")), single("Y", of("T1"))])
        .outputs(&[single("Z", of("T"))])
        .constraints(&[constraint("T", POW_13_T), constraint("T1", ABS_6_T)]),
    schema("", "Pow", 15, (2, 2), (1, 1))
        .inputs(&[single("X", of("T")), single("Y", of("T1"))])
        .outputs(&[single("Z", of("T"))])
        .constraints(&[constraint("T", POW_13_T), constraint("T1", ABS_13_T)]),
];
