//! GlobalMaxPool — the greatest element of each plane; exact. A NaN is greater than every number; an empty
//! plane has no greatest element and is an error. Version 22 only adds bf16.

use onnx_tensor::{Real, dispatch};

use super::global_pooling::reduce;
use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};

pub const OP: OpDef = op(
    "GlobalMaxPool",
    &[v(1, First, global_max_pool), v(22, TypesOnly, global_max_pool)],
);

fn global_max_pool(call: &Call<'_>) -> Result<Outputs, OpError> {
    dispatch!(float, call.dtype(0)?, T => reduce::<T>(call, greatest))
}

fn greatest<T: Real>(plane: &[T]) -> Result<T, OpError> {
    plane
        .iter()
        .copied()
        .reduce(T::max)
        .ok_or_else(|| OpError::undefined("the maximum of an empty plane"))
}
