//! Scatter — as ScatterElements without a reduction; version 11 deprecates it in favour of that operator.
//!
//! Reading: version 9 does not say that an index may count from the back, so there a negative one is an error.

use super::indices::{from_either_end, from_front};
use super::scatter_elements::scatter;
use super::scattering::Reduction;
use crate::frame::Change::{First, Semantics};
use crate::frame::{OpDef, op, v};

pub const OP: OpDef = op(
    "Scatter",
    &[
        v(9, First, |call| scatter(call, from_front, Reduction::None)),
        v(11, Semantics, |call| {
            scatter(call, from_either_end, Reduction::None)
        }),
    ],
);
