//! Celu — max(0, x) + min(0, alpha · (e^(x / alpha) − 1)), elementwise; evaluated in f64 and rounded once.

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{OpDef, op, v};
use crate::shared::activation;
use crate::shared::elementwise::float_with_alpha;

pub const OP: OpDef = op(
    "Celu",
    &[
        v(12, First, |call| float_with_alpha(call, activation::celu)),
        v(28, TypesOnly, |call| float_with_alpha(call, activation::celu)),
    ],
);
