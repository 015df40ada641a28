//! Generated from onnx 1.23.2 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static UNIQUE: [OperatorSchema; 2] = [
    schema("", "Unique", 11, (1, 1), (1, 4))
        .inputs(&[single("X", of("T"))])
        .outputs(&[
            single("Y", of("T")),
            optional("indices", is(TENSOR_INT64)),
            optional("inverse_indices", is(TENSOR_INT64)),
            optional("counts", is(TENSOR_INT64)),
        ])
        .attributes(&[unset("axis", Int), int("sorted", 1)])
        .constraints(&[constraint("T", COMPRESS_9_T)]),
    schema("", "Unique", 28, (1, 1), (1, 4))
        .inputs(&[single("X", of("T"))])
        .outputs(&[
            single("Y", of("T")),
            optional("indices", is(TENSOR_INT64)),
            optional("inverse_indices", is(TENSOR_INT64)),
            optional("counts", is(TENSOR_INT64)),
        ])
        .attributes(&[unset("axis", Int), int("sorted", 1)])
        .constraints(&[constraint("T", CENTER_CROP_PAD_18_T)]),
];

pub(super) static UNSQUEEZE: [OperatorSchema; 7] = [
    schema("", "Unsqueeze", 1, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("expanded", of("T"))])
        .attributes(&[required("axes", Ints)])
        .constraints(&[constraint("T", COMPRESS_9_T)]),
    schema("", "Unsqueeze", 11, (1, 1), (1, 1))
        .inputs(&[single("data", of("T"))])
        .outputs(&[single("expanded", of("T"))])
        .attributes(&[required("axes", Ints)])
        .constraints(&[constraint("T", COMPRESS_9_T)]),
    schema("", "Unsqueeze", 13, (2, 2), (1, 1))
        .inputs(&[single("data", of("T")), single("axes", is(TENSOR_INT64))])
        .outputs(&[single("expanded", of("T"))])
        .constraints(&[constraint("T", CENTER_CROP_PAD_18_T)]),
    schema("", "Unsqueeze", 21, (2, 2), (1, 1))
        .inputs(&[single("data", of("T")), single("axes", is(TENSOR_INT64))])
        .outputs(&[single("expanded", of("T"))])
        .constraints(&[constraint("T", CONSTANT_21_T)]),
    schema("", "Unsqueeze", 23, (2, 2), (1, 1))
        .inputs(&[single("data", of("T")), single("axes", is(TENSOR_INT64))])
        .outputs(&[single("expanded", of("T"))])
        .constraints(&[constraint("T", CONSTANT_23_T)]),
    schema("", "Unsqueeze", 24, (2, 2), (1, 1))
        .inputs(&[single("data", of("T")), single("axes", is(TENSOR_INT64))])
        .outputs(&[single("expanded", of("T"))])
        .constraints(&[constraint("T", CONSTANT_24_T)]),
    schema("", "Unsqueeze", 25, (2, 2), (1, 1))
        .inputs(&[single("data", of("T")), single("axes", is(TENSOR_INT64))])
        .outputs(&[single("expanded", of("T"))])
        .constraints(&[constraint("T", CONSTANT_25_T)]),
];

pub(super) static UPSAMPLE: [OperatorSchema; 4] = [
    schema("", "Upsample", 1, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            required("height_scale", Float),
            string("mode", "nearest"),
            required("width_scale", Float),
        ])
        .constraints(&[constraint("T", UPSAMPLE_1_T)]),
    schema("", "Upsample", 7, (1, 1), (1, 1))
        .inputs(&[single("X", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[string("mode", "nearest"), required("scales", Floats)])
        .constraints(&[constraint("T", COMPRESS_9_T)]),
    schema("", "Upsample", 9, (2, 2), (1, 1))
        .inputs(&[single("X", of("T")), single("scales", is(TENSOR_FLOAT))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[string("mode", "nearest")])
        .constraints(&[constraint("T", COMPRESS_9_T)]),
    schema("", "Upsample", 10, (2, 2), (1, 1))
        .inputs(&[single("X", of("T")), single("scales", is(TENSOR_FLOAT))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[string("mode", "nearest")])
        .constraints(&[constraint("T", COMPRESS_9_T)])
        .deprecated(),
];
