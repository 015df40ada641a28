//! ReduceLogSumExp — the logarithm of sums of exponentials; −Inf for an empty set, which is an error for
//! integers.
//!
//! Evaluated in f64 as max + ln(1 + Σ e^(x − max)), with the sum over the other elements: there is no
//! overflow, and small terms are not lost. The function body computes the exponentials and their sum in the
//! type of the data (question `exponentials`). For integers the exact value is truncated.

use onnx_tensor::element::CompensatedSum;
use onnx_tensor::{Accumulator, Int, Real, dispatch};

use super::reduce::Axes::{self, Attribute, Input};
use super::reduce::reduce;
use crate::frame::Change::{First, Semantics, TypesOnly, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, Reading, op, v};
use crate::shared::wide::Wide;

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
    let dtype = call.dtype(0)?;
    if dtype.is_float() && call.takes(Reading::ExponentialsTyped) {
        dispatch!(float, dtype, T => reduce(call, axes, |set: &[T]| Ok(log_of_sum(set))))
    } else if dtype.is_float() {
        dispatch!(float, dtype, T => reduce(call, axes, |set: &[T]| Ok(T::from_f64(log_sum_exp(set)))))
    } else {
        dispatch!(int, dtype, T => reduce(call, axes, log_sum_exp_of_integers::<T>))
    }
}

/// max + ln Σ e^(x − max), truncated. The logarithm is 0 for one element, otherwise positive and, by the
/// theorem of Lindemann and Weierstrass, not an integer.
fn log_sum_exp_of_integers<T: Int>(set: &[T]) -> Result<T, OpError> {
    let undefined = || OpError::undefined(format!("the logarithm of 0 as {}", T::DTYPE));
    let greatest = set.iter().max().ok_or_else(undefined)?.to_i128();
    if set.len() == 1 {
        return Ok(set[0]);
    }
    let distances = || set.iter().map(|x| (x.to_i128() - greatest) as f64);
    let mut sum = CompensatedSum::default();
    distances().for_each(|distance| sum.add(libm::exp(distance)));
    let approximation = libm::log(sum.finish());
    let floor = if approximation < 0.5 {
        0
    } else {
        Wide::new()?
            .floor(approximation, |wide| {
                let mut sum = Wide::number(0.0);
                for distance in distances() {
                    sum = Wide::add(&sum, &wide.exp(&Wide::number(distance)));
                }
                wide.ln(&sum)
            })
            .ok_or_else(undefined)?
    };
    let below = greatest + floor;
    Ok(T::saturate_i128(if below < 0 { below + 1 } else { below }))
}

/// The infinity that a sum of exponentials beyond the range of T leaves, else the value.
fn log_of_sum<T: Real>(set: &[T]) -> T {
    let mut sum = CompensatedSum::default();
    set.iter()
        .for_each(|x| sum.add(T::from_f64(libm::exp(x.to_f64())).to_f64()));
    let sum = T::from_f64(sum.finish()).to_f64();
    T::from_f64(if sum == 0.0 || sum.is_infinite() {
        libm::log(sum)
    } else {
        log_sum_exp(set)
    })
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

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::exact;

    /// −100 + ln(1 + e⁻¹⁰⁰) is above −100 by less than f64 resolves, so that it truncates to −99.
    #[test]
    fn integers_truncate_the_exact_value() {
        let cases: [(&[i64], i64); 5] = [
            (&[-100, -200], -99),
            (&[100, 0], 100),
            (&[-100], -100),
            (&[3, 4], 4),
            (&[-1, -1, -1], 0),
        ];
        for (set, expected) in cases {
            let x = [Tensor::vector(set.to_vec())];
            exact(
                ("", "ReduceLogSumExp", 1),
                &x,
                &[],
                &[Tensor::vector(vec![expected])],
            );
        }
    }
}
