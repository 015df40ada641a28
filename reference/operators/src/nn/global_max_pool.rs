//! GlobalMaxPool — the greatest element of each plane; exact. A NaN is greater than every number (question
//! `max-pool-nan`); an empty plane has no greatest element and is an error. Version 22 only adds bf16.

use onnx_tensor::dispatch;

use super::global_pooling::reduce;
use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, Reading, op, v};
use crate::shared::extremum::{self, Extremum, NanOrder};

pub const OP: OpDef = op(
    "GlobalMaxPool",
    &[v(1, First, global_max_pool), v(22, TypesOnly, global_max_pool)],
);

fn global_max_pool(call: &Call<'_>) -> Result<Outputs, OpError> {
    let nan = if call.takes(Reading::MaxPoolNanIgnored) {
        NanOrder::Ignored
    } else {
        NanOrder::Extremum
    };
    dispatch!(float, call.dtype(0)?, T => reduce::<T>(call, |plane| match plane {
        [] => Err(OpError::undefined("the maximum of an empty plane")),
        plane => Ok(extremum::value(plane, Extremum::Max, nan)),
    }))
}
