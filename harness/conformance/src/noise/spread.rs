//! Accumulates several runs of one output, element by element.

use onnx_tensor::{DType, Tensor};

use super::floor::unit;
use super::numbers;
use super::texts::as_numbers;

/// Kinds of floating-point values, as bits of a set.
pub const FINITE: u8 = 1;
const NAN: u8 = 2;
const INFINITE: u8 = 4;
const NEGATIVE_INFINITE: u8 = 8;

pub fn kind(value: f64) -> u8 {
    match value {
        value if value.is_nan() => NAN,
        f64::INFINITY => INFINITE,
        f64::NEG_INFINITY => NEGATIVE_INFINITE,
        _ => FINITE,
    }
}

/// Mean and deviation of the finite values of each element over several runs (Welford, 1962; merged after
/// Chan, Golub and LeVeque, 1983), and the kinds of its values.
#[derive(Clone, PartialEq, Debug)]
pub struct Spread {
    /// The output's type.
    pub dtype: DType,
    pub shape: Vec<usize>,
    /// The runs with each other shape: their elements are not those of this one.
    others: Vec<Spread>,
    /// The runs with this shape.
    runs: u32,
    finite: Vec<u32>,
    mean: Vec<f64>,
    /// The root of the sum of squared distances from the mean: the sum itself underflows for values below
    /// 1e-154.
    deviation: Vec<f64>,
    kinds: Vec<u8>,
    /// The different outputs of the runs; empty for floats with more than [`KEPT`] elements.
    outcomes: Vec<Vec<f64>>,
    /// The different outputs of the runs in all bits, of those with an integer that is no double.
    integers: Vec<Vec<i128>>,
}

/// The number of elements up to which the outputs of all runs are kept: larger ones are known by their mean
/// and variance alone.
const KEPT: usize = 1 << 18;

impl Spread {
    /// The spread of one run; `None` for a tensor of complex numbers, or of strings that are no numbers.
    pub fn of(tensor: &Tensor) -> Option<Spread> {
        let tensor = &*as_numbers(tensor);
        let values = numbers(tensor)?;
        let kinds: Vec<u8> = values.iter().copied().map(kind).collect();
        Some(Spread {
            dtype: tensor.dtype(),
            shape: tensor.shape().to_vec(),
            others: Vec::new(),
            runs: 1,
            finite: kinds.iter().map(|kind| u32::from(*kind == FINITE)).collect(),
            deviation: vec![0.0; values.len()],
            outcomes: if unit(tensor.dtype()).is_some() && values.len() > KEPT {
                Vec::new()
            } else {
                vec![values.clone()]
            },
            mean: values,
            kinds,
            integers: super::integers(tensor).into_iter().collect(),
        })
    }

    /// Merges other runs. If their type differs, they belong to another output, and the result is `None`.
    pub fn join(mut self, other: &Spread) -> Option<Spread> {
        if self.dtype != other.dtype {
            return None;
        }
        for part in other.parts() {
            let mut others = self.others.iter_mut();
            if part.shape == self.shape {
                self.merge(part);
            } else if let Some(known) = others.find(|known| known.shape == part.shape) {
                known.merge(part);
            } else {
                self.others.push(Spread {
                    others: Vec::new(),
                    ..part.clone()
                });
            }
        }
        Some(self)
    }

    /// The runs of each shape, first those of the shape of this output.
    pub(super) fn parts(&self) -> impl Iterator<Item = &Spread> {
        std::iter::once(self).chain(&self.others)
    }

    /// Merges runs with the same shape.
    fn merge(&mut self, other: &Spread) {
        for place in 0..self.mean.len() {
            self.kinds[place] |= other.kinds[place];
            let (a, b) = (f64::from(self.finite[place]), f64::from(other.finite[place]));
            if b == 0.0 {
                continue;
            }
            if a == 0.0 {
                self.mean[place] = other.mean[place];
                self.deviation[place] = other.deviation[place];
            } else {
                let apart = other.mean[place] - self.mean[place];
                self.mean[place] += apart * (b / (a + b));
                let within = self.deviation[place].hypot(other.deviation[place]);
                self.deviation[place] = within.hypot(apart * (a * b / (a + b)).sqrt());
            }
            self.finite[place] += other.finite[place];
        }
        self.runs += other.runs;
        for outcome in &other.outcomes {
            if !self.outcomes.contains(outcome) {
                self.outcomes.push(outcome.clone());
            }
        }
        for integers in &other.integers {
            if !self.integers.contains(integers) {
                self.integers.push(integers.clone());
            }
        }
    }

    /// Whether every run has the shape of `other`.
    pub fn is_shaped_as(&self, other: &Spread) -> bool {
        self.parts().all(|part| part.shape == other.shape)
    }

    /// The number of runs of all shapes.
    pub fn runs(&self) -> u32 {
        self.parts().map(|part| part.runs).sum()
    }

    /// The mean of the finite values of each element, in row-major order. Of one run: its values.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The kinds of values of each element, as a set of bits.
    pub fn kinds(&self) -> &[u8] {
        &self.kinds
    }

    /// The different outputs of the runs; empty for large outputs of floats.
    pub fn outcomes(&self) -> &[Vec<f64>] {
        &self.outcomes
    }

    /// The different outputs of the runs in all bits, of those with an integer that is no double.
    pub fn integers(&self) -> &[Vec<i128>] {
        &self.integers
    }

    /// The root mean square of each element's distance from `center`, which has the same length, over the
    /// runs in which it is finite; NaN if it is in none, or the center is not finite.
    pub fn about(&self, center: &[f64]) -> Vec<f64> {
        let distance = |(place, center): (usize, &f64)| {
            if self.finite[place] == 0 || !center.is_finite() {
                return f64::NAN;
            }
            let off = self.mean[place] - center;
            (self.deviation[place] / f64::from(self.finite[place]).sqrt()).hypot(off)
        };
        center.iter().enumerate().map(distance).collect()
    }
}

#[cfg(test)]
mod tests {
    use approx::assert_abs_diff_eq;

    use super::*;

    fn check(runs: &[[f32; 2]], center: [f64; 2], mean: [f64; 2], about: [f64; 2]) {
        let of = |run: &[f32; 2]| Spread::of(&Tensor::vector(run.to_vec())).expect("floats");
        let spreads: Vec<Spread> = runs.iter().map(of).collect();
        // One by one, and in two parts.
        let one = |part: &[Spread]| {
            let sum = part[1..].iter().try_fold(part[0].clone(), Spread::join);
            sum.expect("one shape")
        };
        let halves = one(&spreads[..1]).join(&one(&spreads[1..])).expect("one shape");
        for spread in [one(&spreads), halves] {
            assert_eq!(spread.runs() as usize, runs.len());
            let pairs = spread.mean().iter().zip(mean);
            let found = spread.about(&center);
            for (found, wanted) in pairs.chain(found.iter().zip(about)) {
                assert_abs_diff_eq!(*found, wanted, epsilon = 1e-12);
            }
        }
    }

    #[test]
    fn mean_and_spread_do_not_depend_on_how_runs_are_joined() {
        check(&[[1.0, 4.0], [3.0, 4.0]], [2.0, 4.0], [2.0, 4.0], [1.0, 0.0]);
        check(
            &[[2.0, -1.0], [4.0, 0.0], [4.0, 1.0], [6.0, 0.0]],
            [4.0, 2.0],
            [4.0, 0.0],
            [2_f64.sqrt(), 4.5_f64.sqrt()],
        );
    }

    /// The squares of these distances are below the least double, or beyond the greatest.
    #[test]
    fn the_spread_of_tiny_and_of_huge_values_is_known() {
        for scale in [1e-300, 1e300] {
            let of = |values: [f64; 2]| Spread::of(&Tensor::vector(values.to_vec())).expect("floats");
            let joined = of([scale, 2.0 * scale])
                .join(&of([3.0 * scale, 2.0 * scale]))
                .expect("one shape");
            let about = joined.about(&[2.0 * scale, 3.0 * scale]);
            assert_abs_diff_eq!(about[0] / scale, 1.0, epsilon = 1e-12);
            assert_abs_diff_eq!(about[1] / scale, 1.0, epsilon = 1e-12);
        }
    }

    #[test]
    fn runs_without_a_finite_value_are_a_kind_of_their_own() {
        let of = |values: &[f32]| Spread::of(&Tensor::vector(values.to_vec())).expect("floats");
        let joined = of(&[1.0, f32::INFINITY, f32::NAN])
            .join(&of(&[1.0, 3.0, f32::NAN]))
            .expect("one shape");
        assert_eq!(joined.kinds(), [FINITE, FINITE | INFINITE, NAN]);
        let about = joined.about(&[1.0, 1.0, 1.0]);
        assert_eq!(about[..2], [0.0, 2.0]);
        assert!(about[2].is_nan());
        let joined = of(&[1.0]).join(&of(&[1.0, 2.0])).unwrap();
        assert!(!joined.is_shaped_as(&of(&[1.0])), "runs of two shapes");
        let text = Tensor::vector(vec!["a".to_owned()]);
        assert_eq!(Spread::of(&text), None);
    }
}
