//! Reductions (`onnx/defs/reduction`).

// The rest of this file is written by `cargo xtask generate index`.

mod arg;
mod arg_max;
mod arg_min;
mod reduce;
mod reduce_l1;
mod reduce_l2;
mod reduce_log_sum;
mod reduce_log_sum_exp;
mod reduce_max;
mod reduce_mean;
mod reduce_min;
mod reduce_prod;
mod reduce_sum;
mod reduce_sum_square;

use crate::frame::OpDef;

#[rustfmt::skip]
pub(crate) const OPERATORS: &[&OpDef] = &[
    &arg_max::OP,
    &arg_min::OP,
    &reduce_l1::OP,
    &reduce_l2::OP,
    &reduce_log_sum::OP,
    &reduce_log_sum_exp::OP,
    &reduce_max::OP,
    &reduce_mean::OP,
    &reduce_min::OP,
    &reduce_prod::OP,
    &reduce_sum::OP,
    &reduce_sum_square::OP,
];
