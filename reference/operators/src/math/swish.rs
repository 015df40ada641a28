//! Swish — x · sigmoid(alpha · x), elementwise; evaluated in f64 and rounded once. At −Inf the formula is
//! NaN.

use crate::frame::Change::First;
use crate::frame::{OpDef, op, v};
use crate::shared::activation;
use crate::shared::elementwise::float_with_alpha;

pub const OP: OpDef = op(
    "Swish",
    &[v(24, First, |call| float_with_alpha(call, activation::swish))],
);
