//! Generators (`onnx/defs/generator`): constants, ranges, random values.

// The rest of this file is written by `cargo xtask generate index`.

mod bernoulli;
mod constant;
mod constant_of_shape;
mod draws;
mod eye_like;
mod multinomial;
mod random_normal;
mod random_normal_like;
mod random_uniform;
mod random_uniform_like;
mod range;

use crate::frame::OpDef;

#[rustfmt::skip]
pub(crate) const OPERATORS: &[&OpDef] = &[
    &bernoulli::OP,
    &constant::OP,
    &constant_of_shape::OP,
    &eye_like::OP,
    &multinomial::OP,
    &random_normal::OP,
    &random_normal_like::OP,
    &random_uniform::OP,
    &random_uniform_like::OP,
    &range::OP,
];
