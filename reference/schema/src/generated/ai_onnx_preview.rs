//! Generated from onnx 1.23.2 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static FLEX_ATTENTION: [OperatorSchema; 1] =
    [schema("ai.onnx.preview", "FlexAttention", 1, (3, 3), (1, 1))
        .inputs(&[
            single("Q", of("T1")),
            single("K", of("T1")),
            single("V", of("T1")),
        ])
        .outputs(&[single("Y", of("T1"))])
        .attributes(&[
            unset("prob_mod", Graph),
            unset("scale", Float),
            unset("score_mod", Graph),
            unset("softmax_precision", Int),
        ])
        .constraints(&[constraint("T1", ACOS_22_T)])
        .function(FunctionKind::ContextDependent)];
