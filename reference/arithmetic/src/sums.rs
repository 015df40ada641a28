//! Sums of f32 in f64.
//!
//! The order of a sum is that of its terms. Sums of rows that lie below each other are added side by side. A
//! single row is estimated by sums that are accumulated independently, with an error that also covers the
//! sum in order ([`crate::moments`]).

use crate::isa::vectorised;
use crate::moments::{Bounded, CHUNK, LANES, roundings};

/// What is added for each number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Term {
    /// The number.
    Itself,
    /// Its magnitude.
    Magnitude,
    /// Its square, which is exact.
    Square,
}

impl Term {
    /// The term of a number.
    #[inline(always)]
    pub fn of(self, x: f32) -> f64 {
        let x = f64::from(x);
        match self {
            Term::Itself => x,
            Term::Magnitude => x.abs(),
            Term::Square => x * x,
        }
    }

    /// The sum in order.
    pub fn sum(self, x: &[f32]) -> f64 {
        x.iter().fold(0.0, |sum, &x| sum + self.of(x))
    }

    /// An estimate of the sum.
    pub fn estimate(self, x: &[f32]) -> Bounded {
        let (mut sum, mut magnitude) = (0.0, 0.0);
        match self {
            Term::Itself => itself(x, &mut sum, &mut magnitude),
            Term::Magnitude => magnitudes(x, &mut sum),
            Term::Square => squares(x, &mut sum),
        }
        Bounded {
            value: sum,
            // The sum in order has a rounding for each term.
            error: (roundings(x.len()) + x.len() as f64 * f64::EPSILON) * magnitude.max(sum),
        }
    }

    /// Adds the terms of a row to sums, one for each number.
    pub fn add(self, x: &[f32], sums: &mut [f64]) {
        match self {
            Term::Itself => add_itself(x, sums),
            Term::Magnitude => add_magnitudes(x, sums),
            Term::Square => add_squares(x, sums),
        }
    }
}

/// The sums of `N` terms of each number.
#[inline(always)]
fn total<const N: usize>(x: &[f32], terms: impl Fn(f64) -> [f64; N]) -> [f64; N] {
    let mut total = [0.0; N];
    for x in x.chunks(CHUNK) {
        let mut sums = [[0.0; LANES]; N];
        let (whole, rest) = x.as_chunks::<LANES>();
        for x in whole {
            for lane in 0..LANES {
                let terms = terms(f64::from(x[lane]));
                for term in 0..N {
                    sums[term][lane] += terms[term];
                }
            }
        }
        for (lane, x) in rest.iter().enumerate() {
            let terms = terms(f64::from(*x));
            for term in 0..N {
                sums[term][lane] += terms[term];
            }
        }
        for term in 0..N {
            total[term] += sums[term].iter().sum::<f64>();
        }
    }
    total
}

vectorised! {
    fn itself(x: &[f32], sum: &mut f64, magnitude: &mut f64) {
        [*sum, *magnitude] = total(x, |x| [x, x.abs()]);
    }
    fn magnitudes(x: &[f32], sum: &mut f64) {
        [*sum] = total(x, |x| [x.abs()]);
    }
    fn squares(x: &[f32], sum: &mut f64) {
        [*sum] = total(x, |x| [x * x]);
    }
    fn add_itself(x: &[f32], sums: &mut [f64]) {
        sums.iter_mut().zip(x).for_each(|(sum, &x)| *sum += Term::Itself.of(x));
    }
    fn add_magnitudes(x: &[f32], sums: &mut [f64]) {
        sums.iter_mut().zip(x).for_each(|(sum, &x)| *sum += Term::Magnitude.of(x));
    }
    fn add_squares(x: &[f32], sums: &mut [f64]) {
        sums.iter_mut().zip(x).for_each(|(sum, &x)| *sum += Term::Square.of(x));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::on_each;

    #[test]
    fn estimates_are_near_the_sums_in_order() {
        for (seed, length) in [0, 1, 31, 33, 1000, 1025, 4099].into_iter().enumerate() {
            let mut state = seed as u64 + 7;
            let x: Vec<f32> = (0..length)
                .map(|_| {
                    state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
                    ((state >> 40) as f32 / (1_u32 << 23) as f32 - 0.9) * [1.0, 1e6, 1e-6][length % 3]
                })
                .collect();
            for term in [Term::Itself, Term::Magnitude, Term::Square] {
                let sum = term.sum(&x);
                for (estimate, added) in on_each(|| {
                    let mut added = vec![1.0; length];
                    term.add(&x, &mut added);
                    (term.estimate(&x), added)
                }) {
                    assert!(
                        (estimate.value - sum).abs() <= estimate.error,
                        "{term:?} of {length}"
                    );
                    let expected: Vec<f64> = x.iter().map(|&x| 1.0 + term.of(x)).collect();
                    assert_eq!(added, expected);
                }
            }
        }
    }
}
