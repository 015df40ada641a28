//! Generated from onnx 1.23.2 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static WHERE: [OperatorSchema; 2] = [
    schema("", "Where", 9, (3, 3), (1, 1))
        .inputs(&[
            single("condition", of("B")),
            single("X", of("T")),
            single("Y", of("T")),
        ])
        .outputs(&[single("output", of("T"))])
        .constraints(&[constraint("B", TENSOR_BOOL), constraint("T", COMPRESS_9_T)]),
    schema("", "Where", 16, (3, 3), (1, 1))
        .inputs(&[
            single("condition", of("B")),
            single("X", of("T")),
            single("Y", of("T")),
        ])
        .outputs(&[single("output", of("T"))])
        .constraints(&[
            constraint("B", TENSOR_BOOL),
            constraint("T", CENTER_CROP_PAD_18_T),
        ]),
];
