//! Generated from onnx 1.23.2 by `cargo xtask generate schema`: do not edit.
//!
//! The distinct type sets, each named after its only type or after its first user.

use crate::types::SchemaType::{self, *};
use onnx_tensor::DType::*;

pub(super) const ABS_13_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64), Tensor(Bfloat16),
];

pub(super) const ABS_1_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Float16), Tensor(Double),
];

pub(super) const ABS_6_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
];

pub(super) const ACOS_22_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Float16), Tensor(Double), Tensor(Bfloat16),
];

pub(super) const ADD_13_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Int32), Tensor(Int64), Tensor(Float16), Tensor(Double), Tensor(Uint32),
    Tensor(Uint64), Tensor(Bfloat16),
];

pub(super) const ADD_6_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Int32), Tensor(Int64), Tensor(Float16), Tensor(Double), Tensor(Uint32),
    Tensor(Uint64),
];

pub(super) const ARRAY_FEATURE_EXTRACTOR_1_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Int32), Tensor(Int64), Tensor(String), Tensor(Double),
];

pub(super) const ATTENTION_23_U: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64), Tensor(Bfloat16),
];

pub(super) const BINARIZER_1_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Int32), Tensor(Int64), Tensor(Double),
];

pub(super) const BIT_CAST_26_T1: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64), Tensor(Complex64),
    Tensor(Complex128), Tensor(Bfloat16), Tensor(Float8E4M3Fn), Tensor(Float8E4M3Fnuz), Tensor(Float8E5M2),
    Tensor(Float8E5M2Fnuz), Tensor(Uint4), Tensor(Int4), Tensor(Float4E2M1), Tensor(Float8E8M0),
    Tensor(Uint2), Tensor(Int2),
];

pub(super) const BIT_SHIFT_11_T: &[SchemaType] = &[
    Tensor(Uint8), Tensor(Uint16), Tensor(Uint32), Tensor(Uint64),
];

pub(super) const BIT_SHIFT_28_T: &[SchemaType] = &[
    Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64), Tensor(Uint32),
    Tensor(Uint64),
];

pub(super) const BLACKMAN_WINDOW_17_T1: &[SchemaType] = &[
    Tensor(Int32), Tensor(Int64),
];

pub(super) const CAST_13_T1: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(String), Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
    Tensor(Bfloat16),
];

pub(super) const CAST_19_T1: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(String), Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
    Tensor(Bfloat16), Tensor(Float8E4M3Fn), Tensor(Float8E4M3Fnuz), Tensor(Float8E5M2),
    Tensor(Float8E5M2Fnuz),
];

pub(super) const CAST_1_T1: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
];

pub(super) const CAST_21_T1: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(String), Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
    Tensor(Bfloat16), Tensor(Float8E4M3Fn), Tensor(Float8E4M3Fnuz), Tensor(Float8E5M2),
    Tensor(Float8E5M2Fnuz), Tensor(Uint4), Tensor(Int4),
];

pub(super) const CAST_23_T1: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(String), Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
    Tensor(Bfloat16), Tensor(Float8E4M3Fn), Tensor(Float8E4M3Fnuz), Tensor(Float8E5M2),
    Tensor(Float8E5M2Fnuz), Tensor(Uint4), Tensor(Int4), Tensor(Float4E2M1),
];

pub(super) const CAST_24_T1: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(String), Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
    Tensor(Bfloat16), Tensor(Float8E4M3Fn), Tensor(Float8E4M3Fnuz), Tensor(Float8E5M2),
    Tensor(Float8E5M2Fnuz), Tensor(Uint4), Tensor(Int4), Tensor(Float4E2M1), Tensor(Float8E8M0),
];

pub(super) const CAST_25_T1: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(String), Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
    Tensor(Bfloat16), Tensor(Float8E4M3Fn), Tensor(Float8E4M3Fnuz), Tensor(Float8E5M2),
    Tensor(Float8E5M2Fnuz), Tensor(Uint4), Tensor(Int4), Tensor(Float4E2M1), Tensor(Float8E8M0),
    Tensor(Uint2), Tensor(Int2),
];

pub(super) const CAST_28_T1: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(String), Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
    Tensor(Bfloat16), Tensor(Float8E4M3Fn), Tensor(Float8E4M3Fnuz), Tensor(Float8E5M2),
    Tensor(Float8E5M2Fnuz), Tensor(Uint4), Tensor(Int4), Tensor(Float4E2M1), Tensor(Float8E8M0),
    Tensor(Uint2), Tensor(Int2), Tensor(Float6E2M3), Tensor(Float6E3M2),
];

pub(super) const CAST_9_T1: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(String), Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
];

pub(super) const CAST_MAP_1_T1: &[SchemaType] = &[
    Map(Int64, &Tensor(Float)), Map(Int64, &Tensor(String)),
];

pub(super) const CAST_MAP_1_T2: &[SchemaType] = &[
    Tensor(Float), Tensor(Int64), Tensor(String),
];

pub(super) const CATEGORY_MAPPER_1_T1: &[SchemaType] = &[
    Tensor(Int64), Tensor(String),
];

pub(super) const CAUSAL_CONV_WITH_STATE_27_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Float16), Tensor(Bfloat16),
];

pub(super) const CENTER_CROP_PAD_18_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(String), Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
    Tensor(Complex64), Tensor(Complex128), Tensor(Bfloat16),
];

pub(super) const COMPRESS_9_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(String), Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
    Tensor(Complex64), Tensor(Complex128),
];

pub(super) const CONCAT_FROM_SEQUENCE_11_S: &[SchemaType] = &[
    Sequence(&Tensor(Float)), Sequence(&Tensor(Uint8)), Sequence(&Tensor(Int8)), Sequence(&Tensor(Uint16)),
    Sequence(&Tensor(Int16)), Sequence(&Tensor(Int32)), Sequence(&Tensor(Int64)), Sequence(&Tensor(String)),
    Sequence(&Tensor(Bool)), Sequence(&Tensor(Float16)), Sequence(&Tensor(Double)), Sequence(&Tensor(Uint32)),
    Sequence(&Tensor(Uint64)), Sequence(&Tensor(Complex64)), Sequence(&Tensor(Complex128)),
];

pub(super) const CONSTANT_19_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(String), Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
    Tensor(Complex64), Tensor(Complex128), Tensor(Bfloat16), Tensor(Float8E4M3Fn), Tensor(Float8E4M3Fnuz),
    Tensor(Float8E5M2), Tensor(Float8E5M2Fnuz),
];

pub(super) const CONSTANT_21_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(String), Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
    Tensor(Complex64), Tensor(Complex128), Tensor(Bfloat16), Tensor(Float8E4M3Fn), Tensor(Float8E4M3Fnuz),
    Tensor(Float8E5M2), Tensor(Float8E5M2Fnuz), Tensor(Uint4), Tensor(Int4),
];

pub(super) const CONSTANT_23_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(String), Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
    Tensor(Complex64), Tensor(Complex128), Tensor(Bfloat16), Tensor(Float8E4M3Fn), Tensor(Float8E4M3Fnuz),
    Tensor(Float8E5M2), Tensor(Float8E5M2Fnuz), Tensor(Uint4), Tensor(Int4), Tensor(Float4E2M1),
];

pub(super) const CONSTANT_24_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(String), Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
    Tensor(Complex64), Tensor(Complex128), Tensor(Bfloat16), Tensor(Float8E4M3Fn), Tensor(Float8E4M3Fnuz),
    Tensor(Float8E5M2), Tensor(Float8E5M2Fnuz), Tensor(Uint4), Tensor(Int4), Tensor(Float4E2M1),
    Tensor(Float8E8M0),
];

pub(super) const CONSTANT_25_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(String), Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
    Tensor(Complex64), Tensor(Complex128), Tensor(Bfloat16), Tensor(Float8E4M3Fn), Tensor(Float8E4M3Fnuz),
    Tensor(Float8E5M2), Tensor(Float8E5M2Fnuz), Tensor(Uint4), Tensor(Int4), Tensor(Float4E2M1),
    Tensor(Float8E8M0), Tensor(Uint2), Tensor(Int2),
];

pub(super) const CONSTANT_OF_SHAPE_20_T2: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64), Tensor(Bfloat16),
    Tensor(Float8E4M3Fn), Tensor(Float8E4M3Fnuz), Tensor(Float8E5M2), Tensor(Float8E5M2Fnuz),
];

pub(super) const CONSTANT_OF_SHAPE_21_T2: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64), Tensor(Bfloat16),
    Tensor(Float8E4M3Fn), Tensor(Float8E4M3Fnuz), Tensor(Float8E5M2), Tensor(Float8E5M2Fnuz), Tensor(Uint4),
    Tensor(Int4),
];

pub(super) const CONSTANT_OF_SHAPE_23_T2: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64), Tensor(Bfloat16),
    Tensor(Float8E4M3Fn), Tensor(Float8E4M3Fnuz), Tensor(Float8E5M2), Tensor(Float8E5M2Fnuz), Tensor(Uint4),
    Tensor(Int4), Tensor(Float4E2M1),
];

pub(super) const CONSTANT_OF_SHAPE_24_T2: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64), Tensor(Bfloat16),
    Tensor(Float8E4M3Fn), Tensor(Float8E4M3Fnuz), Tensor(Float8E5M2), Tensor(Float8E5M2Fnuz), Tensor(Uint4),
    Tensor(Int4), Tensor(Float4E2M1), Tensor(Float8E8M0),
];

pub(super) const CONSTANT_OF_SHAPE_25_T2: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64), Tensor(Bfloat16),
    Tensor(Float8E4M3Fn), Tensor(Float8E4M3Fnuz), Tensor(Float8E5M2), Tensor(Float8E5M2Fnuz), Tensor(Uint4),
    Tensor(Int4), Tensor(Float4E2M1), Tensor(Float8E8M0), Tensor(Uint2), Tensor(Int2),
];

pub(super) const CONV_INTEGER_10_T1: &[SchemaType] = &[
    Tensor(Uint8), Tensor(Int8),
];

pub(super) const CUM_SUM_11_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Int32), Tensor(Int64), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
];

pub(super) const DEQUANTIZE_LINEAR_10_T: &[SchemaType] = &[
    Tensor(Uint8), Tensor(Int8), Tensor(Int32),
];

pub(super) const DEQUANTIZE_LINEAR_19_T1: &[SchemaType] = &[
    Tensor(Uint8), Tensor(Int8), Tensor(Int32), Tensor(Float8E4M3Fn), Tensor(Float8E4M3Fnuz),
    Tensor(Float8E5M2), Tensor(Float8E5M2Fnuz),
];

pub(super) const DEQUANTIZE_LINEAR_21_T1: &[SchemaType] = &[
    Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Float8E4M3Fn),
    Tensor(Float8E4M3Fnuz), Tensor(Float8E5M2), Tensor(Float8E5M2Fnuz), Tensor(Uint4), Tensor(Int4),
];

pub(super) const DEQUANTIZE_LINEAR_23_T1: &[SchemaType] = &[
    Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Float8E4M3Fn),
    Tensor(Float8E4M3Fnuz), Tensor(Float8E5M2), Tensor(Float8E5M2Fnuz), Tensor(Uint4), Tensor(Int4),
    Tensor(Float4E2M1),
];

pub(super) const DEQUANTIZE_LINEAR_24_T2: &[SchemaType] = &[
    Tensor(Float), Tensor(Float16), Tensor(Bfloat16), Tensor(Float8E8M0),
];

pub(super) const DEQUANTIZE_LINEAR_25_T1: &[SchemaType] = &[
    Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Float8E4M3Fn),
    Tensor(Float8E4M3Fnuz), Tensor(Float8E5M2), Tensor(Float8E5M2Fnuz), Tensor(Uint4), Tensor(Int4),
    Tensor(Float4E2M1), Tensor(Uint2), Tensor(Int2),
];

pub(super) const DEQUANTIZE_LINEAR_28_T1: &[SchemaType] = &[
    Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Float8E4M3Fn),
    Tensor(Float8E4M3Fnuz), Tensor(Float8E5M2), Tensor(Float8E5M2Fnuz), Tensor(Uint4), Tensor(Int4),
    Tensor(Float4E2M1), Tensor(Uint2), Tensor(Int2), Tensor(Float6E2M3), Tensor(Float6E3M2),
];

pub(super) const DICT_VECTORIZER_1_T1: &[SchemaType] = &[
    Map(Int64, &Tensor(Float)), Map(Int64, &Tensor(String)), Map(Int64, &Tensor(Double)), Map(String,
    &Tensor(Float)), Map(String, &Tensor(Int64)), Map(String, &Tensor(Double)),
];

pub(super) const DICT_VECTORIZER_1_T2: &[SchemaType] = &[
    Tensor(Float), Tensor(Int64), Tensor(String), Tensor(Double),
];

pub(super) const DROPOUT_22_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Float16), Tensor(Double), Tensor(Bfloat16), Tensor(Float8E4M3Fn),
    Tensor(Float8E4M3Fnuz), Tensor(Float8E5M2), Tensor(Float8E5M2Fnuz),
];

pub(super) const EQUAL_1_T: &[SchemaType] = &[
    Tensor(Int32), Tensor(Int64), Tensor(Bool),
];

pub(super) const IDENTITY_14_V: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(String), Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
    Tensor(Complex64), Tensor(Complex128), Tensor(Bfloat16), Sequence(&Tensor(Float)),
    Sequence(&Tensor(Uint8)), Sequence(&Tensor(Int8)), Sequence(&Tensor(Uint16)), Sequence(&Tensor(Int16)),
    Sequence(&Tensor(Int32)), Sequence(&Tensor(Int64)), Sequence(&Tensor(String)), Sequence(&Tensor(Bool)),
    Sequence(&Tensor(Float16)), Sequence(&Tensor(Double)), Sequence(&Tensor(Uint32)),
    Sequence(&Tensor(Uint64)), Sequence(&Tensor(Complex64)), Sequence(&Tensor(Complex128)),
];

pub(super) const IDENTITY_16_V: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(String), Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
    Tensor(Complex64), Tensor(Complex128), Tensor(Bfloat16), Optional(&Tensor(Float)),
    Optional(&Tensor(Uint8)), Optional(&Tensor(Int8)), Optional(&Tensor(Uint16)), Optional(&Tensor(Int16)),
    Optional(&Tensor(Int32)), Optional(&Tensor(Int64)), Optional(&Tensor(String)), Optional(&Tensor(Bool)),
    Optional(&Tensor(Float16)), Optional(&Tensor(Double)), Optional(&Tensor(Uint32)),
    Optional(&Tensor(Uint64)), Optional(&Tensor(Complex64)), Optional(&Tensor(Complex128)),
    Sequence(&Tensor(Float)), Sequence(&Tensor(Uint8)), Sequence(&Tensor(Int8)), Sequence(&Tensor(Uint16)),
    Sequence(&Tensor(Int16)), Sequence(&Tensor(Int32)), Sequence(&Tensor(Int64)), Sequence(&Tensor(String)),
    Sequence(&Tensor(Bool)), Sequence(&Tensor(Float16)), Sequence(&Tensor(Double)), Sequence(&Tensor(Uint32)),
    Sequence(&Tensor(Uint64)), Sequence(&Tensor(Complex64)), Sequence(&Tensor(Complex128)),
    Optional(&Sequence(&Tensor(Float))), Optional(&Sequence(&Tensor(Uint8))),
    Optional(&Sequence(&Tensor(Int8))), Optional(&Sequence(&Tensor(Uint16))),
    Optional(&Sequence(&Tensor(Int16))), Optional(&Sequence(&Tensor(Int32))),
    Optional(&Sequence(&Tensor(Int64))), Optional(&Sequence(&Tensor(String))),
    Optional(&Sequence(&Tensor(Bool))), Optional(&Sequence(&Tensor(Float16))),
    Optional(&Sequence(&Tensor(Double))), Optional(&Sequence(&Tensor(Uint32))),
    Optional(&Sequence(&Tensor(Uint64))), Optional(&Sequence(&Tensor(Complex64))),
    Optional(&Sequence(&Tensor(Complex128))),
];

pub(super) const IDENTITY_19_V: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(String), Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
    Tensor(Complex64), Tensor(Complex128), Tensor(Bfloat16), Tensor(Float8E4M3Fn), Tensor(Float8E4M3Fnuz),
    Tensor(Float8E5M2), Tensor(Float8E5M2Fnuz), Optional(&Tensor(Float)), Optional(&Tensor(Uint8)),
    Optional(&Tensor(Int8)), Optional(&Tensor(Uint16)), Optional(&Tensor(Int16)), Optional(&Tensor(Int32)),
    Optional(&Tensor(Int64)), Optional(&Tensor(String)), Optional(&Tensor(Bool)), Optional(&Tensor(Float16)),
    Optional(&Tensor(Double)), Optional(&Tensor(Uint32)), Optional(&Tensor(Uint64)),
    Optional(&Tensor(Complex64)), Optional(&Tensor(Complex128)), Sequence(&Tensor(Float)),
    Sequence(&Tensor(Uint8)), Sequence(&Tensor(Int8)), Sequence(&Tensor(Uint16)), Sequence(&Tensor(Int16)),
    Sequence(&Tensor(Int32)), Sequence(&Tensor(Int64)), Sequence(&Tensor(String)), Sequence(&Tensor(Bool)),
    Sequence(&Tensor(Float16)), Sequence(&Tensor(Double)), Sequence(&Tensor(Uint32)),
    Sequence(&Tensor(Uint64)), Sequence(&Tensor(Complex64)), Sequence(&Tensor(Complex128)),
    Optional(&Sequence(&Tensor(Float))), Optional(&Sequence(&Tensor(Uint8))),
    Optional(&Sequence(&Tensor(Int8))), Optional(&Sequence(&Tensor(Uint16))),
    Optional(&Sequence(&Tensor(Int16))), Optional(&Sequence(&Tensor(Int32))),
    Optional(&Sequence(&Tensor(Int64))), Optional(&Sequence(&Tensor(String))),
    Optional(&Sequence(&Tensor(Bool))), Optional(&Sequence(&Tensor(Float16))),
    Optional(&Sequence(&Tensor(Double))), Optional(&Sequence(&Tensor(Uint32))),
    Optional(&Sequence(&Tensor(Uint64))), Optional(&Sequence(&Tensor(Complex64))),
    Optional(&Sequence(&Tensor(Complex128))),
];

pub(super) const IDENTITY_21_V: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(String), Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
    Tensor(Complex64), Tensor(Complex128), Tensor(Bfloat16), Tensor(Float8E4M3Fn), Tensor(Float8E4M3Fnuz),
    Tensor(Float8E5M2), Tensor(Float8E5M2Fnuz), Tensor(Uint4), Tensor(Int4), Optional(&Tensor(Float)),
    Optional(&Tensor(Uint8)), Optional(&Tensor(Int8)), Optional(&Tensor(Uint16)), Optional(&Tensor(Int16)),
    Optional(&Tensor(Int32)), Optional(&Tensor(Int64)), Optional(&Tensor(String)), Optional(&Tensor(Bool)),
    Optional(&Tensor(Float16)), Optional(&Tensor(Double)), Optional(&Tensor(Uint32)),
    Optional(&Tensor(Uint64)), Optional(&Tensor(Complex64)), Optional(&Tensor(Complex128)),
    Sequence(&Tensor(Float)), Sequence(&Tensor(Uint8)), Sequence(&Tensor(Int8)), Sequence(&Tensor(Uint16)),
    Sequence(&Tensor(Int16)), Sequence(&Tensor(Int32)), Sequence(&Tensor(Int64)), Sequence(&Tensor(String)),
    Sequence(&Tensor(Bool)), Sequence(&Tensor(Float16)), Sequence(&Tensor(Double)), Sequence(&Tensor(Uint32)),
    Sequence(&Tensor(Uint64)), Sequence(&Tensor(Complex64)), Sequence(&Tensor(Complex128)),
    Optional(&Sequence(&Tensor(Float))), Optional(&Sequence(&Tensor(Uint8))),
    Optional(&Sequence(&Tensor(Int8))), Optional(&Sequence(&Tensor(Uint16))),
    Optional(&Sequence(&Tensor(Int16))), Optional(&Sequence(&Tensor(Int32))),
    Optional(&Sequence(&Tensor(Int64))), Optional(&Sequence(&Tensor(String))),
    Optional(&Sequence(&Tensor(Bool))), Optional(&Sequence(&Tensor(Float16))),
    Optional(&Sequence(&Tensor(Double))), Optional(&Sequence(&Tensor(Uint32))),
    Optional(&Sequence(&Tensor(Uint64))), Optional(&Sequence(&Tensor(Complex64))),
    Optional(&Sequence(&Tensor(Complex128))),
];

pub(super) const IDENTITY_23_V: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(String), Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
    Tensor(Complex64), Tensor(Complex128), Tensor(Bfloat16), Tensor(Float8E4M3Fn), Tensor(Float8E4M3Fnuz),
    Tensor(Float8E5M2), Tensor(Float8E5M2Fnuz), Tensor(Uint4), Tensor(Int4), Tensor(Float4E2M1),
    Optional(&Tensor(Float)), Optional(&Tensor(Uint8)), Optional(&Tensor(Int8)), Optional(&Tensor(Uint16)),
    Optional(&Tensor(Int16)), Optional(&Tensor(Int32)), Optional(&Tensor(Int64)), Optional(&Tensor(String)),
    Optional(&Tensor(Bool)), Optional(&Tensor(Float16)), Optional(&Tensor(Double)), Optional(&Tensor(Uint32)),
    Optional(&Tensor(Uint64)), Optional(&Tensor(Complex64)), Optional(&Tensor(Complex128)),
    Sequence(&Tensor(Float)), Sequence(&Tensor(Uint8)), Sequence(&Tensor(Int8)), Sequence(&Tensor(Uint16)),
    Sequence(&Tensor(Int16)), Sequence(&Tensor(Int32)), Sequence(&Tensor(Int64)), Sequence(&Tensor(String)),
    Sequence(&Tensor(Bool)), Sequence(&Tensor(Float16)), Sequence(&Tensor(Double)), Sequence(&Tensor(Uint32)),
    Sequence(&Tensor(Uint64)), Sequence(&Tensor(Complex64)), Sequence(&Tensor(Complex128)),
    Optional(&Sequence(&Tensor(Float))), Optional(&Sequence(&Tensor(Uint8))),
    Optional(&Sequence(&Tensor(Int8))), Optional(&Sequence(&Tensor(Uint16))),
    Optional(&Sequence(&Tensor(Int16))), Optional(&Sequence(&Tensor(Int32))),
    Optional(&Sequence(&Tensor(Int64))), Optional(&Sequence(&Tensor(String))),
    Optional(&Sequence(&Tensor(Bool))), Optional(&Sequence(&Tensor(Float16))),
    Optional(&Sequence(&Tensor(Double))), Optional(&Sequence(&Tensor(Uint32))),
    Optional(&Sequence(&Tensor(Uint64))), Optional(&Sequence(&Tensor(Complex64))),
    Optional(&Sequence(&Tensor(Complex128))),
];

pub(super) const IDENTITY_24_V: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(String), Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
    Tensor(Complex64), Tensor(Complex128), Tensor(Bfloat16), Tensor(Float8E4M3Fn), Tensor(Float8E4M3Fnuz),
    Tensor(Float8E5M2), Tensor(Float8E5M2Fnuz), Tensor(Uint4), Tensor(Int4), Tensor(Float4E2M1),
    Tensor(Float8E8M0), Optional(&Tensor(Float)), Optional(&Tensor(Uint8)), Optional(&Tensor(Int8)),
    Optional(&Tensor(Uint16)), Optional(&Tensor(Int16)), Optional(&Tensor(Int32)), Optional(&Tensor(Int64)),
    Optional(&Tensor(String)), Optional(&Tensor(Bool)), Optional(&Tensor(Float16)), Optional(&Tensor(Double)),
    Optional(&Tensor(Uint32)), Optional(&Tensor(Uint64)), Optional(&Tensor(Complex64)),
    Optional(&Tensor(Complex128)), Sequence(&Tensor(Float)), Sequence(&Tensor(Uint8)),
    Sequence(&Tensor(Int8)), Sequence(&Tensor(Uint16)), Sequence(&Tensor(Int16)), Sequence(&Tensor(Int32)),
    Sequence(&Tensor(Int64)), Sequence(&Tensor(String)), Sequence(&Tensor(Bool)), Sequence(&Tensor(Float16)),
    Sequence(&Tensor(Double)), Sequence(&Tensor(Uint32)), Sequence(&Tensor(Uint64)),
    Sequence(&Tensor(Complex64)), Sequence(&Tensor(Complex128)), Optional(&Sequence(&Tensor(Float))),
    Optional(&Sequence(&Tensor(Uint8))), Optional(&Sequence(&Tensor(Int8))),
    Optional(&Sequence(&Tensor(Uint16))), Optional(&Sequence(&Tensor(Int16))),
    Optional(&Sequence(&Tensor(Int32))), Optional(&Sequence(&Tensor(Int64))),
    Optional(&Sequence(&Tensor(String))), Optional(&Sequence(&Tensor(Bool))),
    Optional(&Sequence(&Tensor(Float16))), Optional(&Sequence(&Tensor(Double))),
    Optional(&Sequence(&Tensor(Uint32))), Optional(&Sequence(&Tensor(Uint64))),
    Optional(&Sequence(&Tensor(Complex64))), Optional(&Sequence(&Tensor(Complex128))),
];

pub(super) const IDENTITY_25_V: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(String), Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
    Tensor(Complex64), Tensor(Complex128), Tensor(Bfloat16), Tensor(Float8E4M3Fn), Tensor(Float8E4M3Fnuz),
    Tensor(Float8E5M2), Tensor(Float8E5M2Fnuz), Tensor(Uint4), Tensor(Int4), Tensor(Float4E2M1),
    Tensor(Float8E8M0), Tensor(Uint2), Tensor(Int2), Optional(&Tensor(Float)), Optional(&Tensor(Uint8)),
    Optional(&Tensor(Int8)), Optional(&Tensor(Uint16)), Optional(&Tensor(Int16)), Optional(&Tensor(Int32)),
    Optional(&Tensor(Int64)), Optional(&Tensor(String)), Optional(&Tensor(Bool)), Optional(&Tensor(Float16)),
    Optional(&Tensor(Double)), Optional(&Tensor(Uint32)), Optional(&Tensor(Uint64)),
    Optional(&Tensor(Complex64)), Optional(&Tensor(Complex128)), Sequence(&Tensor(Float)),
    Sequence(&Tensor(Uint8)), Sequence(&Tensor(Int8)), Sequence(&Tensor(Uint16)), Sequence(&Tensor(Int16)),
    Sequence(&Tensor(Int32)), Sequence(&Tensor(Int64)), Sequence(&Tensor(String)), Sequence(&Tensor(Bool)),
    Sequence(&Tensor(Float16)), Sequence(&Tensor(Double)), Sequence(&Tensor(Uint32)),
    Sequence(&Tensor(Uint64)), Sequence(&Tensor(Complex64)), Sequence(&Tensor(Complex128)),
    Optional(&Sequence(&Tensor(Float))), Optional(&Sequence(&Tensor(Uint8))),
    Optional(&Sequence(&Tensor(Int8))), Optional(&Sequence(&Tensor(Uint16))),
    Optional(&Sequence(&Tensor(Int16))), Optional(&Sequence(&Tensor(Int32))),
    Optional(&Sequence(&Tensor(Int64))), Optional(&Sequence(&Tensor(String))),
    Optional(&Sequence(&Tensor(Bool))), Optional(&Sequence(&Tensor(Float16))),
    Optional(&Sequence(&Tensor(Double))), Optional(&Sequence(&Tensor(Uint32))),
    Optional(&Sequence(&Tensor(Uint64))), Optional(&Sequence(&Tensor(Complex64))),
    Optional(&Sequence(&Tensor(Complex128))),
];

pub(super) const IF_13_V: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(String), Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
    Tensor(Complex64), Tensor(Complex128), Sequence(&Tensor(Float)), Sequence(&Tensor(Uint8)),
    Sequence(&Tensor(Int8)), Sequence(&Tensor(Uint16)), Sequence(&Tensor(Int16)), Sequence(&Tensor(Int32)),
    Sequence(&Tensor(Int64)), Sequence(&Tensor(String)), Sequence(&Tensor(Bool)), Sequence(&Tensor(Float16)),
    Sequence(&Tensor(Double)), Sequence(&Tensor(Uint32)), Sequence(&Tensor(Uint64)),
    Sequence(&Tensor(Complex64)), Sequence(&Tensor(Complex128)),
];

pub(super) const IF_16_V: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(String), Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
    Tensor(Complex64), Tensor(Complex128), Tensor(Bfloat16), Optional(&Tensor(Float)),
    Optional(&Tensor(Uint8)), Optional(&Tensor(Int8)), Optional(&Tensor(Uint16)), Optional(&Tensor(Int16)),
    Optional(&Tensor(Int32)), Optional(&Tensor(Int64)), Optional(&Tensor(String)), Optional(&Tensor(Bool)),
    Optional(&Tensor(Float16)), Optional(&Tensor(Double)), Optional(&Tensor(Uint32)),
    Optional(&Tensor(Uint64)), Optional(&Tensor(Complex64)), Optional(&Tensor(Complex128)),
    Optional(&Tensor(Bfloat16)), Sequence(&Tensor(Float)), Sequence(&Tensor(Uint8)), Sequence(&Tensor(Int8)),
    Sequence(&Tensor(Uint16)), Sequence(&Tensor(Int16)), Sequence(&Tensor(Int32)), Sequence(&Tensor(Int64)),
    Sequence(&Tensor(String)), Sequence(&Tensor(Bool)), Sequence(&Tensor(Float16)), Sequence(&Tensor(Double)),
    Sequence(&Tensor(Uint32)), Sequence(&Tensor(Uint64)), Sequence(&Tensor(Complex64)),
    Sequence(&Tensor(Complex128)), Sequence(&Tensor(Bfloat16)), Optional(&Sequence(&Tensor(Float))),
    Optional(&Sequence(&Tensor(Uint8))), Optional(&Sequence(&Tensor(Int8))),
    Optional(&Sequence(&Tensor(Uint16))), Optional(&Sequence(&Tensor(Int16))),
    Optional(&Sequence(&Tensor(Int32))), Optional(&Sequence(&Tensor(Int64))),
    Optional(&Sequence(&Tensor(String))), Optional(&Sequence(&Tensor(Bool))),
    Optional(&Sequence(&Tensor(Float16))), Optional(&Sequence(&Tensor(Double))),
    Optional(&Sequence(&Tensor(Uint32))), Optional(&Sequence(&Tensor(Uint64))),
    Optional(&Sequence(&Tensor(Complex64))), Optional(&Sequence(&Tensor(Complex128))),
    Optional(&Sequence(&Tensor(Bfloat16))),
];

pub(super) const IF_19_V: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(String), Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
    Tensor(Complex64), Tensor(Complex128), Tensor(Bfloat16), Tensor(Float8E4M3Fn), Tensor(Float8E4M3Fnuz),
    Tensor(Float8E5M2), Tensor(Float8E5M2Fnuz), Optional(&Tensor(Float)), Optional(&Tensor(Uint8)),
    Optional(&Tensor(Int8)), Optional(&Tensor(Uint16)), Optional(&Tensor(Int16)), Optional(&Tensor(Int32)),
    Optional(&Tensor(Int64)), Optional(&Tensor(String)), Optional(&Tensor(Bool)), Optional(&Tensor(Float16)),
    Optional(&Tensor(Double)), Optional(&Tensor(Uint32)), Optional(&Tensor(Uint64)),
    Optional(&Tensor(Complex64)), Optional(&Tensor(Complex128)), Optional(&Tensor(Bfloat16)),
    Optional(&Tensor(Float8E4M3Fn)), Optional(&Tensor(Float8E4M3Fnuz)), Optional(&Tensor(Float8E5M2)),
    Optional(&Tensor(Float8E5M2Fnuz)), Sequence(&Tensor(Float)), Sequence(&Tensor(Uint8)),
    Sequence(&Tensor(Int8)), Sequence(&Tensor(Uint16)), Sequence(&Tensor(Int16)), Sequence(&Tensor(Int32)),
    Sequence(&Tensor(Int64)), Sequence(&Tensor(String)), Sequence(&Tensor(Bool)), Sequence(&Tensor(Float16)),
    Sequence(&Tensor(Double)), Sequence(&Tensor(Uint32)), Sequence(&Tensor(Uint64)),
    Sequence(&Tensor(Complex64)), Sequence(&Tensor(Complex128)), Sequence(&Tensor(Bfloat16)),
    Sequence(&Tensor(Float8E4M3Fn)), Sequence(&Tensor(Float8E4M3Fnuz)), Sequence(&Tensor(Float8E5M2)),
    Sequence(&Tensor(Float8E5M2Fnuz)), Optional(&Sequence(&Tensor(Float))),
    Optional(&Sequence(&Tensor(Uint8))), Optional(&Sequence(&Tensor(Int8))),
    Optional(&Sequence(&Tensor(Uint16))), Optional(&Sequence(&Tensor(Int16))),
    Optional(&Sequence(&Tensor(Int32))), Optional(&Sequence(&Tensor(Int64))),
    Optional(&Sequence(&Tensor(String))), Optional(&Sequence(&Tensor(Bool))),
    Optional(&Sequence(&Tensor(Float16))), Optional(&Sequence(&Tensor(Double))),
    Optional(&Sequence(&Tensor(Uint32))), Optional(&Sequence(&Tensor(Uint64))),
    Optional(&Sequence(&Tensor(Complex64))), Optional(&Sequence(&Tensor(Complex128))),
    Optional(&Sequence(&Tensor(Bfloat16))),
];

pub(super) const IF_21_V: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(String), Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
    Tensor(Complex64), Tensor(Complex128), Tensor(Bfloat16), Tensor(Float8E4M3Fn), Tensor(Float8E4M3Fnuz),
    Tensor(Float8E5M2), Tensor(Float8E5M2Fnuz), Tensor(Uint4), Tensor(Int4), Optional(&Tensor(Float)),
    Optional(&Tensor(Uint8)), Optional(&Tensor(Int8)), Optional(&Tensor(Uint16)), Optional(&Tensor(Int16)),
    Optional(&Tensor(Int32)), Optional(&Tensor(Int64)), Optional(&Tensor(String)), Optional(&Tensor(Bool)),
    Optional(&Tensor(Float16)), Optional(&Tensor(Double)), Optional(&Tensor(Uint32)),
    Optional(&Tensor(Uint64)), Optional(&Tensor(Complex64)), Optional(&Tensor(Complex128)),
    Optional(&Tensor(Bfloat16)), Optional(&Tensor(Float8E4M3Fn)), Optional(&Tensor(Float8E4M3Fnuz)),
    Optional(&Tensor(Float8E5M2)), Optional(&Tensor(Float8E5M2Fnuz)), Optional(&Tensor(Uint4)),
    Optional(&Tensor(Int4)), Sequence(&Tensor(Float)), Sequence(&Tensor(Uint8)), Sequence(&Tensor(Int8)),
    Sequence(&Tensor(Uint16)), Sequence(&Tensor(Int16)), Sequence(&Tensor(Int32)), Sequence(&Tensor(Int64)),
    Sequence(&Tensor(String)), Sequence(&Tensor(Bool)), Sequence(&Tensor(Float16)), Sequence(&Tensor(Double)),
    Sequence(&Tensor(Uint32)), Sequence(&Tensor(Uint64)), Sequence(&Tensor(Complex64)),
    Sequence(&Tensor(Complex128)), Sequence(&Tensor(Bfloat16)), Sequence(&Tensor(Float8E4M3Fn)),
    Sequence(&Tensor(Float8E4M3Fnuz)), Sequence(&Tensor(Float8E5M2)), Sequence(&Tensor(Float8E5M2Fnuz)),
    Sequence(&Tensor(Uint4)), Sequence(&Tensor(Int4)), Optional(&Sequence(&Tensor(Float))),
    Optional(&Sequence(&Tensor(Uint8))), Optional(&Sequence(&Tensor(Int8))),
    Optional(&Sequence(&Tensor(Uint16))), Optional(&Sequence(&Tensor(Int16))),
    Optional(&Sequence(&Tensor(Int32))), Optional(&Sequence(&Tensor(Int64))),
    Optional(&Sequence(&Tensor(String))), Optional(&Sequence(&Tensor(Bool))),
    Optional(&Sequence(&Tensor(Float16))), Optional(&Sequence(&Tensor(Double))),
    Optional(&Sequence(&Tensor(Uint32))), Optional(&Sequence(&Tensor(Uint64))),
    Optional(&Sequence(&Tensor(Complex64))), Optional(&Sequence(&Tensor(Complex128))),
    Optional(&Sequence(&Tensor(Bfloat16))),
];

pub(super) const IF_23_V: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(String), Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
    Tensor(Complex64), Tensor(Complex128), Tensor(Bfloat16), Tensor(Float8E4M3Fn), Tensor(Float8E4M3Fnuz),
    Tensor(Float8E5M2), Tensor(Float8E5M2Fnuz), Tensor(Uint4), Tensor(Int4), Tensor(Float4E2M1),
    Optional(&Tensor(Float)), Optional(&Tensor(Uint8)), Optional(&Tensor(Int8)), Optional(&Tensor(Uint16)),
    Optional(&Tensor(Int16)), Optional(&Tensor(Int32)), Optional(&Tensor(Int64)), Optional(&Tensor(String)),
    Optional(&Tensor(Bool)), Optional(&Tensor(Float16)), Optional(&Tensor(Double)), Optional(&Tensor(Uint32)),
    Optional(&Tensor(Uint64)), Optional(&Tensor(Complex64)), Optional(&Tensor(Complex128)),
    Optional(&Tensor(Bfloat16)), Optional(&Tensor(Float8E4M3Fn)), Optional(&Tensor(Float8E4M3Fnuz)),
    Optional(&Tensor(Float8E5M2)), Optional(&Tensor(Float8E5M2Fnuz)), Optional(&Tensor(Uint4)),
    Optional(&Tensor(Int4)), Optional(&Tensor(Float4E2M1)), Sequence(&Tensor(Float)),
    Sequence(&Tensor(Uint8)), Sequence(&Tensor(Int8)), Sequence(&Tensor(Uint16)), Sequence(&Tensor(Int16)),
    Sequence(&Tensor(Int32)), Sequence(&Tensor(Int64)), Sequence(&Tensor(String)), Sequence(&Tensor(Bool)),
    Sequence(&Tensor(Float16)), Sequence(&Tensor(Double)), Sequence(&Tensor(Uint32)),
    Sequence(&Tensor(Uint64)), Sequence(&Tensor(Complex64)), Sequence(&Tensor(Complex128)),
    Sequence(&Tensor(Bfloat16)), Sequence(&Tensor(Float8E4M3Fn)), Sequence(&Tensor(Float8E4M3Fnuz)),
    Sequence(&Tensor(Float8E5M2)), Sequence(&Tensor(Float8E5M2Fnuz)), Sequence(&Tensor(Uint4)),
    Sequence(&Tensor(Int4)), Sequence(&Tensor(Float4E2M1)), Optional(&Sequence(&Tensor(Float))),
    Optional(&Sequence(&Tensor(Uint8))), Optional(&Sequence(&Tensor(Int8))),
    Optional(&Sequence(&Tensor(Uint16))), Optional(&Sequence(&Tensor(Int16))),
    Optional(&Sequence(&Tensor(Int32))), Optional(&Sequence(&Tensor(Int64))),
    Optional(&Sequence(&Tensor(String))), Optional(&Sequence(&Tensor(Bool))),
    Optional(&Sequence(&Tensor(Float16))), Optional(&Sequence(&Tensor(Double))),
    Optional(&Sequence(&Tensor(Uint32))), Optional(&Sequence(&Tensor(Uint64))),
    Optional(&Sequence(&Tensor(Complex64))), Optional(&Sequence(&Tensor(Complex128))),
    Optional(&Sequence(&Tensor(Bfloat16))),
];

pub(super) const IF_24_V: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(String), Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
    Tensor(Complex64), Tensor(Complex128), Tensor(Bfloat16), Tensor(Float8E4M3Fn), Tensor(Float8E4M3Fnuz),
    Tensor(Float8E5M2), Tensor(Float8E5M2Fnuz), Tensor(Uint4), Tensor(Int4), Tensor(Float4E2M1),
    Tensor(Float8E8M0), Optional(&Tensor(Float)), Optional(&Tensor(Uint8)), Optional(&Tensor(Int8)),
    Optional(&Tensor(Uint16)), Optional(&Tensor(Int16)), Optional(&Tensor(Int32)), Optional(&Tensor(Int64)),
    Optional(&Tensor(String)), Optional(&Tensor(Bool)), Optional(&Tensor(Float16)), Optional(&Tensor(Double)),
    Optional(&Tensor(Uint32)), Optional(&Tensor(Uint64)), Optional(&Tensor(Complex64)),
    Optional(&Tensor(Complex128)), Optional(&Tensor(Bfloat16)), Optional(&Tensor(Float8E4M3Fn)),
    Optional(&Tensor(Float8E4M3Fnuz)), Optional(&Tensor(Float8E5M2)), Optional(&Tensor(Float8E5M2Fnuz)),
    Optional(&Tensor(Uint4)), Optional(&Tensor(Int4)), Optional(&Tensor(Float4E2M1)),
    Optional(&Tensor(Float8E8M0)), Sequence(&Tensor(Float)), Sequence(&Tensor(Uint8)),
    Sequence(&Tensor(Int8)), Sequence(&Tensor(Uint16)), Sequence(&Tensor(Int16)), Sequence(&Tensor(Int32)),
    Sequence(&Tensor(Int64)), Sequence(&Tensor(String)), Sequence(&Tensor(Bool)), Sequence(&Tensor(Float16)),
    Sequence(&Tensor(Double)), Sequence(&Tensor(Uint32)), Sequence(&Tensor(Uint64)),
    Sequence(&Tensor(Complex64)), Sequence(&Tensor(Complex128)), Sequence(&Tensor(Bfloat16)),
    Sequence(&Tensor(Float8E4M3Fn)), Sequence(&Tensor(Float8E4M3Fnuz)), Sequence(&Tensor(Float8E5M2)),
    Sequence(&Tensor(Float8E5M2Fnuz)), Sequence(&Tensor(Uint4)), Sequence(&Tensor(Int4)),
    Sequence(&Tensor(Float4E2M1)), Sequence(&Tensor(Float8E8M0)), Optional(&Sequence(&Tensor(Float))),
    Optional(&Sequence(&Tensor(Uint8))), Optional(&Sequence(&Tensor(Int8))),
    Optional(&Sequence(&Tensor(Uint16))), Optional(&Sequence(&Tensor(Int16))),
    Optional(&Sequence(&Tensor(Int32))), Optional(&Sequence(&Tensor(Int64))),
    Optional(&Sequence(&Tensor(String))), Optional(&Sequence(&Tensor(Bool))),
    Optional(&Sequence(&Tensor(Float16))), Optional(&Sequence(&Tensor(Double))),
    Optional(&Sequence(&Tensor(Uint32))), Optional(&Sequence(&Tensor(Uint64))),
    Optional(&Sequence(&Tensor(Complex64))), Optional(&Sequence(&Tensor(Complex128))),
    Optional(&Sequence(&Tensor(Bfloat16))),
];

pub(super) const IF_25_V: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(String), Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
    Tensor(Complex64), Tensor(Complex128), Tensor(Bfloat16), Tensor(Float8E4M3Fn), Tensor(Float8E4M3Fnuz),
    Tensor(Float8E5M2), Tensor(Float8E5M2Fnuz), Tensor(Uint4), Tensor(Int4), Tensor(Float4E2M1),
    Tensor(Float8E8M0), Tensor(Uint2), Tensor(Int2), Optional(&Tensor(Float)), Optional(&Tensor(Uint8)),
    Optional(&Tensor(Int8)), Optional(&Tensor(Uint16)), Optional(&Tensor(Int16)), Optional(&Tensor(Int32)),
    Optional(&Tensor(Int64)), Optional(&Tensor(String)), Optional(&Tensor(Bool)), Optional(&Tensor(Float16)),
    Optional(&Tensor(Double)), Optional(&Tensor(Uint32)), Optional(&Tensor(Uint64)),
    Optional(&Tensor(Complex64)), Optional(&Tensor(Complex128)), Optional(&Tensor(Bfloat16)),
    Optional(&Tensor(Float8E4M3Fn)), Optional(&Tensor(Float8E4M3Fnuz)), Optional(&Tensor(Float8E5M2)),
    Optional(&Tensor(Float8E5M2Fnuz)), Optional(&Tensor(Uint4)), Optional(&Tensor(Int4)),
    Optional(&Tensor(Float4E2M1)), Optional(&Tensor(Float8E8M0)), Optional(&Tensor(Uint2)),
    Optional(&Tensor(Int2)), Sequence(&Tensor(Float)), Sequence(&Tensor(Uint8)), Sequence(&Tensor(Int8)),
    Sequence(&Tensor(Uint16)), Sequence(&Tensor(Int16)), Sequence(&Tensor(Int32)), Sequence(&Tensor(Int64)),
    Sequence(&Tensor(String)), Sequence(&Tensor(Bool)), Sequence(&Tensor(Float16)), Sequence(&Tensor(Double)),
    Sequence(&Tensor(Uint32)), Sequence(&Tensor(Uint64)), Sequence(&Tensor(Complex64)),
    Sequence(&Tensor(Complex128)), Sequence(&Tensor(Bfloat16)), Sequence(&Tensor(Float8E4M3Fn)),
    Sequence(&Tensor(Float8E4M3Fnuz)), Sequence(&Tensor(Float8E5M2)), Sequence(&Tensor(Float8E5M2Fnuz)),
    Sequence(&Tensor(Uint4)), Sequence(&Tensor(Int4)), Sequence(&Tensor(Float4E2M1)),
    Sequence(&Tensor(Float8E8M0)), Sequence(&Tensor(Uint2)), Sequence(&Tensor(Int2)),
    Optional(&Sequence(&Tensor(Float))), Optional(&Sequence(&Tensor(Uint8))),
    Optional(&Sequence(&Tensor(Int8))), Optional(&Sequence(&Tensor(Uint16))),
    Optional(&Sequence(&Tensor(Int16))), Optional(&Sequence(&Tensor(Int32))),
    Optional(&Sequence(&Tensor(Int64))), Optional(&Sequence(&Tensor(String))),
    Optional(&Sequence(&Tensor(Bool))), Optional(&Sequence(&Tensor(Float16))),
    Optional(&Sequence(&Tensor(Double))), Optional(&Sequence(&Tensor(Uint32))),
    Optional(&Sequence(&Tensor(Uint64))), Optional(&Sequence(&Tensor(Complex64))),
    Optional(&Sequence(&Tensor(Complex128))), Optional(&Sequence(&Tensor(Bfloat16))),
];

pub(super) const IS_INF_10_T1: &[SchemaType] = &[
    Tensor(Float), Tensor(Double),
];

pub(super) const LABEL_ENCODER_4_T1: &[SchemaType] = &[
    Tensor(Float), Tensor(Int16), Tensor(Int32), Tensor(Int64), Tensor(String), Tensor(Double),
];

pub(super) const LAYER_NORMALIZATION_17_U: &[SchemaType] = &[
    Tensor(Float), Tensor(Bfloat16),
];

pub(super) const MAX_POOL_12_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Float16), Tensor(Double),
];

pub(super) const MAX_POOL_22_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Float16), Tensor(Double), Tensor(Bfloat16),
];

pub(super) const NEG_13_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Int8), Tensor(Int16), Tensor(Int32), Tensor(Int64), Tensor(Float16), Tensor(Double),
    Tensor(Bfloat16),
];

pub(super) const NEG_6_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Int8), Tensor(Int16), Tensor(Int32), Tensor(Int64), Tensor(Float16), Tensor(Double),
];

pub(super) const OPTIONAL_15_O: &[SchemaType] = &[
    Optional(&Tensor(Float)), Optional(&Tensor(Uint8)), Optional(&Tensor(Int8)), Optional(&Tensor(Uint16)),
    Optional(&Tensor(Int16)), Optional(&Tensor(Int32)), Optional(&Tensor(Int64)), Optional(&Tensor(String)),
    Optional(&Tensor(Bool)), Optional(&Tensor(Float16)), Optional(&Tensor(Double)), Optional(&Tensor(Uint32)),
    Optional(&Tensor(Uint64)), Optional(&Tensor(Complex64)), Optional(&Tensor(Complex128)),
    Optional(&Sequence(&Tensor(Float))), Optional(&Sequence(&Tensor(Uint8))),
    Optional(&Sequence(&Tensor(Int8))), Optional(&Sequence(&Tensor(Uint16))),
    Optional(&Sequence(&Tensor(Int16))), Optional(&Sequence(&Tensor(Int32))),
    Optional(&Sequence(&Tensor(Int64))), Optional(&Sequence(&Tensor(String))),
    Optional(&Sequence(&Tensor(Bool))), Optional(&Sequence(&Tensor(Float16))),
    Optional(&Sequence(&Tensor(Double))), Optional(&Sequence(&Tensor(Uint32))),
    Optional(&Sequence(&Tensor(Uint64))), Optional(&Sequence(&Tensor(Complex64))),
    Optional(&Sequence(&Tensor(Complex128))),
];

pub(super) const OPTIONAL_28_O: &[SchemaType] = &[
    Optional(&Tensor(Float)), Optional(&Tensor(Uint8)), Optional(&Tensor(Int8)), Optional(&Tensor(Uint16)),
    Optional(&Tensor(Int16)), Optional(&Tensor(Int32)), Optional(&Tensor(Int64)), Optional(&Tensor(String)),
    Optional(&Tensor(Bool)), Optional(&Tensor(Float16)), Optional(&Tensor(Double)), Optional(&Tensor(Uint32)),
    Optional(&Tensor(Uint64)), Optional(&Tensor(Complex64)), Optional(&Tensor(Complex128)),
    Optional(&Tensor(Bfloat16)), Optional(&Tensor(Float8E4M3Fn)), Optional(&Tensor(Float8E4M3Fnuz)),
    Optional(&Tensor(Float8E5M2)), Optional(&Tensor(Float8E5M2Fnuz)), Optional(&Tensor(Uint4)),
    Optional(&Tensor(Int4)), Optional(&Tensor(Float4E2M1)), Optional(&Tensor(Float8E8M0)),
    Optional(&Tensor(Uint2)), Optional(&Tensor(Int2)), Optional(&Tensor(Float6E2M3)),
    Optional(&Tensor(Float6E3M2)), Optional(&Sequence(&Tensor(Float))), Optional(&Sequence(&Tensor(Uint8))),
    Optional(&Sequence(&Tensor(Int8))), Optional(&Sequence(&Tensor(Uint16))),
    Optional(&Sequence(&Tensor(Int16))), Optional(&Sequence(&Tensor(Int32))),
    Optional(&Sequence(&Tensor(Int64))), Optional(&Sequence(&Tensor(String))),
    Optional(&Sequence(&Tensor(Bool))), Optional(&Sequence(&Tensor(Float16))),
    Optional(&Sequence(&Tensor(Double))), Optional(&Sequence(&Tensor(Uint32))),
    Optional(&Sequence(&Tensor(Uint64))), Optional(&Sequence(&Tensor(Complex64))),
    Optional(&Sequence(&Tensor(Complex128))), Optional(&Sequence(&Tensor(Bfloat16))),
    Optional(&Sequence(&Tensor(Float8E4M3Fn))), Optional(&Sequence(&Tensor(Float8E4M3Fnuz))),
    Optional(&Sequence(&Tensor(Float8E5M2))), Optional(&Sequence(&Tensor(Float8E5M2Fnuz))),
    Optional(&Sequence(&Tensor(Uint4))), Optional(&Sequence(&Tensor(Int4))),
    Optional(&Sequence(&Tensor(Float4E2M1))), Optional(&Sequence(&Tensor(Float8E8M0))),
    Optional(&Sequence(&Tensor(Uint2))), Optional(&Sequence(&Tensor(Int2))),
    Optional(&Sequence(&Tensor(Float6E2M3))), Optional(&Sequence(&Tensor(Float6E3M2))),
];

pub(super) const OPTIONAL_28_V: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(String), Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
    Tensor(Complex64), Tensor(Complex128), Tensor(Bfloat16), Tensor(Float8E4M3Fn), Tensor(Float8E4M3Fnuz),
    Tensor(Float8E5M2), Tensor(Float8E5M2Fnuz), Tensor(Uint4), Tensor(Int4), Tensor(Float4E2M1),
    Tensor(Float8E8M0), Tensor(Uint2), Tensor(Int2), Tensor(Float6E2M3), Tensor(Float6E3M2),
    Sequence(&Tensor(Float)), Sequence(&Tensor(Uint8)), Sequence(&Tensor(Int8)), Sequence(&Tensor(Uint16)),
    Sequence(&Tensor(Int16)), Sequence(&Tensor(Int32)), Sequence(&Tensor(Int64)), Sequence(&Tensor(String)),
    Sequence(&Tensor(Bool)), Sequence(&Tensor(Float16)), Sequence(&Tensor(Double)), Sequence(&Tensor(Uint32)),
    Sequence(&Tensor(Uint64)), Sequence(&Tensor(Complex64)), Sequence(&Tensor(Complex128)),
    Sequence(&Tensor(Bfloat16)), Sequence(&Tensor(Float8E4M3Fn)), Sequence(&Tensor(Float8E4M3Fnuz)),
    Sequence(&Tensor(Float8E5M2)), Sequence(&Tensor(Float8E5M2Fnuz)), Sequence(&Tensor(Uint4)),
    Sequence(&Tensor(Int4)), Sequence(&Tensor(Float4E2M1)), Sequence(&Tensor(Float8E8M0)),
    Sequence(&Tensor(Uint2)), Sequence(&Tensor(Int2)), Sequence(&Tensor(Float6E2M3)),
    Sequence(&Tensor(Float6E3M2)),
];

pub(super) const OPTIONAL_GET_ELEMENT_18_O: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(String), Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
    Tensor(Complex64), Tensor(Complex128), Optional(&Tensor(Float)), Optional(&Tensor(Uint8)),
    Optional(&Tensor(Int8)), Optional(&Tensor(Uint16)), Optional(&Tensor(Int16)), Optional(&Tensor(Int32)),
    Optional(&Tensor(Int64)), Optional(&Tensor(String)), Optional(&Tensor(Bool)), Optional(&Tensor(Float16)),
    Optional(&Tensor(Double)), Optional(&Tensor(Uint32)), Optional(&Tensor(Uint64)),
    Optional(&Tensor(Complex64)), Optional(&Tensor(Complex128)), Sequence(&Tensor(Float)),
    Sequence(&Tensor(Uint8)), Sequence(&Tensor(Int8)), Sequence(&Tensor(Uint16)), Sequence(&Tensor(Int16)),
    Sequence(&Tensor(Int32)), Sequence(&Tensor(Int64)), Sequence(&Tensor(String)), Sequence(&Tensor(Bool)),
    Sequence(&Tensor(Float16)), Sequence(&Tensor(Double)), Sequence(&Tensor(Uint32)),
    Sequence(&Tensor(Uint64)), Sequence(&Tensor(Complex64)), Sequence(&Tensor(Complex128)),
    Optional(&Sequence(&Tensor(Float))), Optional(&Sequence(&Tensor(Uint8))),
    Optional(&Sequence(&Tensor(Int8))), Optional(&Sequence(&Tensor(Uint16))),
    Optional(&Sequence(&Tensor(Int16))), Optional(&Sequence(&Tensor(Int32))),
    Optional(&Sequence(&Tensor(Int64))), Optional(&Sequence(&Tensor(String))),
    Optional(&Sequence(&Tensor(Bool))), Optional(&Sequence(&Tensor(Float16))),
    Optional(&Sequence(&Tensor(Double))), Optional(&Sequence(&Tensor(Uint32))),
    Optional(&Sequence(&Tensor(Uint64))), Optional(&Sequence(&Tensor(Complex64))),
    Optional(&Sequence(&Tensor(Complex128))),
];

pub(super) const OPTIONAL_GET_ELEMENT_28_O: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(String), Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
    Tensor(Complex64), Tensor(Complex128), Tensor(Bfloat16), Tensor(Float8E4M3Fn), Tensor(Float8E4M3Fnuz),
    Tensor(Float8E5M2), Tensor(Float8E5M2Fnuz), Tensor(Uint4), Tensor(Int4), Tensor(Float4E2M1),
    Tensor(Float8E8M0), Tensor(Uint2), Tensor(Int2), Tensor(Float6E2M3), Tensor(Float6E3M2),
    Optional(&Tensor(Float)), Optional(&Tensor(Uint8)), Optional(&Tensor(Int8)), Optional(&Tensor(Uint16)),
    Optional(&Tensor(Int16)), Optional(&Tensor(Int32)), Optional(&Tensor(Int64)), Optional(&Tensor(String)),
    Optional(&Tensor(Bool)), Optional(&Tensor(Float16)), Optional(&Tensor(Double)), Optional(&Tensor(Uint32)),
    Optional(&Tensor(Uint64)), Optional(&Tensor(Complex64)), Optional(&Tensor(Complex128)),
    Optional(&Tensor(Bfloat16)), Optional(&Tensor(Float8E4M3Fn)), Optional(&Tensor(Float8E4M3Fnuz)),
    Optional(&Tensor(Float8E5M2)), Optional(&Tensor(Float8E5M2Fnuz)), Optional(&Tensor(Uint4)),
    Optional(&Tensor(Int4)), Optional(&Tensor(Float4E2M1)), Optional(&Tensor(Float8E8M0)),
    Optional(&Tensor(Uint2)), Optional(&Tensor(Int2)), Optional(&Tensor(Float6E2M3)),
    Optional(&Tensor(Float6E3M2)), Sequence(&Tensor(Float)), Sequence(&Tensor(Uint8)),
    Sequence(&Tensor(Int8)), Sequence(&Tensor(Uint16)), Sequence(&Tensor(Int16)), Sequence(&Tensor(Int32)),
    Sequence(&Tensor(Int64)), Sequence(&Tensor(String)), Sequence(&Tensor(Bool)), Sequence(&Tensor(Float16)),
    Sequence(&Tensor(Double)), Sequence(&Tensor(Uint32)), Sequence(&Tensor(Uint64)),
    Sequence(&Tensor(Complex64)), Sequence(&Tensor(Complex128)), Sequence(&Tensor(Bfloat16)),
    Sequence(&Tensor(Float8E4M3Fn)), Sequence(&Tensor(Float8E4M3Fnuz)), Sequence(&Tensor(Float8E5M2)),
    Sequence(&Tensor(Float8E5M2Fnuz)), Sequence(&Tensor(Uint4)), Sequence(&Tensor(Int4)),
    Sequence(&Tensor(Float4E2M1)), Sequence(&Tensor(Float8E8M0)), Sequence(&Tensor(Uint2)),
    Sequence(&Tensor(Int2)), Sequence(&Tensor(Float6E2M3)), Sequence(&Tensor(Float6E3M2)),
    Optional(&Sequence(&Tensor(Float))), Optional(&Sequence(&Tensor(Uint8))),
    Optional(&Sequence(&Tensor(Int8))), Optional(&Sequence(&Tensor(Uint16))),
    Optional(&Sequence(&Tensor(Int16))), Optional(&Sequence(&Tensor(Int32))),
    Optional(&Sequence(&Tensor(Int64))), Optional(&Sequence(&Tensor(String))),
    Optional(&Sequence(&Tensor(Bool))), Optional(&Sequence(&Tensor(Float16))),
    Optional(&Sequence(&Tensor(Double))), Optional(&Sequence(&Tensor(Uint32))),
    Optional(&Sequence(&Tensor(Uint64))), Optional(&Sequence(&Tensor(Complex64))),
    Optional(&Sequence(&Tensor(Complex128))), Optional(&Sequence(&Tensor(Bfloat16))),
    Optional(&Sequence(&Tensor(Float8E4M3Fn))), Optional(&Sequence(&Tensor(Float8E4M3Fnuz))),
    Optional(&Sequence(&Tensor(Float8E5M2))), Optional(&Sequence(&Tensor(Float8E5M2Fnuz))),
    Optional(&Sequence(&Tensor(Uint4))), Optional(&Sequence(&Tensor(Int4))),
    Optional(&Sequence(&Tensor(Float4E2M1))), Optional(&Sequence(&Tensor(Float8E8M0))),
    Optional(&Sequence(&Tensor(Uint2))), Optional(&Sequence(&Tensor(Int2))),
    Optional(&Sequence(&Tensor(Float6E2M3))), Optional(&Sequence(&Tensor(Float6E3M2))),
];

pub(super) const POW_12_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Int32), Tensor(Int64), Tensor(Float16), Tensor(Double),
];

pub(super) const POW_13_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Int32), Tensor(Int64), Tensor(Float16), Tensor(Double), Tensor(Bfloat16),
];

pub(super) const QUANTIZE_LINEAR_10_T1: &[SchemaType] = &[
    Tensor(Float), Tensor(Int32),
];

pub(super) const QUANTIZE_LINEAR_19_T1: &[SchemaType] = &[
    Tensor(Float), Tensor(Int32), Tensor(Float16), Tensor(Bfloat16),
];

pub(super) const QUANTIZE_LINEAR_21_T2: &[SchemaType] = &[
    Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Float8E4M3Fn), Tensor(Float8E4M3Fnuz),
    Tensor(Float8E5M2), Tensor(Float8E5M2Fnuz), Tensor(Uint4), Tensor(Int4),
];

pub(super) const QUANTIZE_LINEAR_23_T3: &[SchemaType] = &[
    Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Float8E4M3Fn), Tensor(Float8E4M3Fnuz),
    Tensor(Float8E5M2), Tensor(Float8E5M2Fnuz), Tensor(Uint4), Tensor(Int4), Tensor(Float4E2M1),
];

pub(super) const QUANTIZE_LINEAR_24_T2: &[SchemaType] = &[
    Tensor(Float), Tensor(Int32), Tensor(Float16), Tensor(Bfloat16), Tensor(Float8E8M0),
];

pub(super) const QUANTIZE_LINEAR_25_T3: &[SchemaType] = &[
    Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Float8E4M3Fn), Tensor(Float8E4M3Fnuz),
    Tensor(Float8E5M2), Tensor(Float8E5M2Fnuz), Tensor(Uint4), Tensor(Int4), Tensor(Float4E2M1),
    Tensor(Uint2), Tensor(Int2),
];

pub(super) const QUANTIZE_LINEAR_28_T3: &[SchemaType] = &[
    Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Float8E4M3Fn), Tensor(Float8E4M3Fnuz),
    Tensor(Float8E5M2), Tensor(Float8E5M2Fnuz), Tensor(Uint4), Tensor(Int4), Tensor(Float4E2M1),
    Tensor(Uint2), Tensor(Int2), Tensor(Float6E2M3), Tensor(Float6E3M2),
];

pub(super) const Q_LINEAR_MAT_MUL_21_T1: &[SchemaType] = &[
    Tensor(Uint8), Tensor(Int8), Tensor(Float8E4M3Fn), Tensor(Float8E4M3Fnuz), Tensor(Float8E5M2),
    Tensor(Float8E5M2Fnuz),
];

pub(super) const RANGE_11_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Int16), Tensor(Int32), Tensor(Int64), Tensor(Double),
];

pub(super) const RANGE_27_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Int16), Tensor(Int32), Tensor(Int64), Tensor(Float16), Tensor(Double),
    Tensor(Bfloat16),
];

pub(super) const REDUCE_MAX_12_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Int32), Tensor(Int64), Tensor(Float16), Tensor(Double),
    Tensor(Uint32), Tensor(Uint64),
];

pub(super) const REDUCE_MAX_13_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Int32), Tensor(Int64), Tensor(Float16), Tensor(Double),
    Tensor(Uint32), Tensor(Uint64), Tensor(Bfloat16),
];

pub(super) const REDUCE_MAX_20_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Int32), Tensor(Int64), Tensor(Bool), Tensor(Float16),
    Tensor(Double), Tensor(Uint32), Tensor(Uint64), Tensor(Bfloat16),
];

pub(super) const SPLIT_TO_SEQUENCE_24_S: &[SchemaType] = &[
    Sequence(&Tensor(Float)), Sequence(&Tensor(Uint8)), Sequence(&Tensor(Int8)), Sequence(&Tensor(Uint16)),
    Sequence(&Tensor(Int16)), Sequence(&Tensor(Int32)), Sequence(&Tensor(Int64)), Sequence(&Tensor(String)),
    Sequence(&Tensor(Bool)), Sequence(&Tensor(Float16)), Sequence(&Tensor(Double)), Sequence(&Tensor(Uint32)),
    Sequence(&Tensor(Uint64)), Sequence(&Tensor(Complex64)), Sequence(&Tensor(Complex128)),
    Sequence(&Tensor(Bfloat16)),
];

pub(super) const TENSOR_BOOL: &[SchemaType] = &[
    Tensor(Bool),
];

pub(super) const TENSOR_FLOAT: &[SchemaType] = &[
    Tensor(Float),
];

pub(super) const TENSOR_INT32: &[SchemaType] = &[
    Tensor(Int32),
];

pub(super) const TENSOR_INT64: &[SchemaType] = &[
    Tensor(Int64),
];

pub(super) const TENSOR_STRING: &[SchemaType] = &[
    Tensor(String),
];

pub(super) const TENSOR_UINT8: &[SchemaType] = &[
    Tensor(Uint8),
];

pub(super) const TF_IDF_VECTORIZER_9_T: &[SchemaType] = &[
    Tensor(Int32), Tensor(Int64), Tensor(String),
];

pub(super) const UPSAMPLE_1_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Int32), Tensor(Int64), Tensor(Bool), Tensor(Float16), Tensor(Double),
];

pub(super) const ZIP_MAP_1_T: &[SchemaType] = &[
    Sequence(&Map(Int64, &Tensor(Float))), Sequence(&Map(String, &Tensor(Float))),
];
