//! Neural networks (`onnx/defs/nn`): convolution, pooling, normalisation, attention.

pub use max_pool::windows as max_pool_windows;

pub(crate) use conv::forward as convolution_of;
pub(crate) use kernels::{bias, dense, positive};
pub(crate) use moments::{Moments, mean_square};
pub(crate) use rotary_embedding::rotate;

// The rest of this file is written by `cargo xtask generate index`.

mod attention;
mod attention_bias;
mod average_pool;
mod batch_normalization;
mod causal_conv_with_state;
mod col2im;
mod conv;
mod conv_integer;
mod conv_transpose;
mod convolution;
mod deform_conv;
mod dropout;
mod global_average_pool;
mod global_lp_pool;
mod global_max_pool;
mod global_pooling;
mod group_normalization;
mod instance_normalization;
mod integer_convolution;
mod kernels;
mod layer_normalization;
mod linear_attention;
mod lp_norm;
mod lp_normalization;
mod lp_pool;
mod lrn;
mod max_pool;
mod max_roi_pool;
mod max_unpool;
mod mean_variance_normalization;
mod moments;
mod normalised_rows;
mod pooling;
mod q_linear_conv;
mod rms_normalization;
mod rotary_embedding;
mod trailing;
mod window;

use crate::frame::OpDef;

#[rustfmt::skip]
pub(crate) const OPERATORS: &[&OpDef] = &[
    &attention::OP,
    &average_pool::OP,
    &batch_normalization::OP,
    &causal_conv_with_state::OP,
    &col2im::OP,
    &conv::OP,
    &conv_integer::OP,
    &conv_transpose::OP,
    &deform_conv::OP,
    &dropout::OP,
    &global_average_pool::OP,
    &global_lp_pool::OP,
    &global_max_pool::OP,
    &group_normalization::OP,
    &instance_normalization::OP,
    &layer_normalization::OP,
    &linear_attention::OP,
    &lp_normalization::OP,
    &lp_pool::OP,
    &lrn::OP,
    &max_pool::OP,
    &max_roi_pool::OP,
    &max_unpool::OP,
    &mean_variance_normalization::OP,
    &q_linear_conv::OP,
    &rms_normalization::OP,
    &rotary_embedding::OP,
];
