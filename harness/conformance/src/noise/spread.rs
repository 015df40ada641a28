//! Accumulates several runs of one output, element by element.

use onnx_tensor::{DType, Tensor};

use super::floats;

/// Mean and squared deviations of each element over several runs (Welford, 1962; merged after Chan,
/// Golub and LeVeque, 1983).
#[derive(Clone, PartialEq, Debug)]
pub struct Spread {
    /// The output's type.
    pub dtype: DType,
    /// Its shape.
    pub shape: Vec<usize>,
    runs: u32,
    mean: Vec<f64>,
    squares: Vec<f64>,
}

impl Spread {
    /// The spread of one run; `None` for a tensor of other types than floats.
    pub fn of(tensor: &Tensor) -> Option<Spread> {
        let mean = floats(tensor)?;
        Some(Spread {
            dtype: tensor.dtype(),
            shape: tensor.shape().to_vec(),
            runs: 1,
            squares: vec![0.0; mean.len()],
            mean,
        })
    }

    /// Merges other runs. If their type or shape differs, they belong to another output, and the result
    /// is `None`.
    pub fn join(mut self, other: &Spread) -> Option<Spread> {
        if self.dtype != other.dtype || self.shape != other.shape {
            return None;
        }
        let (a, b) = (f64::from(self.runs), f64::from(other.runs));
        let sums = self.mean.iter_mut().zip(&mut self.squares);
        for ((mean, squares), (other_mean, other_squares)) in sums.zip(other.mean.iter().zip(&other.squares))
        {
            let apart = other_mean - *mean;
            *mean += apart * (b / (a + b));
            *squares += other_squares + apart * apart * (a * b / (a + b));
        }
        self.runs += other.runs;
        Some(self)
    }

    /// The number of runs.
    pub fn runs(&self) -> u32 {
        self.runs
    }

    /// The mean of each element, in row-major order.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The root mean square of each element's distance from `center`, which has the same length; NaN if
    /// a run gave no finite number.
    pub fn about(&self, center: &[f64]) -> Vec<f64> {
        let runs = f64::from(self.runs);
        let elements = self.mean.iter().zip(&self.squares).zip(center);
        let distance = |((mean, squares), center): ((&f64, &f64), &f64)| {
            let off = mean - center;
            (squares / runs + off * off).sqrt()
        };
        elements.map(distance).collect()
    }
}

#[cfg(test)]
mod tests {
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
                assert!((found - wanted).abs() < 1e-12, "{found} for {wanted}");
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

    #[test]
    fn values_that_are_not_finite_and_other_outputs_have_no_spread() {
        let of = |values: Vec<f32>| Spread::of(&Tensor::vector(values)).expect("floats");
        let infinite = of(vec![1.0, f32::INFINITY]);
        let spread = infinite.clone().join(&infinite).expect("one shape");
        let about = spread.about(&[1.0, 1.0]);
        assert!(about[0] == 0.0 && !about[1].is_finite());
        assert_eq!(of(vec![1.0]).join(&of(vec![1.0, 2.0])), None);
        assert_eq!(Spread::of(&Tensor::vector(vec![1_i64])), None);
    }
}
