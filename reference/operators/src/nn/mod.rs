//! Neural networks (`onnx/defs/nn`): convolution, pooling, normalisation, attention.

// The rest of this file is written by `cargo xtask generate index`.

mod average_pool;
mod col2im;
mod conv;
mod conv_integer;
mod conv_transpose;
mod convolution;
mod deform_conv;
mod global_average_pool;
mod global_lp_pool;
mod global_max_pool;
mod global_pooling;
mod integer_convolution;
mod kernels;
mod lp_norm;
mod lp_pool;
mod max_pool;
mod max_unpool;
mod pooling;
mod q_linear_conv;
mod window;

use crate::frame::OpDef;

#[rustfmt::skip]
pub(crate) const OPERATORS: &[&OpDef] = &[
    &average_pool::OP,
    &col2im::OP,
    &conv::OP,
    &conv_integer::OP,
    &conv_transpose::OP,
    &deform_conv::OP,
    &global_average_pool::OP,
    &global_lp_pool::OP,
    &global_max_pool::OP,
    &lp_pool::OP,
    &max_pool::OP,
    &max_unpool::OP,
    &q_linear_conv::OP,
];
