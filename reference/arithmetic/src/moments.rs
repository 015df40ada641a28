//! Means, variances and what is normalised by them, where an estimate decides the rounded result.
//!
//! A sum consists of those of [`CHUNK`] numbers each, which consist of [`LANES`] that are accumulated
//! independently, so that each number is added at most CHUNK/LANES + LANES times, and once for each chunk
//! behind its own. The errors below also cover an evaluation with
//! exact sums, whose mean and variance are rounded to f64.

use crate::isa::vectorised;

/// The number of independent sums.
pub(crate) const LANES: usize = 32;

/// The numbers that are added up before they are added to the sum.
pub(crate) const CHUNK: usize = 1024;

/// The unit roundoff of f64.
const UNIT: f64 = f64::EPSILON / 2.0;

/// A number in f64 and the greatest distance of the other evaluations.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bounded {
    /// The number.
    pub value: f64,
    /// The distance.
    pub error: f64,
}

impl Bounded {
    /// The number to which all within the error are rounded, if there is only one.
    pub fn rounded(self) -> Option<f32> {
        let (low, high) = ((self.value - self.error) as f32, (self.value + self.error) as f32);
        (low.to_bits() == high.to_bits()).then_some(low)
    }

    /// The quotient by an exact divisor.
    #[must_use]
    pub fn over(self, divisor: f64) -> Bounded {
        let value = self.value / divisor;
        Bounded {
            value,
            error: self.error / divisor.abs() + value.abs() * f64::EPSILON,
        }
    }

    /// The product with an exact factor.
    #[must_use]
    pub fn times(self, factor: f64) -> Bounded {
        let value = self.value * factor;
        Bounded {
            value,
            error: self.error * factor.abs() + value.abs() * UNIT,
        }
    }
}

/// The mean of a row and the mean square of the distances from it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Moments {
    /// The mean; 0 if the distances are those from 0.
    pub mean: Bounded,
    /// The mean square.
    pub square: Bounded,
}

/// The roundings of a sum of `count` numbers, and a few more.
pub(crate) fn roundings(count: usize) -> f64 {
    (count.min(CHUNK) / LANES + LANES + count / CHUNK + 16) as f64 * UNIT
}

impl Moments {
    /// The mean and the variance of a row.
    pub fn centred(x: &[f32]) -> Moments {
        let (count, (mut sum, mut magnitude)) = (x.len() as f64, (0.0, 0.0));
        sums(x, &mut sum, &mut magnitude);
        let mean = sum / count;
        let error = roundings(x.len()) * (magnitude / count) + UNIT * mean.abs();
        let mut square = 0.0;
        squares(x, mean, &mut square);
        let variance = square / count;
        // With d for the distance of the means, the sum of squares differs by n·d² and, since the exact
        // distances nearly cancel, by 2·d times their sum, which the rounding of the mean leaves.
        let apart = error * error + 2.0 * error * UNIT * (mean.abs() + variance.sqrt());
        Moments {
            mean: Bounded { value: mean, error },
            square: Bounded {
                value: variance,
                error: variance * roundings(x.len()) + apart,
            },
        }
    }

    /// The mean square of a row.
    pub fn about_zero(x: &[f32]) -> Moments {
        let mut square = 0.0;
        squares(x, 0.0, &mut square);
        let value = square / x.len() as f64;
        Moments {
            mean: Bounded {
                value: 0.0,
                error: 0.0,
            },
            square: Bounded {
                value,
                error: value * roundings(x.len()),
            },
        }
    }

    /// 1 / √(mean square + `epsilon`).
    pub fn inverse_deviation(&self, epsilon: f64) -> Bounded {
        let sum = self.square.value + epsilon;
        let value = sum.sqrt().recip();
        Bounded {
            value,
            error: value * (self.square.error / sum + 8.0 * UNIT),
        }
    }

    /// Writes (x − mean) · `factor`, rounded to f32; false if the estimate does not decide each of them.
    pub fn normalise(&self, factor: Bounded, x: &[f32], y: &mut [f32]) -> bool {
        self.affine(factor, None, x, y)
    }

    /// Writes (x − mean) · `factor` + `bias`, rounded to f32; false if the estimate does not decide each of
    /// them.
    pub fn affine(&self, factor: Bounded, bias: Option<f64>, x: &[f32], y: &mut [f32]) -> bool {
        let shift = self.mean.error * factor.value.abs();
        let relative = factor.error / factor.value.abs() + 4.0 * UNIT;
        let bias = bias.unwrap_or(-0.0);
        let parameters = [self.mean.value, factor.value, bias, shift, relative];
        // An error that is not a number decides nothing.
        shift.is_finite() && relative.is_finite() && affine(x, &parameters, y)
    }
}

vectorised! {
    fn sums(x: &[f32], sum: &mut f64, magnitude: &mut f64) {
        for x in x.chunks(CHUNK) {
            let (mut sums, mut magnitudes) = ([0.0; LANES], [0.0; LANES]);
            let (whole, rest) = x.as_chunks::<LANES>();
            for x in whole {
                for lane in 0..LANES {
                    sums[lane] += f64::from(x[lane]);
                    magnitudes[lane] += f64::from(x[lane].abs());
                }
            }
            for (lane, x) in rest.iter().enumerate() {
                sums[lane] += f64::from(*x);
                magnitudes[lane] += f64::from(x.abs());
            }
            *sum += sums.iter().sum::<f64>();
            *magnitude += magnitudes.iter().sum::<f64>();
        }
    }

    fn squares(x: &[f32], mean: f64, square: &mut f64) {
        for x in x.chunks(CHUNK) {
            let mut sums = [0.0; LANES];
            let (whole, rest) = x.as_chunks::<LANES>();
            for x in whole {
                for lane in 0..LANES {
                    let distance = f64::from(x[lane]) - mean;
                    sums[lane] = distance.mul_add(distance, sums[lane]);
                }
            }
            for (lane, x) in rest.iter().enumerate() {
                let distance = f64::from(*x) - mean;
                sums[lane] = distance.mul_add(distance, sums[lane]);
            }
            *square += sums.iter().sum::<f64>();
        }
    }

    fn affine(x: &[f32], parameters: &[f64; 5], y: &mut [f32]) -> bool {
        let [mean, factor, bias, shift, relative] = *parameters;
        let mut open = 0_u32;
        for (y, x) in y.iter_mut().zip(x) {
            let scaled = (f64::from(*x) - mean) * factor;
            let value = scaled + bias;
            let error = shift + relative * (scaled.abs() + value.abs());
            *y = value as f32;
            // A zero of another sign is another number.
            open |= ((value - error) as f32).to_bits() ^ ((value + error) as f32).to_bits();
        }
        open == 0
    }

    /// Writes n · `scale` + `bias` in f64, rounded to f32, for each row of `scale.len()` elements.
    pub fn scale_rows(normalised: &mut [f32], scale: &[f32], bias: &[f32]) {
        for row in normalised.chunks_mut(scale.len().max(1)) {
            for ((y, scale), bias) in row.iter_mut().zip(scale).zip(bias) {
                *y = (f64::from(*y) * f64::from(*scale) + f64::from(*bias)) as f32;
            }
        }
    }

    /// Replaces n by n · `scale` + `bias` in f64, rounded to f32.
    pub fn scale(normalised: &mut [f32], scale: f64, bias: f64) {
        for y in normalised {
            *y = (f64::from(*y) * scale + bias) as f32;
        }
    }

    /// Writes (x − `mean`) · `factor` + `bias` in f64, rounded to f32.
    pub fn shift_and_scale(x: &[f32], mean: f64, factor: f64, bias: f64, y: &mut [f32]) {
        for (y, x) in y.iter_mut().zip(x) {
            *y = ((f64::from(*x) - mean) * factor + bias) as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::on_each;
    use crate::product::compensated::{self, Sum};

    /// The mean and the mean square of the distances in double-double, as the formula has them.
    fn exact(x: &[f32], centred: bool) -> (f64, f64) {
        let sum = |values: &mut dyn Iterator<Item = (f64, f64)>| {
            let [high, low]: Sum = values.fold([0.0, 0.0], |[mut high, mut low], (a, b)| {
                compensated::push(a, b, &mut high, &mut low);
                [high, low]
            });
            high + low
        };
        let count = x.len() as f64;
        let mean = if centred {
            sum(&mut x.iter().map(|&x| (f64::from(x), 1.0))) / count
        } else {
            0.0
        };
        let distances = x.iter().map(|&x| f64::from(x) - mean);
        (mean, sum(&mut distances.map(|x| (x, x))) / count)
    }

    /// Rows of ordinary numbers, and of numbers with a common offset that is large beside their deviation.
    fn row(seed: u32) -> Vec<f32> {
        let offset = [0.0, 100.0, 1e6, -1e30][(seed % 4) as usize];
        let scale = [1.0, 1e-3, 1e20][(seed % 3) as usize];
        let number = |at: u32| ((at * 7919 + seed * 104_729) % 1009) as f32 / 500.0 - 1.0;
        let long = if seed % 10 == 9 { 3000 } else { 0 };
        (0..20 + seed * 3 + long)
            .map(|at| offset + scale * number(at))
            .collect()
    }

    #[test]
    fn errors_cover_the_exact_moments_and_decided_rows_are_those_of_the_formula() {
        let mut decided = 0;
        for (seed, centred) in (0..120).flat_map(|seed| [(seed, true), (seed, false)]) {
            let x = row(seed);
            let (mean, square) = exact(&x, centred);
            let factor = 1.5 * (square + 1e-5).sqrt().recip();
            for (moments, y, all) in on_each(|| {
                let moments = if centred {
                    Moments::centred(&x)
                } else {
                    Moments::about_zero(&x)
                };
                let mut y = vec![0.0; x.len()];
                let factor = moments.inverse_deviation(1e-5).times(1.5);
                let all = moments.affine(factor, Some(0.25), &x, &mut y);
                (moments, y, all)
            }) {
                assert!(
                    (moments.mean.value - mean).abs() <= moments.mean.error,
                    "mean of row {seed}"
                );
                assert!(
                    (moments.square.value - square).abs() <= moments.square.error,
                    "square of row {seed}"
                );
                let expected = x.iter().map(|&x| ((f64::from(x) - mean) * factor + 0.25) as f32);
                let same = y
                    .iter()
                    .zip(expected)
                    .all(|(y, expected)| y.to_bits() == expected.to_bits());
                assert!(!all || same, "row {seed}");
                decided += usize::from(all);
            }
        }
        assert!(decided > 400, "only {decided} of 720 rows are decided");
    }
}
