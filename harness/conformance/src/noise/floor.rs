//! The noise of one output, and how much of it is known.

use std::collections::BTreeMap;

use onnx_tensor::{DType, Tensor};
use reports::record::NoiseFloor;
use statrs::distribution::{ChiSquared, ContinuousCDF, StudentsT};

use super::{Spread, floats, median};

/// The confidence with which σ is said to be no larger, and with which equal noise stays within its reach.
const CONFIDENCE: f64 = 0.95;

/// The noise of one output.
#[derive(Clone, Debug)]
pub struct Floor {
    /// The reference's answer, in row-major order: every operator exact, its result rounded once.
    pub center: Vec<f64>,
    /// The noise of each element; NaN where it has none.
    pub sigma: Vec<f64>,
    /// The type of the output.
    pub dtype: DType,
    /// Its shape.
    pub shape: Vec<usize>,
    /// What is the same for every backend.
    pub summary: NoiseFloor,
}

/// The floors of a data set's outputs, by name; an output without one is none of floats.
#[derive(Clone, Debug, Default)]
pub struct Floors(pub BTreeMap<String, Floor>);

impl Floor {
    /// From the reference's answer and its runs with random rounding; none where they are of different outputs, where no
    /// element is finite, or where there are fewer than two runs.
    pub fn new(answer: &Spread, noisy: &Spread) -> Option<Floor> {
        if answer.shape != noisy.shape || answer.dtype != noisy.dtype || noisy.runs() < 2 {
            return None;
        }
        let unit = unit(answer.dtype);
        let center = answer.mean().to_vec();
        // Around the answer, not around the runs' own mean: where they agree with each other and not with it, that is noise as well.
        let about = noisy.about(&center);
        // A type is no finer than half its last place, however well the runs agree.
        let noise = |(center, about): (&f64, &f64)| match about.is_finite() {
            true => about.max(unit * center.abs()),
            false => f64::NAN,
        };
        let mut sigma: Vec<f64> = center.iter().zip(&about).map(noise).collect();
        let mut noises: Vec<f64> = sigma.iter().copied().filter(|sigma| !sigma.is_nan()).collect();
        let typical = median(&mut noises);
        let pairs = center.iter().zip(&sigma).filter(|(_, sigma)| !sigma.is_nan());
        let mut digits: Vec<f64> = pairs
            .filter_map(|(center, sigma)| digits(*center, *sigma, unit))
            .collect();
        // An element that is zero in every run, as behind a ReLU, has the noise of its neighbours.
        sigma
            .iter_mut()
            .filter(|sigma| **sigma == 0.0)
            .for_each(|sigma| *sigma = typical);
        let freedom = f64::from(noisy.runs());
        let summary = NoiseFloor {
            runs: noisy.runs(),
            elements: noises.len() as u64,
            digits: median(&mut digits),
            least_digits: digits.iter().copied().reduce(f64::min).unwrap_or(f64::NAN),
            margin: margin(freedom)?,
            sigma: typical,
            largest_sigma: noises.iter().copied().reduce(f64::max)?,
            reach: reach(freedom, noises.len())?,
        };
        Some(Floor {
            sigma,
            center,
            dtype: answer.dtype,
            shape: answer.shape.clone(),
            summary,
        })
    }

    /// The elements of a backend's tensor, if it is of the output's type and shape.
    pub fn elements(&self, tensor: &Tensor) -> Option<Vec<f64>> {
        let same = tensor.dtype() == self.dtype && tensor.shape() == self.shape;
        floats(tensor).filter(|_| same)
    }
}

/// Half the distance of neighbours, relative to the value: no float of this type is closer to a real number for certain.
pub(super) fn unit(dtype: DType) -> f64 {
    let precision = match dtype {
        DType::Double => 53,
        DType::Float16 => 11,
        DType::Bfloat16 => 8,
        _ => 24,
    };
    2_f64.powi(-precision)
}

/// The decimal digits of an element, from none to all that its type has; none can be told of 0 ± 0.
pub(super) fn digits(center: f64, noise: f64, unit: f64) -> Option<f64> {
    let all = -unit.log10();
    (center != 0.0 || noise != 0.0).then(|| (center.abs() / noise).log10().clamp(0.0, all))
}

/// How many digits fewer there may be: σ² is at most N·s²/χ², with the 5 % quantile of χ² of N degrees of freedom.
fn margin(freedom: f64) -> Option<f64> {
    let chi_squared = ChiSquared::new(freedom).ok()?.inverse_cdf(1.0 - CONFIDENCE);
    Some((freedom / chi_squared).log10() / 2.0)
}

/// What the largest of so many elements of the same noise stays within: a distance of variance σ² over an s from N runs
/// has Student's distribution.
pub(super) fn reach(freedom: f64, elements: usize) -> Option<f64> {
    let beyond = (1.0 - CONFIDENCE) / (2.0 * elements.max(1) as f64);
    // By the lower tail, which is not lost in rounding beside 1.
    Some(-StudentsT::new(0.0, 1.0, freedom).ok()?.inverse_cdf(beyond))
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use super::*;

    fn floor(answer: &[f32], runs: &[&[f32]]) -> Floor {
        let of = |values: &[f32]| Spread::of(&Tensor::vector(values.to_vec())).unwrap();
        let noisy = runs[1..]
            .iter()
            .fold(of(runs[0]), |sum, run| sum.join(&of(run)).unwrap());
        Floor::new(&of(answer), &noisy).unwrap()
    }

    #[test]
    fn a_known_spread_gives_known_digits() {
        // σ = 0.1, 0.01 and 0.001 of 1: one, two and three digits.
        let runs = [0.1, -0.1].map(|off: f32| [1.0 + off, 1.0 + off / 10.0, 1.0 + off / 100.0]);
        let found = floor(&[1.0; 3], &[&runs[0], &runs[1]]).summary;
        assert!((found.digits - 2.0).abs() < 1e-4, "{found:?}");
        assert!((found.least_digits - 1.0).abs() < 1e-4, "{found:?}");
        assert!((found.sigma - 0.01).abs() < 1e-6 && (found.largest_sigma - 0.1).abs() < 1e-6);
        assert_eq!((found.runs, found.elements), (2, 3));
    }

    #[test]
    fn runs_that_agree_on_another_answer_are_noise() {
        let found = floor(&[1.0], &[&[3.0], &[3.0]]);
        assert_eq!((found.sigma[0], found.summary.digits), (2.0, 0.0));
    }

    #[test]
    fn what_never_moves_has_all_digits_and_the_noise_of_its_type_or_its_neighbours() {
        let found = floor(&[1.0, 0.0, f32::NAN], &[&[1.0, 0.0, 1.0], &[1.0, 0.0, 1.0]]);
        let unit = 2_f64.powi(-24);
        assert_eq!(found.sigma[0], unit);
        assert_eq!(found.sigma[1], unit / 2.0, "the median of 0 and the other's");
        assert!(found.sigma[2].is_nan() && found.summary.elements == 2);
        assert_eq!(found.summary.digits, -unit.log10());
    }

    /// Against tables: χ² of 7 at 5 % is 2.167, t of 7 at 97.5 % is 2.365, at 99.75 % 4.029.
    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (found, wanted) in [
            (margin(7.0), (7.0_f64 / 2.1673).log10() / 2.0),
            (reach(7.0, 1), 2.3646),
            (reach(7.0, 10), 4.0293),
        ] {
            assert!((found.unwrap() - wanted).abs() < 1e-3, "{found:?} for {wanted}");
        }
        let far = reach(7.0, 10_000_000).unwrap();
        assert!(far.is_finite() && far > reach(7.0, 1_000_000).unwrap(), "{far}");
    }
}
