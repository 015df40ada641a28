//! Functions of real numbers, rounded to f32 where an estimate decides.
//!
//! Ziv's strategy (A. Ziv, "Fast evaluation of elementary mathematical functions with correctly rounded last
//! bit", 1991): an estimate in f64 has an error that is known. If all numbers within that error round to
//! the same f32, so do the exact value and every other estimate of it with an error as small. The remaining
//! arguments, about one in a million, are left to the caller.

mod activation;
mod elementary;
#[cfg(test)]
mod tests;

use crate::isa::vectorised;
use crate::threads;

use activation::Estimate;

/// A function of one number. Coefficients are not rounded.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Function {
    /// eˣ.
    Exp,
    /// ln x.
    Log,
    /// 1 / (1 + e⁻ˣ).
    Sigmoid,
    /// The hyperbolic tangent.
    Tanh,
    /// The error function.
    Erf,
    /// x/2 · (1 + erf(x / √2)).
    Gelu,
    /// x · σ(a), where a = `scale` · (x + `cubic` · x · x · x) in f64.
    GeluTanh {
        /// 2 √(2/π).
        scale: f64,
        /// 0.044715.
        cubic: f64,
    },
    /// ln (1 + eˣ).
    Softplus,
    /// gamma · alpha · (eˣ − 1) below 0, else gamma · x; the product of gamma is rounded to f64.
    Elu {
        /// The limit at −∞.
        alpha: f64,
        /// The factor.
        gamma: f64,
    },
    /// x · tanh(ln(1 + eˣ)).
    Mish,
    /// x · σ(`alpha` · x), where the argument is rounded to f64.
    Swish {
        /// The factor of the argument.
        alpha: f64,
    },
    Sin,
    /// The cosine.
    Cos,
    /// The greatest integer that is not above x.
    Floor,
    /// The least integer that is not below x.
    Ceil,
    /// The nearest integer, ties to even.
    Round,
    /// x².
    Square,
    /// The square root.
    Sqrt,
    /// 1 / x.
    Reciprocal,
    /// x / (1 + |x|).
    Softsign,
    /// max(0, min(1, `alpha` · x + `beta`)), with one rounding before it is clamped.
    HardSigmoid {
        /// The slope.
        alpha: f64,
        /// The value at 0.
        beta: f64,
    },
    /// x · max(0, min(1, x / 6 + 1 / 2)).
    HardSwish,
    /// `alpha` · x below 0, else x.
    LeakyRelu {
        /// The slope below 0.
        alpha: f64,
    },
}

/// Elements that are evaluated before undecided ones are looked for.
const CHUNK: usize = 128;

/// Writes f(x), rounded to nearest, for each element that the estimate decides, and returns the places of
/// the others in ascending order. Both slices have the same length.
pub fn evaluate(function: Function, x: &[f32], y: &mut [f32]) -> Vec<usize> {
    let parts = threads::parts(x.len().saturating_mul(COST));
    let length = x.len().div_ceil(parts).next_multiple_of(CHUNK);
    let pairs = x.chunks(length.max(1)).zip(y.chunks_mut(length.max(1)));
    let mut shares: Vec<Share<'_>> = pairs
        .enumerate()
        .map(|(index, (x, y))| Share {
            first: index * length,
            x,
            y,
            undecided: Vec::new(),
        })
        .collect();
    threads::for_each(
        shares.iter_mut(),
        parts,
        || (),
        |(), share| activation::on(function, share.x, share.y, &mut share.undecided),
    );
    let places = |share: Share<'_>| share.undecided.into_iter().map(move |place| share.first + place);
    shares.into_iter().flat_map(places).collect()
}

/// The elements of one thread.
struct Share<'a> {
    first: usize,
    x: &'a [f32],
    y: &'a mut [f32],
    undecided: Vec<usize>,
}

/// Operations of one element.
const COST: usize = 16;

/// Evaluates `estimate` on each element.
#[inline(always)]
fn decide(x: &[f32], y: &mut [f32], undecided: &mut Vec<usize>, estimate: impl Fn(f64) -> Estimate) {
    for (index, (x, y)) in x.chunks(CHUNK).zip(y.chunks_mut(CHUNK)).enumerate() {
        let mut open = [0_u32; CHUNK];
        let mut any = 0;
        for ((x, y), open) in x.iter().zip(&mut *y).zip(&mut open) {
            let Estimate { value, error } = estimate(f64::from(*x));
            let (low, high) = ((value - error) as f32, (value + error) as f32);
            *y = value as f32;
            // NaN, the infinities and −0 are left to the caller.
            *open = u32::from(low != high || !x.is_finite() || x.to_bits() == 1 << 31);
            any |= *open;
        }
        if any != 0 {
            let places = open[..x.len()].iter().enumerate().filter(|(_, open)| **open != 0);
            undecided.extend(places.map(|(place, _)| index * CHUNK + place));
        }
    }
}

vectorised! {
    /// Writes eˣ / Σ eˣ of a row, rounded to f32; false if the estimate does not decide each of them. `wide`
    /// is as long as the row.
    pub fn softmax(x: &[f32], y: &mut [f32], wide: &mut [f64]) -> bool {
        let greatest = x.iter().fold(f32::NEG_INFINITY, |greatest, &x| if x > greatest { x } else { greatest });
        let greatest = f64::from(greatest);
        for (wide, &x) in wide.iter_mut().zip(x) {
            let x = f64::from(x) - greatest;
            // Far below the greatest the result is 0, also if it is −∞. A NaN stays.
            *wide = elementary::exp(x.clamp(-FAR, 0.0));
        }
        let mut sums = [0.0; 16];
        let (whole, rest) = wide.as_chunks::<16>();
        for wide in whole {
            (0..16).for_each(|lane| sums[lane] += wide[lane]);
        }
        let sum = sums.iter().sum::<f64>() + rest.iter().sum::<f64>();
        let error = (x.len() + 64) as f64 * f64::EPSILON + 1.0 / (1_u64 << 47) as f64;
        let mut open = u32::from(!greatest.is_finite());
        for (y, wide) in y.iter_mut().zip(wide) {
            let value = *wide / sum;
            *y = value as f32;
            open |= u32::from((value - value * error) as f32 != (value + value * error) as f32);
        }
        open == 0
    }
}

/// Below e^−200 all is 0 in f32.
const FAR: f64 = 200.0;
