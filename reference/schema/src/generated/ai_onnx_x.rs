//! Generated from onnx 1.23.2 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static XOR: [OperatorSchema; 2] = [
    schema("", "Xor", 1, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T1"))])
        .attributes(&[unset("axis", Int), int("broadcast", 0)])
        .constraints(&[constraint("T", TENSOR_BOOL), constraint("T1", TENSOR_BOOL)]),
    schema("", "Xor", 7, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("C", of("T1"))])
        .constraints(&[constraint("T", TENSOR_BOOL), constraint("T1", TENSOR_BOOL)]),
];
