//! ThresholdedRelu — x if x > alpha, otherwise 0 (also for NaN), elementwise; exact.

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{OpDef, op, v};
use crate::shared::activation;
use crate::shared::elementwise::float_with_alpha;

pub const OP: OpDef = op(
    "ThresholdedRelu",
    &[
        v(10, First, |call| {
            float_with_alpha(call, activation::thresholded_relu)
        }),
        v(22, TypesOnly, |call| {
            float_with_alpha(call, activation::thresholded_relu)
        }),
    ],
);
