//! Generated from onnxruntime 1.32.0 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static FAST_GELU: [OperatorSchema; 1] = [schema("com.microsoft", "FastGelu", 1, (1, 2), (1, 1))
    .inputs(&[single("X", of("T")), optional("bias", of("T"))])
    .outputs(&[single("Y", of("T"))])
    .constraints(&[constraint("T", LAYER_NORMALIZATION_1_T)])];

pub(super) static FUSED_CONV: [OperatorSchema; 1] = [schema("com.microsoft", "FusedConv", 1, (2, 4), (1, 1))
    .inputs(&[
        single("X", of("T")),
        single("W", of("T")),
        optional("B", of("T")),
        optional("Z", of("T")),
    ])
    .outputs(&[single("Y", of("T"))])
    .attributes(&[
        unset("activation", String),
        unset("activation_params", Floats),
        string("auto_pad", "NOTSET"),
        unset("dilations", Ints),
        int("group", 1),
        unset("kernel_shape", Ints),
        unset("pads", Ints),
        unset("strides", Ints),
    ])
    .constraints(&[constraint("T", BIAS_SOFTMAX_1_T)])];

pub(super) static FUSED_GEMM: [OperatorSchema; 1] = [schema("com.microsoft", "FusedGemm", 1, (2, 3), (1, 1))
    .inputs(&[single("A", of("T")), single("B", of("T")), optional("C", of("T"))])
    .outputs(&[single("Y", of("T"))])
    .attributes(&[
        unset("activation", String),
        unset("activation_alpha", Float),
        unset("activation_beta", Float),
        unset("activation_gamma", Float),
        float("alpha", 1.0),
        float("beta", 1.0),
        int("transA", 0),
        int("transB", 0),
    ])
    .constraints(&[constraint("T", FUSED_GEMM_1_T)])];

pub(super) static FUSED_MAT_MUL: [OperatorSchema; 1] =
    [schema("com.microsoft", "FusedMatMul", 1, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[
            float("alpha", 1.0),
            int("transA", 0),
            int("transB", 0),
            int("transBatchA", 0),
            int("transBatchB", 0),
        ])
        .constraints(&[constraint("T", LAYER_NORMALIZATION_1_T)])];

pub(super) static FUSED_MAT_MUL_ACTIVATION: [OperatorSchema; 1] =
    [
        schema("com.microsoft", "FusedMatMulActivation", 1, (2, 2), (1, 1))
            .inputs(&[single("A", of("T")), single("B", of("T"))])
            .outputs(&[single("Y", of("T"))])
            .attributes(&[
                required("activation", String),
                unset("activation_alpha", Float),
                unset("activation_axis", Int),
                unset("activation_beta", Float),
                unset("activation_gamma", Float),
                float("alpha", 1.0),
                int("transA", 0),
                int("transB", 0),
                int("transBatchA", 0),
                int("transBatchB", 0),
            ])
            .constraints(&[constraint("T", LAYER_NORMALIZATION_1_T)]),
    ];
