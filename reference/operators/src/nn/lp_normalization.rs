//! LpNormalization — each lane along `axis` divided by its Lp norm, p being 1 or 2; a lane of zeros stays zero.
//!
//! Precision: that of `lp_norm.rs`, divided in f64, rounded once. Version 22 only added bf16.

use onnx_tensor::{Float, Tensor, dispatch};

use super::lp_norm::LpNorm;
use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::{axes, lanes};

pub const OP: OpDef = op(
    "LpNormalization",
    &[v(1, First, lp_normalization), v(22, TypesOnly, lp_normalization)],
);

fn lp_normalization(call: &Call<'_>) -> Result<Outputs, OpError> {
    dispatch!(float, call.dtype(0)?, T => typed::<T>(call))
}

fn typed<T: Float>(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = call.array::<T>(0)?;
    let axis = axes::axis(call.int("axis")?, x.ndim())?;
    let empty = match call.int("p")? {
        p @ (1 | 2) => LpNorm::new(p as f64)?,
        p => {
            return Err(OpError::invalid(format!(
                "`p` is {p}; only 1 and 2 are supported"
            )));
        }
    };
    one(Tensor::from(lanes::along(
        x,
        axis,
        x.shape()[axis],
        |from, to| normalise(empty, from, to),
    )))
}

fn normalise<T: Float>(mut norm: LpNorm, from: &[T], to: &mut [T]) {
    from.iter().for_each(|&x| norm.add(x.to_f64()));
    let norm = norm.finish();
    for (&x, y) in from.iter().zip(to) {
        *y = if norm == 0.0 {
            T::ZERO
        } else {
            T::from_f64(x.to_f64() / norm)
        };
    }
}
