//! GlobalLpPool — the Lp norm of each plane. Precision: `lp_norm.rs`.
//!
//! Versions: p is a float in 1 and an integer from 2 on; 22 only added bf16. Version 1 names the result N × C × 1 × 1, which
//! is its form for images; other ranks keep theirs, as the later text says.

use onnx_tensor::{Float, dispatch};

use super::global_pooling::reduce;
use super::lp_norm::LpNorm;
use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};

pub const OP: OpDef = op(
    "GlobalLpPool",
    &[
        v(1, First, |call| global_lp_pool(call, f64::from(call.float("p")?))),
        v(2, Semantics, |call| global_lp_pool(call, call.int("p")? as f64)),
        v(22, TypesOnly, |call| global_lp_pool(call, call.int("p")? as f64)),
    ],
);

fn global_lp_pool(call: &Call<'_>, p: f64) -> Result<Outputs, OpError> {
    let empty = LpNorm::new(p)?;
    dispatch!(float, call.dtype(0)?, T => reduce::<T>(call, |plane| Ok(norm(empty, plane))))
}

fn norm<T: Float>(mut norm: LpNorm, plane: &[T]) -> T {
    plane.iter().for_each(|&x| norm.add(x.to_f64()));
    T::from_f64(norm.finish())
}
