//! RandomUniform — a tensor of draws from a uniform distribution ([`draws`](super::draws)).
//!
//! Version 22 adds bfloat16.

use super::draws::{by_attributes, uniform};
use crate::frame::Change::{First, TypesOnly};
use crate::frame::{OpDef, op, v};

pub const OP: OpDef = op(
    "RandomUniform",
    &[
        v(1, First, |call| uniform(call, by_attributes(call)?)),
        v(22, TypesOnly, |call| uniform(call, by_attributes(call)?)),
    ],
);
