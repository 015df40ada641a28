//! HardSwish — x · max(0, min(1, x / 6 + 1 / 2)), elementwise; evaluated in f64 and rounded once.

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{OpDef, op, v};
use crate::shared::activation;
use crate::shared::elementwise::float;

pub const OP: OpDef = op(
    "HardSwish",
    &[
        v(14, First, |call| float(call, activation::hard_swish)),
        v(22, TypesOnly, |call| float(call, activation::hard_swish)),
    ],
);
