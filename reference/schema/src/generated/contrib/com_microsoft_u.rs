//! Generated from onnxruntime 1.32.0 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static UNFOLD_TENSOR: [OperatorSchema; 1] =
    [schema("com.microsoft", "UnfoldTensor", 1, (1, 1), (1, 1))
        .inputs(&[single("input", of("T"))])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("dim", -1), required("size", Int), int("step", 1)])
        .constraints(&[constraint("T", UNFOLD_TENSOR_1_T)])];

pub(super) static UNIQUE: [OperatorSchema; 1] = [schema("com.microsoft", "Unique", 1, (1, 1), (3, 3))
    .inputs(&[single("x", of("T"))])
    .outputs(&[
        single("y", of("T")),
        single("idx", is(TENSOR_INT64)),
        single("counts", is(TENSOR_INT64)),
    ])
    .constraints(&[constraint("T", EXPAND_DIMS_1_T)])];
