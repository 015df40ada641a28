//! GlobalAveragePool — the mean of each plane.
//!
//! The sum in f64 (double-double for f64), divided in f64, rounded once (f64: within 2 ULP). The mean of an
//! empty plane is 0 / 0, NaN. Version 22 only adds bf16.

use onnx_tensor::{Accumulator, DType, Float, dispatch};

use super::global_pooling::reduce;
use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::sums;

pub const OP: OpDef = op(
    "GlobalAveragePool",
    &[
        v(1, First, global_average_pool),
        v(22, TypesOnly, global_average_pool),
    ],
);

fn global_average_pool(call: &Call<'_>) -> Result<Outputs, OpError> {
    if call.dtype(0)? == DType::Float {
        return reduce::<f32>(call, |plane| Ok(sums::mean(plane)));
    }
    dispatch!(float, call.dtype(0)?, T => reduce::<T>(call, |plane| Ok(mean(plane))))
}

fn mean<T: Float>(plane: &[T]) -> T {
    let mut sum = T::Acc::default();
    plane.iter().for_each(|&x| sum.add(x));
    T::from_f64(sum.to_f64() / plane.len() as f64)
}
