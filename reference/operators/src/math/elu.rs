//! Elu — alpha · (eˣ − 1) below 0, else x, elementwise; evaluated in f64 and rounded once.

use crate::frame::Change::{First, TypesOnly, Wording};
use crate::frame::{OpDef, op, v};
use crate::shared::activation;
use crate::shared::elementwise::float_with_alpha;

pub const OP: OpDef = op(
    "Elu",
    &[
        v(1, First, |call| float_with_alpha(call, activation::elu)),
        v(6, Wording, |call| float_with_alpha(call, activation::elu)),
        v(22, TypesOnly, |call| float_with_alpha(call, activation::elu)),
    ],
);
