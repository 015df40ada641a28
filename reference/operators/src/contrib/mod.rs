//! The operators that ONNX Runtime adds to ONNX: those of its domain `com.microsoft`, and
//! SimplifiedLayerNormalization in the domain of ONNX.
//!
//! The source of each is the operator's text and its schema. Where they are silent, the behaviour of the
//! kernels of ONNX Runtime for processors is the interpretation, which the file names. Each operator has
//! one version.

pub use mat_mul_n_bits::weights as mat_mul_n_bits_weights;

// The rest of this file is written by `cargo xtask generate index`.

mod affine;
mod attended;
mod attention;
mod bias_add;
mod bias_gelu;
mod bias_split_gelu;
mod biased;
mod bifurcation_detector;
mod blocks;
mod c_dist;
mod causal_conv_with_state;
mod channels;
mod conv_transpose_with_dynamic_pads;
mod crop_and_resize;
mod decoder_masked_multi_head_attention;
mod dequantize_linear;
mod dynamic_quantize_lstm;
mod dynamic_quantize_mat_mul;
mod embed_layer_normalization;
mod expand_dims;
mod experts;
mod fast_gelu;
mod fused_activation;
mod fused_conv;
mod fused_gemm;
mod fused_mat_mul;
mod gated_delta_net;
mod gated_rms_norm;
mod gather_block_quantized;
mod gather_nd;
mod gelu;
mod grid_sample;
mod group_norm;
mod group_query_attention;
mod integer_product;
mod inverse;
mod linear_attention;
mod linear_attention_gate;
mod mat_mul_integer16;
mod mat_mul_integer_to_float;
mod mat_mul_n_bits;
mod mo_e;
mod multi_head_attention;
mod n_gram_repeat_block;
mod nhwc_conv;
mod nhwc_fused_conv;
mod nhwc_max_pool;
mod normalized;
mod operand;
mod packed_attention;
mod packing;
mod pad;
mod q_attention;
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
mod q_mo_e;
mod quantize_linear;
mod quantized_states;
mod quick_gelu;
mod range;
mod rotary_embedding;
mod rotated;
mod simplified_layer_normalization;
mod skip_group_norm;
mod skip_layer_normalization;
mod skip_simplified_layer_normalization;
mod standard;
mod swi_glu;
mod tokenizer;
mod transpose_mat_mul;
mod trilu;
mod unfold_tensor;
mod unique;

use crate::frame::OpDef;

#[rustfmt::skip]
pub(crate) const OPERATORS: &[&OpDef] = &[
    &attention::OP,
    &bias_add::OP,
    &bias_gelu::OP,
    &bias_split_gelu::OP,
    &bifurcation_detector::OP,
    &c_dist::OP,
    &causal_conv_with_state::OP,
    &conv_transpose_with_dynamic_pads::OP,
    &crop_and_resize::OP,
    &decoder_masked_multi_head_attention::OP,
    &dequantize_linear::OP,
    &dynamic_quantize_lstm::OP,
    &dynamic_quantize_mat_mul::OP,
    &embed_layer_normalization::OP,
    &expand_dims::OP,
    &fast_gelu::OP,
    &fused_conv::OP,
    &fused_gemm::OP,
    &fused_mat_mul::OP,
    &gated_delta_net::OP,
    &gated_rms_norm::OP,
    &gather_block_quantized::OP,
    &gather_nd::OP,
    &gelu::OP,
    &grid_sample::OP,
    &group_norm::OP,
    &group_query_attention::OP,
    &inverse::OP,
    &linear_attention::OP,
    &linear_attention_gate::OP,
    &mat_mul_integer16::OP,
    &mat_mul_integer_to_float::OP,
    &mat_mul_n_bits::OP,
    &mo_e::OP,
    &multi_head_attention::OP,
    &n_gram_repeat_block::OP,
    &nhwc_conv::OP,
    &nhwc_fused_conv::OP,
    &nhwc_max_pool::OP,
    &packed_attention::OP,
    &pad::OP,
    &q_attention::OP,
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
    &q_mo_e::OP,
    &quantize_linear::OP,
    &quick_gelu::OP,
    &range::OP,
    &rotary_embedding::OP,
    &simplified_layer_normalization::OP,
    &skip_group_norm::OP,
    &skip_layer_normalization::OP,
    &skip_simplified_layer_normalization::OP,
    &swi_glu::OP,
    &tokenizer::OP,
    &transpose_mat_mul::OP,
    &trilu::OP,
    &unfold_tensor::OP,
    &unique::OP,
];
