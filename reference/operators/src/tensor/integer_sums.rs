//! Weighted sums of integers with rational weights: exact, and made integers once, at the end.
//!
//! The weights of a position are integers over one denominator, so that a sum is a sum of integers. It is
//! computed in 128 bits if the largest one fits, otherwise without a limit.

use ndarray::{ArrayD, Axis, IxDyn};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive};
use onnx_tensor::{Int, Tensor};

use super::resampling::AxisSamples;
use crate::frame::OpError;
use crate::shared::number;

/// How a sum becomes an integer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rounding {
    /// The fraction is dropped.
    TowardZero,
    /// The nearest integer; of two, the even one.
    Nearest,
}

impl Rounding {
    /// `numerator / denominator` as an element. A quotient outside of the type is its nearest end.
    pub(super) fn element<T: Int, W: Whole>(self, numerator: &W, denominator: &W) -> T {
        let whole = match self {
            Rounding::TowardZero => numerator.clone() / denominator.clone(),
            Rounding::Nearest => number::rounded(numerator, denominator),
        };
        let end = if whole < W::zero() { i128::MIN } else { i128::MAX };
        T::saturate_i128(whole.to_i128().unwrap_or(end))
    }

    fn constant<T: Int>(self, value: f32) -> T {
        let value = f64::from(value);
        T::from_f64(match self {
            Rounding::TowardZero => value,
            Rounding::Nearest => value.round_ties_even(),
        })
    }
}

/// The integers in which sums are computed.
pub(super) trait Whole: Integer + Clone + ToPrimitive + From<i128> {
    /// `value`, unless it does not fit.
    fn of(value: &BigInt) -> Option<Self>;
}

impl Whole for i128 {
    fn of(value: &BigInt) -> Option<Self> {
        value.to_i128()
    }
}

impl Whole for BigInt {
    fn of(value: &BigInt) -> Option<Self> {
        Some(value.clone())
    }
}

/// The samples of one position: their indices and the numerators of their weights, over one denominator.
#[derive(Clone, Debug)]
pub(super) struct Weights<W> {
    pub terms: Vec<(usize, W)>,
    pub denominator: W,
}

impl Weights<BigInt> {
    pub(super) fn new(samples: &[(usize, BigRational)]) -> Self {
        let denominator = samples
            .iter()
            .fold(BigInt::one(), |lcm, (_, weight)| lcm.lcm(weight.denom()));
        let term =
            |(at, weight): &(usize, BigRational)| (*at, weight.numer() * (&denominator / weight.denom()));
        Weights {
            terms: samples.iter().map(term).collect(),
            denominator,
        }
    }

    /// The bits that a weighted sum has more than its largest sample.
    pub(super) fn bits(&self) -> u64 {
        let magnitudes: BigInt = self.terms.iter().map(|(_, weight)| weight.abs()).sum();
        magnitudes.bits().max(self.denominator.bits())
    }

    pub(super) fn in_type<W: Whole>(&self) -> Option<Weights<W>> {
        let term = |(at, weight): &(usize, BigInt)| Some((*at, W::of(weight)?));
        Some(Weights {
            terms: self.terms.iter().map(term).collect::<Option<_>>()?,
            denominator: W::of(&self.denominator)?,
        })
    }
}

/// Whether sums with `bits` more than their samples fit into 128 bits with a sign.
pub(super) fn fit_i128<T: Int>(bits: u64) -> bool {
    bits.saturating_add(u64::from(T::BITS)) < 127
}

/// The weighted sums of `x` along each axis; the extrapolation value at positions without samples.
pub(super) fn along_axes<T: Int>(
    x: &Tensor,
    axes: &[AxisSamples<BigRational>],
    extrapolation: f32,
    rounding: Rounding,
) -> Result<Tensor, OpError> {
    let weights = |samples: &Option<Vec<_>>| Weights::new(samples.as_deref().unwrap_or_default());
    let axes_weights: Vec<Vec<Weights<BigInt>>> = axes
        .iter()
        .map(|axis| axis.iter().map(weights).collect())
        .collect();
    let most = |axis: &Vec<Weights<BigInt>>| axis.iter().map(Weights::bits).max().unwrap_or(0);
    let bits = axes_weights.iter().map(most).fold(0, u64::saturating_add);
    let elements: Vec<T> = if fit_i128::<T>(bits) {
        sums::<T, i128>(x, &axes_weights, rounding)?
    } else {
        sums::<T, BigInt>(x, &axes_weights, rounding)?
    };
    let shape: Vec<usize> = axes.iter().map(Vec::len).collect();
    let mut result = ArrayD::from_shape_vec(IxDyn(&shape), elements)?;
    for (axis, samples) in axes.iter().enumerate() {
        let outside = samples
            .iter()
            .enumerate()
            .filter(|(_, samples)| samples.is_none());
        for (at, _) in outside {
            result
                .index_axis_mut(Axis(axis), at)
                .fill(rounding.constant(extrapolation));
        }
    }
    Ok(Tensor::from(result))
}

fn sums<T: Int, W: Whole>(
    x: &Tensor,
    axes: &[Vec<Weights<BigInt>>],
    rounding: Rounding,
) -> Result<Vec<T>, OpError> {
    let mut data: Vec<W> = x
        .array::<T>()?
        .iter()
        .map(|&value| W::from(value.to_i128()))
        .collect();
    let mut denominators = vec![W::one()];
    let mut shape = x.shape().to_vec();
    for (axis, weights) in axes.iter().enumerate() {
        let weights: Option<Vec<Weights<W>>> = weights.iter().map(Weights::in_type).collect();
        let weights = weights.ok_or_else(|| OpError::invalid("a weight does not fit into 128 bits"))?;
        data = along(&data, &shape, axis, &weights);
        shape[axis] = weights.len();
        let each = |outer: &W| -> Vec<W> {
            let product = |weights: &Weights<W>| outer.clone() * weights.denominator.clone();
            weights.iter().map(product).collect()
        };
        denominators = denominators.iter().flat_map(each).collect();
    }
    let quotients = data.iter().zip(&denominators);
    Ok(quotients
        .map(|(numerator, denominator)| rounding.element(numerator, denominator))
        .collect())
}

/// The numerators of the weighted sums along one axis of row-major `data`.
fn along<W: Whole>(data: &[W], shape: &[usize], axis: usize, weights: &[Weights<W>]) -> Vec<W> {
    let inner: usize = shape[axis + 1..].iter().product();
    let block = shape[axis] * inner;
    let mut result = Vec::with_capacity(data.len() / shape[axis] * weights.len());
    for block in data.chunks_exact(block) {
        for Weights { terms, .. } in weights {
            let begin = result.len();
            result.resize(begin + inner, W::zero());
            for (at, weight) in terms {
                let source = &block[at * inner..(at + 1) * inner];
                for (sum, value) in result[begin..].iter_mut().zip(source) {
                    *sum = sum.clone() + weight.clone() * value.clone();
                }
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn third(numerator: i64) -> BigRational {
        BigRational::new(numerator.into(), 3.into())
    }

    /// 1/3 · 3 + 2/3 · 6 = 5 and 1/3 · 4 + 2/3 · 6 = 5⅓; halves go to the even integer.
    #[test]
    fn sums_are_rounded_once() {
        let axis: AxisSamples<BigRational> = vec![Some(vec![(0, third(1)), (1, third(2))])];
        for ([a, b], toward_zero, nearest) in
            [([3, 6], 5, 5), ([4, 6], 5, 5), ([5, 6], 5, 6), ([-5, -6], -5, -6)]
        {
            let x = Tensor::vector(vec![a, b]);
            for (rounding, expected) in [(Rounding::TowardZero, toward_zero), (Rounding::Nearest, nearest)] {
                let axes = std::slice::from_ref(&axis);
                let result = along_axes::<i32>(&x, axes, 0.0, rounding).unwrap();
                assert_eq!(
                    result.to_vec::<i32>().unwrap(),
                    [expected],
                    "{a} {b} {rounding:?}"
                );
            }
        }
    }

    /// Sums beyond 128 bits have the same quotients.
    #[test]
    fn large_weights() {
        let tiny = BigRational::new(1.into(), BigInt::one() << 200);
        let rest = BigRational::from_integer(1.into()) - &tiny;
        let axis: AxisSamples<BigRational> = vec![Some(vec![(0, rest), (1, tiny)])];
        for ([a, b], expected) in [([7, 7], 7), ([7, 6], 6), ([i64::MIN, i64::MIN], i64::MIN)] {
            let x = Tensor::vector(vec![a, b]);
            let result =
                along_axes::<i64>(&x, std::slice::from_ref(&axis), 0.0, Rounding::TowardZero).unwrap();
            assert_eq!(result.to_vec::<i64>().unwrap(), [expected]);
        }
    }
}
