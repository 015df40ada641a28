//! Generated from onnxruntime 1.32.0 by `cargo xtask generate schema`: do not edit.
//!
//! The distinct type sets, each named after its only type or after its first user.

use crate::types::SchemaType::{self, *};
use onnx_tensor::DType::*;

pub(super) const ATTENTION_1_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Float16), Tensor(Bfloat16),
];

pub(super) const BEAM_SEARCH_1_F: &[SchemaType] = &[
    Tensor(Float), Tensor(Int32), Tensor(Float16),
];

pub(super) const BIAS_SOFTMAX_1_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Float16), Tensor(Double),
];

pub(super) const DEQUANTIZE_LINEAR_1_T1: &[SchemaType] = &[
    Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Uint4), Tensor(Int4),
];

pub(super) const DISENTANGLED_ATTENTION_TRT_1_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Float16),
];

pub(super) const DYNAMIC_QUANTIZE_LSTM_1_T2: &[SchemaType] = &[
    Tensor(Uint8), Tensor(Int8),
];

pub(super) const DYNAMIC_SPARSE_ATTENTION_1_T_CACHE: &[SchemaType] = &[
    Tensor(Float), Tensor(Int8), Tensor(Float16), Tensor(Bfloat16),
];

pub(super) const EP_CONTEXT_1_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64), Tensor(Bfloat16),
];

pub(super) const EXPAND_DIMS_1_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(String), Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
    Tensor(Complex64), Tensor(Complex128),
];

pub(super) const FUSED_GEMM_1_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Int32), Tensor(Int64), Tensor(Float16), Tensor(Double), Tensor(Uint32),
    Tensor(Uint64),
];

pub(super) const GATHER_BLOCK_QUANTIZED_1_T1: &[SchemaType] = &[
    Tensor(Uint8), Tensor(Float8E4M3Fn), Tensor(Float8E4M3Fnuz), Tensor(Float8E5M2), Tensor(Float8E5M2Fnuz),
    Tensor(Uint4), Tensor(Int4), Tensor(Float4E2M1),
];

pub(super) const GATHER_BLOCK_QUANTIZED_1_TIND: &[SchemaType] = &[
    Tensor(Int32), Tensor(Int64),
];

pub(super) const GEMM_FLOAT8_1_TA: &[SchemaType] = &[
    Tensor(Float), Tensor(Float16), Tensor(Bfloat16), Tensor(Float8E4M3Fn), Tensor(Float8E5M2),
];

pub(super) const GROUP_QUERY_ATTENTION_1_T_CACHE: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Float16), Tensor(Bfloat16), Tensor(Float8E4M3Fn),
];

pub(super) const LAYER_NORMALIZATION_1_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Float16), Tensor(Double), Tensor(Bfloat16),
];

pub(super) const LAYER_NORMALIZATION_1_U: &[SchemaType] = &[
    Tensor(Float), Tensor(Double),
];

pub(super) const MAT_MUL_BLOCK_QUANTIZED_FP4_WEIGHT_1_T: &[SchemaType] = &[
    Tensor(Float16), Tensor(Bfloat16),
];

pub(super) const MAT_MUL_INTEGER16_1_T1: &[SchemaType] = &[
    Tensor(Uint16), Tensor(Int16),
];

pub(super) const MAT_MUL_INTEGER16_1_T3: &[SchemaType] = &[
    Tensor(Int32), Tensor(Uint32),
];

pub(super) const MAT_MUL_N_BITS_1_T3: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Float16), Tensor(Bfloat16),
];

pub(super) const MURMUR_HASH3_1_T1: &[SchemaType] = &[
    Tensor(Float), Tensor(Int32), Tensor(Int64), Tensor(String), Tensor(Double), Tensor(Uint32),
    Tensor(Uint64),
];

pub(super) const PAGED_ATTENTION_1_T_CACHE: &[SchemaType] = &[
    Tensor(Uint8), Tensor(Int8), Tensor(Float16), Tensor(Bfloat16), Tensor(Float8E4M3Fn),
];

pub(super) const QUANTIZE_LINEAR_1_T2: &[SchemaType] = &[
    Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Uint4), Tensor(Int4),
];

pub(super) const Q_GEMM_1_TY: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8),
];

pub(super) const Q_MO_E_1_T1: &[SchemaType] = &[
    Tensor(Uint8), Tensor(Float8E4M3Fn),
];

pub(super) const Q_MO_E_1_T2: &[SchemaType] = &[
    Tensor(Float), Tensor(Float16), Tensor(Bfloat16), Tensor(Float8E4M3Fn), Tensor(Float8E8M0),
];

pub(super) const RANGE_1_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Int16), Tensor(Int32), Tensor(Int64), Tensor(Double),
];

pub(super) const RMS_NORM_ROTARY_1_T_COS: &[SchemaType] = &[
    Tensor(Float), Tensor(Bfloat16),
];

pub(super) const SNPE_1_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Uint16),
];

pub(super) const SPARSE_PAGED_ATTENTION_1_T_CACHE: &[SchemaType] = &[
    Tensor(Int8), Tensor(Float16), Tensor(Bfloat16),
];

pub(super) const SPARSE_TO_DENSE_MAT_MUL_1_T: &[SchemaType] = &[
    SparseTensor(Float), SparseTensor(Int32), SparseTensor(Int64), SparseTensor(Double), SparseTensor(Uint32),
    SparseTensor(Uint64),
];

pub(super) const SPARSE_TO_DENSE_MAT_MUL_1_T1: &[SchemaType] = &[
    Tensor(Float), Tensor(Int32), Tensor(Int64), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
];

pub(super) const TENSOR_BFLOAT16: &[SchemaType] = &[
    Tensor(Bfloat16),
];

pub(super) const TENSOR_BOOL: &[SchemaType] = &[
    Tensor(Bool),
];

pub(super) const TENSOR_FLOAT: &[SchemaType] = &[
    Tensor(Float),
];

pub(super) const TENSOR_FLOAT16: &[SchemaType] = &[
    Tensor(Float16),
];

pub(super) const TENSOR_FLOAT8_E4_M3_FN: &[SchemaType] = &[
    Tensor(Float8E4M3Fn),
];

pub(super) const TENSOR_INT32: &[SchemaType] = &[
    Tensor(Int32),
];

pub(super) const TENSOR_INT64: &[SchemaType] = &[
    Tensor(Int64),
];

pub(super) const TENSOR_INT8: &[SchemaType] = &[
    Tensor(Int8),
];

pub(super) const TENSOR_STRING: &[SchemaType] = &[
    Tensor(String),
];

pub(super) const TENSOR_UINT32: &[SchemaType] = &[
    Tensor(Uint32),
];

pub(super) const TENSOR_UINT8: &[SchemaType] = &[
    Tensor(Uint8),
];

pub(super) const TORCH_EMBEDDING_1_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64), Tensor(Bfloat16),
];

pub(super) const UNFOLD_TENSOR_1_T: &[SchemaType] = &[
    Tensor(Float), Tensor(Uint8), Tensor(Int8), Tensor(Uint16), Tensor(Int16), Tensor(Int32), Tensor(Int64),
    Tensor(String), Tensor(Bool), Tensor(Float16), Tensor(Double), Tensor(Uint32), Tensor(Uint64),
    Tensor(Complex64), Tensor(Complex128), Tensor(Bfloat16),
];
