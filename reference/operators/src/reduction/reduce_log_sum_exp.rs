//! ReduceLogSumExp — the logarithm of sums of exponentials; −Inf for an empty set, which is an error for
//! integers.
//!
//! Evaluated in f64 as max + ln(1 + Σ e^(x − max)), with the sum over the other elements: there is no
//! overflow, and small terms are not lost.

use onnx_tensor::element::CompensatedSum;
use onnx_tensor::{Accumulator, Real, dispatch};

use super::reduce::Axes::{self, Attribute, Input};
use super::reduce::{reduce, truncated};
use crate::frame::Change::{First, Semantics, TypesOnly, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};

pub const OP: OpDef = op(
    "ReduceLogSumExp",
    &[
        v(1, First, |call| reduce_log_sum_exp(call, Attribute)),
        v(11, Wording, |call| reduce_log_sum_exp(call, Attribute)),
        v(13, TypesOnly, |call| reduce_log_sum_exp(call, Attribute)),
        v(18, Semantics, |call| reduce_log_sum_exp(call, Input)),
        v(28, TypesOnly, |call| reduce_log_sum_exp(call, Input)),
    ],
);

fn reduce_log_sum_exp(call: &Call<'_>, axes: Axes) -> Result<Outputs, OpError> {
    dispatch!(real, call.dtype(0)?, T => reduce(call, axes, |set: &[T]| truncated::<T>(log_sum_exp(set))))
}

fn log_sum_exp<T: Real>(set: &[T]) -> f64 {
    let greatest = set
        .iter()
        .map(|x| x.to_f64())
        .fold(f64::NEG_INFINITY, <f64 as Real>::max);
    if !greatest.is_finite() {
        return greatest;
    }
    let mut others = CompensatedSum::default();
    set.iter()
        .for_each(|x| others.add(libm::exp(x.to_f64() - greatest)));
    others.add(-1.0);
    greatest + libm::log1p(others.finish())
}
