//! The operators that ONNX Runtime adds to ONNX: those of its domain `com.microsoft`, and
//! SimplifiedLayerNormalization in the domain of ONNX.
//!
//! The source of each is the operator's text and its schema. Where they are silent, the behaviour of the kernels
//! of ONNX Runtime for processors is the interpretation, which the file names. Each operator has one version.

// The rest of this file is written by `cargo xtask generate index`.

mod affine;
mod bias_add;
mod bias_gelu;
mod bias_split_gelu;
mod biased;
mod channels;
mod dequantize_linear;
mod dynamic_quantize_mat_mul;
mod embed_layer_normalization;
mod fast_gelu;
mod fused_activation;
mod fused_conv;
mod fused_gemm;
mod fused_mat_mul;
mod gelu;
mod group_norm;
mod integer_product;
mod mat_mul_integer_to_float;
mod normalized;
mod operand;
mod q_gemm;
mod q_linear_add;
mod q_linear_average_pool;
mod q_linear_binary;
mod q_linear_concat;
mod q_linear_conv;
mod q_linear_global_average_pool;
mod q_linear_leaky_relu;
mod q_linear_mul;
mod q_linear_reduce_mean;
mod q_linear_sigmoid;
mod q_linear_softmax;
mod q_linear_where;
mod quantize_linear;
mod quick_gelu;
mod simplified_layer_normalization;
mod skip_group_norm;
mod skip_layer_normalization;
mod skip_simplified_layer_normalization;
mod standard;
mod transpose_mat_mul;

use crate::frame::OpDef;

#[rustfmt::skip]
pub(crate) const OPERATORS: &[&OpDef] = &[
    &bias_add::OP,
    &bias_gelu::OP,
    &bias_split_gelu::OP,
    &dequantize_linear::OP,
    &dynamic_quantize_mat_mul::OP,
    &embed_layer_normalization::OP,
    &fast_gelu::OP,
    &fused_conv::OP,
    &fused_gemm::OP,
    &fused_mat_mul::OP,
    &gelu::OP,
    &group_norm::OP,
    &mat_mul_integer_to_float::OP,
    &q_gemm::OP,
    &q_linear_add::OP,
    &q_linear_average_pool::OP,
    &q_linear_concat::OP,
    &q_linear_conv::OP,
    &q_linear_global_average_pool::OP,
    &q_linear_leaky_relu::OP,
    &q_linear_mul::OP,
    &q_linear_reduce_mean::OP,
    &q_linear_sigmoid::OP,
    &q_linear_softmax::OP,
    &q_linear_where::OP,
    &quantize_linear::OP,
    &quick_gelu::OP,
    &simplified_layer_normalization::OP,
    &skip_group_norm::OP,
    &skip_layer_normalization::OP,
    &skip_simplified_layer_normalization::OP,
    &transpose_mat_mul::OP,
];
