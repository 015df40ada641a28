//! ReduceLogSum — the logarithm of sums; −Inf for an empty set, which is an error for integers.
//!
//! Floats: evaluated in f64, rounded once. The logarithm of an integer is truncated from its exact value.

use onnx_tensor::{Accumulator, Float, Int, dispatch};

use super::reduce::Axes::{self, Attribute, Input};
use super::reduce::{accumulate, reduce};
use crate::frame::Change::{First, Semantics, TypesOnly, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::wide::Wide;

pub const OP: OpDef = op(
    "ReduceLogSum",
    &[
        v(1, First, |call| reduce_log_sum(call, Attribute)),
        v(11, Wording, |call| reduce_log_sum(call, Attribute)),
        v(13, TypesOnly, |call| reduce_log_sum(call, Attribute)),
        v(18, Semantics, |call| reduce_log_sum(call, Input)),
        v(28, TypesOnly, |call| reduce_log_sum(call, Input)),
    ],
);

fn reduce_log_sum(call: &Call<'_>, axes: Axes) -> Result<Outputs, OpError> {
    let dtype = call.dtype(0)?;
    if dtype.is_float() {
        dispatch!(float, dtype, T => reduce(call, axes, |set: &[T]| Ok(log_sum_of_floats(set))))
    } else {
        dispatch!(int, dtype, T => reduce(call, axes, log_sum_of_integers::<T>))
    }
}

fn log_sum_of_floats<T: Float>(set: &[T]) -> T {
    let sum = accumulate(set, |sum, x| sum.add(x));
    T::from_f64(libm::log(Accumulator::<T>::to_f64(sum)))
}

fn log_sum_of_integers<T: Int>(set: &[T]) -> Result<T, OpError> {
    // The sum wraps in its type.
    let sum = set.iter().fold(T::ZERO, |sum, &x| sum.add(x)).to_i128();
    let undefined = || OpError::undefined(format!("the logarithm of {sum} as {}", T::DTYPE));
    match sum {
        ..1 => Err(undefined()),
        1 => Ok(T::ZERO),
        // No other integer has an integer as its logarithm, and all are positive.
        _ => Wide::new()?
            .floor(libm::log(sum as f64), |wide| wide.ln(&Wide::integer(sum)))
            .map(T::wrap_i128)
            .ok_or_else(undefined),
    }
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::exact;

    /// e⁴³ lies between the two sums, whose logarithms are 43 in f64.
    #[test]
    fn logarithms_next_to_an_integer() {
        for (n, expected) in [
            (4_727_839_468_229_346_561_i64, 42_i64),
            (4_727_839_468_229_346_562, 43),
        ] {
            let x = [Tensor::vector(vec![n - 5, 5])];
            exact(
                ("", "ReduceLogSum", 1),
                &x,
                &[],
                &[Tensor::vector(vec![expected])],
            );
        }
    }
}
