//! Generated from onnxruntime 1.32.0 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static INVERSE: [OperatorSchema; 1] = [schema("com.microsoft", "Inverse", 1, (1, 1), (1, 1))
    .inputs(&[single("X", of("T"))])
    .outputs(&[single("Y", of("T"))])
    .constraints(&[constraint("T", BIAS_SOFTMAX_1_T)])];

pub(super) static IRFFT: [OperatorSchema; 1] = [schema("com.microsoft", "Irfft", 1, (1, 1), (1, 1))
    .inputs(&[single("X", of("T"))])
    .outputs(&[single("Y", of("T"))])
    .attributes(&[
        int("normalized", 0),
        int("onesided", 1),
        required("signal_ndim", Int),
    ])
    .constraints(&[constraint("T", BIAS_SOFTMAX_1_T)])];

pub(super) static IS_ALL_FINITE: [OperatorSchema; 1] =
    [schema("com.microsoft", "IsAllFinite", 1, (1, UNBOUNDED), (1, 1))
        .inputs(&[variadic("input", of("V"), 1)])
        .outputs(&[single("output", of("T"))])
        .attributes(&[int("isinf_only", 0), int("isnan_only", 0)])
        .constraints(&[
            constraint("V", LAYER_NORMALIZATION_1_T),
            constraint("T", TENSOR_BOOL),
        ])];
