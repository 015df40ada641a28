//! Generated from onnxruntime 1.32.0 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static TOKENIZER: [OperatorSchema; 1] = [schema("com.microsoft", "Tokenizer", 1, (1, 1), (1, 1))
    .inputs(&[single("X", of("T"))])
    .outputs(&[single("Y", of("T"))])
    .attributes(&[
        required("mark", Int),
        required("mincharnum", Int),
        required("pad_value", String),
        unset("separators", Strings),
        unset("tokenexp", String),
    ])
    .constraints(&[constraint("T", TENSOR_STRING)])];

pub(super) static TORCH_EMBEDDING: [OperatorSchema; 1] =
    [schema("com.microsoft", "TorchEmbedding", 1, (2, 4), (1, 1))
        .inputs(&[
            single("weight", of("T")),
            single("indices", is(TENSOR_INT64)),
            optional("padding_idx", is(TENSOR_INT64)),
            optional("scale_grad_by_freq", is(TENSOR_BOOL)),
        ])
        .outputs(&[single("Y", of("T"))])
        .constraints(&[constraint("T", TORCH_EMBEDDING_1_T)])];

pub(super) static TRANSPOSE_MAT_MUL: [OperatorSchema; 1] =
    [schema("com.microsoft", "TransposeMatMul", 1, (2, 2), (1, 1))
        .inputs(&[single("A", of("T")), single("B", of("T"))])
        .outputs(&[single("Y", of("T"))])
        .attributes(&[float("alpha", 1.0), int("transA", 0), int("transB", 0)])
        .constraints(&[constraint("T", LAYER_NORMALIZATION_1_T)])];

pub(super) static TRILU: [OperatorSchema; 1] = [schema("com.microsoft", "Trilu", 1, (1, 2), (1, 1))
    .inputs(&[single("X", of("T")), optional("k", is(TENSOR_INT64))])
    .outputs(&[single("Y", of("T"))])
    .attributes(&[int("upper", 1)])
    .constraints(&[constraint("T", EP_CONTEXT_1_T)])];
