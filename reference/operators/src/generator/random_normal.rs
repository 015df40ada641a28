//! RandomNormal — a tensor of draws from a normal distribution ([`draws`](super::draws)).
//!
//! Version 22 adds bfloat16.

use super::draws::{by_attributes, normal};
use crate::frame::Change::{First, TypesOnly};
use crate::frame::{OpDef, op, v};

pub const OP: OpDef = op(
    "RandomNormal",
    &[
        v(1, First, |call| normal(call, by_attributes(call)?)),
        v(22, TypesOnly, |call| normal(call, by_attributes(call)?)),
    ],
);
