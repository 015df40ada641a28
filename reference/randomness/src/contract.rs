//! The distributions of random operators, and the tests of an output.

use onnx_tensor::{Float, Real, Tensor, TensorError, dispatch};

use crate::Violation;
use crate::fit::{self, Tally};

/// The distribution of the output of a random operator.
#[derive(Clone, PartialEq, Debug)]
pub enum Contract {
    /// Each element from one normal distribution (RandomNormal, RandomNormalLike).
    Normal {
        mean: f64,
        /// Its standard deviation, not negative.
        deviation: f64,
        /// The number of drawn elements.
        count: usize,
    },
    /// Each element from one uniform distribution (RandomUniform, RandomUniformLike).
    Uniform {
        /// The lower end.
        low: f64,
        /// The upper end, not less than the lower. A smaller draw may be rounded up to it.
        high: f64,
        /// The number of drawn elements.
        count: usize,
    },
    /// Each element is 1 with its own probability, otherwise 0 (Bernoulli).
    Bernoulli {
        /// The probabilities in row-major order.
        probabilities: Vec<f64>,
    },
    /// `samples` classes in each row, with the probabilities of the row (Multinomial).
    Multinomial {
        /// The probabilities of the classes, row by row; each row sums to 1.
        rows: Vec<Vec<f64>>,
        /// The number of draws per row.
        samples: usize,
    },
    /// Each element is 0 with probability `ratio`, otherwise that of `data` divided by 1 − `ratio` (Dropout
    /// in training, first output).
    Dropout {
        /// The data in row-major order.
        data: Vec<f64>,
        /// The probability of 0, below 1.
        ratio: f64,
    },
}

/// The basis of a judgement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Evidence {
    /// The number of elements.
    pub elements: usize,
}

/// The elements of an output as f64, and their rounding error.
struct Sample {
    values: Vec<f64>,
    /// One ULP of 1.
    resolution: f64,
    /// The greatest finite value of the type; a draw beyond it is infinite.
    greatest: f64,
}

impl Contract {
    /// Tests one output: its support, its moments, its distribution and the independence of adjacent
    /// elements.
    ///
    /// # Errors
    /// The first violation.
    pub fn judge(&self, output: &Tensor) -> Result<Evidence, Violation> {
        let sample = Sample::of(output)?;
        let (found, expected) = (sample.values.len(), self.count());
        if found != expected {
            return Err(Violation::Count { found, expected });
        }
        if found > 0 {
            match self {
                Contract::Normal { mean, deviation, .. } => normal(&sample, *mean, *deviation)?,
                Contract::Uniform { low, high, .. } => uniform(&sample, *low, *high)?,
                Contract::Bernoulli { probabilities } => bernoulli(&sample.values, probabilities)?,
                Contract::Multinomial { rows, samples } => multinomial(&sample.values, rows, *samples)?,
                Contract::Dropout { data, ratio } => dropout(&sample, data, *ratio)?,
            }
        }
        Ok(Evidence { elements: found })
    }

    /// The number of elements of the output.
    fn count(&self) -> usize {
        match self {
            Contract::Normal { count, .. } | Contract::Uniform { count, .. } => *count,
            Contract::Bernoulli { probabilities } => probabilities.len(),
            Contract::Multinomial { rows, samples } => rows.len().saturating_mul(*samples),
            Contract::Dropout { data, .. } => data.len(),
        }
    }
}

/// Checks that two outputs of a node that sets `seed`, from one backend, are equal.
///
/// # Errors
/// [`Violation::NotReproducible`] if any bit differs.
pub fn reproducible(first: &Tensor, second: &Tensor) -> Result<(), Violation> {
    if first.same_bits(second) {
        Ok(())
    } else {
        Err(Violation::NotReproducible)
    }
}

impl Sample {
    fn of(output: &Tensor) -> Result<Sample, TensorError> {
        Ok(Sample {
            values: reals(output)?,
            resolution: dispatch!(float, output.dtype(), T => resolution::<T>()).unwrap_or(0.0),
            greatest: dispatch!(float, output.dtype(), T => greatest::<T>()).unwrap_or(f64::INFINITY),
        })
    }

    /// The maximum distance of a draw from the element to which it was rounded, for draws of this scale.
    fn slack(&self, scale: f64) -> impl Fn(f64) -> f64 {
        let resolution = self.resolution;
        move |x| resolution * x.abs().max(scale)
    }
}

/// The elements of a numeric or bool tensor.
pub(crate) fn reals(tensor: &Tensor) -> Result<Vec<f64>, TensorError> {
    match tensor {
        Tensor::Bool(array) => Ok(array.iter().map(|&value| f64::from(u8::from(value))).collect()),
        _ => dispatch!(real, tensor.dtype(), T => {
            Ok(tensor.array::<T>()?.iter().map(|value| value.to_f64()).collect())
        }),
    }
}

fn greatest<T: Float>() -> Result<f64, TensorError> {
    Ok(T::GREATEST_FINITE.to_f64())
}

fn resolution<T: Float>() -> Result<f64, TensorError> {
    Ok(2_f64.powi(1 - T::PRECISION as i32))
}

fn support(
    values: &[f64],
    admits: impl Fn(usize, f64) -> bool,
    description: impl Fn(usize) -> String,
) -> Result<(), Violation> {
    match values
        .iter()
        .enumerate()
        .find(|&(index, &value)| !admits(index, value))
    {
        None => Ok(()),
        Some((index, &value)) => Err(Violation::Support {
            index,
            value,
            support: description(index),
        }),
    }
}

fn normal(sample: &Sample, mean: f64, deviation: f64) -> Result<(), Violation> {
    let values = &sample.values;
    let slack = sample.slack(deviation);
    if deviation == 0.0 {
        let constant = |_, value: f64| (value - mean).abs() <= slack(mean);
        return support(values, constant, |_| {
            format!("the mean {mean} with a deviation of 0")
        });
    }
    support(
        values,
        |_, value| value.is_finite(),
        |_| "a finite number".to_owned(),
    )?;
    let count = values.len();
    let found = values.iter().sum::<f64>() / count as f64;
    let limit = fit::normal_limit() * deviation / (count as f64).sqrt() + slack(mean);
    fit::moment("mean", count, found, mean, limit)?;
    fit::normal_variance(
        values,
        mean,
        deviation,
        4.0 * sample.resolution * (1.0 + (mean / deviation).abs()),
    )?;
    fit::kolmogorov(values, |x| fit::normal_cdf(x, mean, deviation), slack)?;
    fit::serial(values, mean, deviation.powi(2))
}

fn uniform(sample: &Sample, low: f64, high: f64) -> Result<(), Violation> {
    let values = &sample.values;
    let width = high - low;
    let slack = sample.slack(width);
    let inside = |_, value: f64| low - slack(low) <= value && value <= high + slack(high);
    support(values, inside, |_| format!("from {low} to {high}"))?;
    if width == 0.0 {
        return Ok(());
    }
    let (count, middle) = (values.len(), f64::midpoint(low, high));
    let found = values.iter().sum::<f64>() / count as f64;
    let rounding = slack(low.abs().max(high.abs()));
    fit::moment(
        "mean",
        count,
        found,
        middle,
        fit::bounded_limit(width, count) + rounding,
    )?;
    let variance = width.powi(2) / 12.0;
    let found = values.iter().map(|x| (x - middle).powi(2)).sum::<f64>() / count as f64;
    let limit = fit::bounded_limit(width.powi(2) / 4.0, count) + 2.0 * width * rounding;
    fit::moment("variance", count, found, variance, limit)?;
    fit::kolmogorov(values, |x| ((x - low) / width).clamp(0.0, 1.0), slack)?;
    fit::serial(values, middle, variance)
}

fn bernoulli(values: &[f64], probabilities: &[f64]) -> Result<(), Violation> {
    let admits = |index: usize, value: f64| match probabilities[index] {
        0.0 => value == 0.0,
        1.0 => value == 1.0,
        _ => value == 0.0 || value == 1.0,
    };
    support(values, admits, |index| {
        format!("drawn with the probability {} of being 1", probabilities[index])
    })?;
    let count = values.len();
    let found = values.iter().sum::<f64>() / count as f64;
    let expected = probabilities.iter().sum::<f64>() / count as f64;
    fit::moment("mean", count, found, expected, fit::bounded_limit(1.0, count))?;
    let mut tenths = [Tally::default(); 10];
    for (value, p) in values.iter().zip(probabilities) {
        let tally = &mut tenths[((p * 10.0) as usize).min(9)];
        tally.found += value;
        tally.mean += p;
        tally.variance += p * (1.0 - p);
    }
    fit::independent_counts(&tenths, count)?;
    let standard: Vec<f64> = values
        .iter()
        .zip(probabilities)
        .filter(|(_, p)| (0.05..=0.95).contains(*p))
        .map(|(value, p)| (value - p) / (p * (1.0 - p)).sqrt())
        .collect();
    fit::serial(&standard, 0.0, 1.0)
}

fn multinomial(values: &[f64], rows: &[Vec<f64>], samples: usize) -> Result<(), Violation> {
    if samples == 0 {
        return Ok(());
    }
    let probability = |index: usize, value: f64| {
        let class = (value >= 0.0 && value.fract() == 0.0).then_some(value as usize);
        rows[index / samples].get(class?).copied()
    };
    let admits = |index, value| probability(index, value).is_some_and(|p| p > 0.0);
    support(values, admits, |index| {
        format!(
            "a class of row {} with a probability greater than 0",
            index / samples
        )
    })?;
    let (mut statistic, mut freedom) = (0.0, 0);
    for (row, drawn) in rows.iter().zip(values.chunks(samples)) {
        let mut counts = vec![0.0; row.len()];
        for &class in drawn {
            counts[class as usize] += 1.0;
        }
        let (of_row, bins) = fit::classes(&counts, row);
        statistic += of_row;
        freedom += bins;
    }
    fit::chi_square(statistic, freedom, values.len())
}

fn dropout(sample: &Sample, data: &[f64], ratio: f64) -> Result<(), Violation> {
    let kept = |index: usize| data[index] / (1.0 - ratio);
    let admits = |index: usize, value: f64| {
        let limit = 2.0 * sample.resolution * kept(index).abs();
        let stays = match data[index].is_finite() {
            true if value.is_infinite() => {
                kept(index).abs() + limit > sample.greatest && value.signum() == kept(index).signum()
            }
            true => (value - kept(index)).abs() <= limit,
            // The product of a mask of 0 and an infinite element is NaN.
            false => value == kept(index) || value.is_nan(),
        };
        stays || value == 0.0 && ratio > 0.0
    };
    support(&sample.values, admits, |index| format!("0 or {}", kept(index)))?;
    // An element that is 0 or NaN in the data does not show whether it was dropped.
    let informative: Vec<f64> = sample
        .values
        .iter()
        .zip(data)
        .filter(|(_, before)| **before != 0.0 && !before.is_nan())
        .map(|(value, _)| if *value == 0.0 || value.is_nan() { 0.0 } else { 1.0 })
        .collect();
    if informative.is_empty() {
        return Ok(());
    }
    bernoulli(&informative, &vec![1.0 - ratio; informative.len()])
}
