//! RandomUniformLike — draws in the shape of the input, of its type or `dtype`, from a uniform distribution
//! ([`draws`](super::draws)).
//!
//! Version 22 adds bfloat16.

use super::draws::{like_input, uniform};
use crate::frame::Change::{First, TypesOnly};
use crate::frame::{OpDef, op, v};

pub const OP: OpDef = op(
    "RandomUniformLike",
    &[
        v(1, First, |call| uniform(call, like_input(call)?)),
        v(22, TypesOnly, |call| uniform(call, like_input(call)?)),
    ],
);
