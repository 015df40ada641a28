//! RandomNormalLike — draws in the shape of the input, of its type or `dtype`, from a normal distribution
//! ([`draws`](super::draws)).
//!
//! Version 22 adds bfloat16.

use super::draws::{like_input, normal};
use crate::frame::Change::{First, TypesOnly};
use crate::frame::{OpDef, op, v};

pub const OP: OpDef = op(
    "RandomNormalLike",
    &[
        v(1, First, |call| normal(call, like_input(call)?)),
        v(22, TypesOnly, |call| normal(call, like_input(call)?)),
    ],
);
