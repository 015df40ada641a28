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
    /// |x| to the power `exponent`, which is finite; below 0 times `negative`, NaN if there is no such power.
    Power {
        /// The exponent.
        exponent: f64,
        /// 1 for an even exponent, −1 for an odd one.
        negative: f64,
    },
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

vectorised! {
    /// Writes x − ln Σ eˣ of a row, rounded to f32; false if the estimate does not decide each of them.
    pub fn log_softmax(x: &[f32], y: &mut [f32]) -> bool {
        let greatest = x.iter().fold(f32::NEG_INFINITY, |greatest, &x| if x > greatest { x } else { greatest });
        let greatest = f64::from(greatest);
        let mut sums = [0.0; 16];
        let (whole, rest) = x.as_chunks::<16>();
        for x in whole {
            (0..16).for_each(|lane| sums[lane] += elementary::exp((f64::from(x[lane]) - greatest).clamp(-FAR, 0.0)));
        }
        for (sum, x) in sums.iter_mut().zip(rest) {
            *sum += elementary::exp((f64::from(*x) - greatest).clamp(-FAR, 0.0));
        }
        let log = elementary::ln(sums.iter().sum());
        // The sum is at least 1, and the error of its logarithm is the relative error of the sum.
        let error = (x.len() + 64) as f64 * f64::EPSILON + (1.0 + log) / (1_u64 << 47) as f64;
        let mut open = u32::from(!greatest.is_finite());
        for (y, &x) in y.iter_mut().zip(x) {
            let value = f64::from(x) - greatest - log;
            let error = error + value.abs() * f64::EPSILON;
            *y = value as f32;
            open |= u32::from((value - error) as f32 != (value + error) as f32);
        }
        open == 0
    }
}

/// Writes eˣ / Σ eˣ of a row, and returns the greatest relative error of weights that are not below e^−200 of
/// the greatest.
pub fn weights(x: &[f64], y: &mut [f64]) -> f64 {
    exponentials(x, y);
    (x.len() + 64) as f64 * f64::EPSILON + 1.0 / (1_u64 << 47) as f64
}

vectorised! {
    fn exponentials(x: &[f64], y: &mut [f64]) {
        let mut lanes = [f64::NEG_INFINITY; 16];
        let (whole, rest) = x.as_chunks::<16>();
        for x in whole {
            (0..16).for_each(|lane| lanes[lane] = if x[lane] > lanes[lane] { x[lane] } else { lanes[lane] });
        }
        let greatest = lanes.iter().chain(rest).fold(f64::NEG_INFINITY, |most, &x| if x > most { x } else { most });
        for (y, &x) in y.iter_mut().zip(x) {
            *y = elementary::exp((x - greatest).clamp(-FAR, 0.0));
        }
        let mut sums = [0.0; 16];
        let (whole, rest) = y.as_chunks::<16>();
        for y in whole {
            (0..16).for_each(|lane| sums[lane] += y[lane]);
        }
        let sum = sums.iter().sum::<f64>() + rest.iter().sum::<f64>();
        y.iter_mut().for_each(|y| *y /= sum);
    }
}

/// eˣ of a number that is not positive, and 0 of one below −200.
#[inline(always)]
pub(crate) fn exponential(x: f64) -> f64 {
    let power = elementary::exp(x.clamp(-FAR, 0.0));
    if x < -FAR { 0.0 } else { power }
}

/// Below e^−200 all is 0 in f32.
const FAR: f64 = 200.0;
