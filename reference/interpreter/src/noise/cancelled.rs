//! Variances that are less than their error.
//!
//! The mean square less the squared mean, as the function bodies of GroupNormalization and
//! MeanVarianceNormalization compute a variance, is negative where the error of the squares is larger: the
//! root is NaN, and so is every result of the row. Otherwise it has no digit, nor has the row. Some runs with
//! random rounding show it.

use onnx_bounds::{Query, precision};
use onnx_tensor::{Real, Tensor, TensorError, dispatch};
use rand::RngExt;

use super::arithmetic::Arithmetic;
use super::{Noise, Traits};

/// The error of a mean square and of a squared mean, in units of roundoff of the squared mean.
const OF_SQUARES: f64 = 4.0;

/// What MeanVarianceNormalization adds to a variance: 1e-9 to its root (question `mean-variance-epsilon`).
const LEAST: f64 = 1e-18;

/// The elements over which a normalisation takes a variance: for each element of the input the number of its
/// row, and the number of rows.
fn rows(query: &Query<'_>, name: &str) -> Option<(Vec<usize>, usize)> {
    let shape = query.call.optional(0)?.as_tensor()?.shape();
    let count = shape.iter().product::<usize>();
    let contiguous = |size: usize| {
        let rows = (0..count).map(|at| at / size.max(1)).collect();
        Some((rows, count.div_ceil(size.max(1))))
    };
    let axis = |axis: i64| usize::try_from(if axis < 0 { axis + shape.len() as i64 } else { axis }).ok();
    match name {
        "LayerNormalization" => {
            let from = axis(query.call.int("axis").ok()?)?;
            contiguous(shape.get(from..)?.iter().product())
        }
        "InstanceNormalization" => contiguous(shape.get(2..)?.iter().product()),
        "GroupNormalization" => {
            let groups = usize::try_from(query.call.int("num_groups").ok()?).ok()?;
            contiguous(count / (shape.first()? * groups).max(1))
        }
        "MeanVarianceNormalization" => {
            let axes = query.call.ints("axes").ok()?;
            let reduced: Vec<usize> = axes.into_iter().filter_map(axis).collect();
            let kept = |at: &usize| !reduced.contains(at);
            let number = |mut at: usize| {
                let mut coordinates = vec![0; shape.len()];
                for (coordinate, extent) in coordinates.iter_mut().zip(shape).rev() {
                    (*coordinate, at) = (at % extent, at / extent);
                }
                let axes = (0..shape.len()).filter(kept);
                axes.fold(0, |row, axis| row * shape[axis] + coordinates[axis])
            };
            let rows = (0..shape.len()).filter(kept).map(|axis| shape[axis]).product();
            Some(((0..count).map(number).collect(), rows))
        }
        _ => None,
    }
}

impl Noise {
    /// The first output of a normalisation with rows of NaN or of any size, each in a part of the runs, where
    /// the variance is less than the error of a mean square; `None` if there is no such row.
    pub(super) fn cancelled(&self, query: &Query<'_>, traits: Traits<'_>) -> Option<Vec<Option<Tensor>>> {
        if traits.arithmetic == Arithmetic::Rounded {
            return None;
        }
        let (of_element, count) = rows(query, traits.name)?;
        let unit = precision::unit(query.call.optional(0)?.as_tensor()?.dtype())?;
        let epsilon = query.call.optional_float("epsilon").ok()?.map_or(0.0, f64::from);
        let x = query.input(0)?;
        let mut sums = vec![(0.0, 0.0, 0.0); count];
        for (x, row) in x.iter().zip(&of_element) {
            let (number, sum, squares) = &mut sums[*row];
            (*number, *sum, *squares) = (*number + 1.0, *sum + x, *squares + x * x);
        }
        let mut generator = self.generator.borrow_mut();
        // The factor of the row; `None` if it stays.
        let mut factor = |(number, sum, squares): (f64, f64, f64)| {
            let mean = sum / number;
            let variance = (squares / number - mean * mean).max(0.0) + epsilon;
            let is_lost = variance < OF_SQUARES * unit * mean * mean;
            // Up to the row of a variance of 0.
            let most = (variance / epsilon.max(LEAST)).sqrt().max(2.0).log10();
            is_lost.then(|| match generator.random_range(0..4_u8) {
                0 | 1 => f64::NAN,
                2 => 10_f64.powf(most),
                _ => 10_f64.powf(generator.random_range(-1.0..most)),
            })
        };
        let factors: Vec<Option<f64>> = sums.into_iter().map(&mut factor).collect();
        let output = query.outputs.first()?.as_ref()?.as_tensor()?;
        let moved = || -> Result<Tensor, TensorError> {
            dispatch!(float, output.dtype(), T => {
                let mut elements = output.to_vec::<T>()?;
                for (y, row) in elements.iter_mut().zip(&of_element) {
                    *y = factors[*row].map_or(*y, |factor| T::from_f64(y.to_f64() * factor));
                }
                Tensor::new(output.shape(), elements)
            })
        };
        let is_any = factors.iter().any(Option::is_some);
        is_any.then(|| moved().ok()).flatten().map(|y| vec![Some(y)])
    }
}
