//! The statistical tests. Each has the limit of a statistic at [`SIGNIFICANCE`].

use statrs::distribution::{ChiSquared, ContinuousCDF};
use statrs::function::erf::{erfc, erfc_inv};

use crate::{SIGNIFICANCE, Violation};

/// The minimum expected variance of a count for a chi-square test: below, the normal approximation is poor.
const MIN_VARIANCE: f64 = 25.0;

/// The minimum number of pairs for which the mean of products is close enough to normal.
const MIN_PAIRS: usize = 1000;

/// The limit of a standard normal variable on either side: 4.89.
pub(crate) fn normal_limit() -> f64 {
    std::f64::consts::SQRT_2 * erfc_inv(SIGNIFICANCE)
}

/// The limit of the mean of `count` independent variables in an interval of this width (Hoeffding,
/// "Probability inequalities for sums of bounded random variables", 1963).
pub(crate) fn bounded_limit(width: f64, count: usize) -> f64 {
    width * ((2.0 / SIGNIFICANCE).ln() / (2.0 * count as f64)).sqrt()
}

/// The distribution function of a normal distribution, with full precision in both tails.
pub(crate) fn normal_cdf(x: f64, mean: f64, deviation: f64) -> f64 {
    0.5 * erfc((mean - x) / (deviation * std::f64::consts::SQRT_2))
}

/// Compares a moment with its expected value.
pub(crate) fn moment(
    moment: &'static str,
    count: usize,
    found: f64,
    expected: f64,
    limit: f64,
) -> Result<(), Violation> {
    // Written so that NaN fails.
    if (found - expected).abs() <= limit {
        return Ok(());
    }
    Err(Violation::Moment {
        moment,
        count,
        found,
        expected,
        limit,
    })
}

/// Compares the squared deviations of normal variables, whose sum is a chi-square variable, with their
/// mean. `slack` is the relative error that rounding may have added.
pub(crate) fn normal_variance(
    sample: &[f64],
    mean: f64,
    deviation: f64,
    slack: f64,
) -> Result<(), Violation> {
    let sum: f64 = sample.iter().map(|x| ((x - mean) / deviation).powi(2)).sum();
    let (low, high) = chi_square_range(sample.len());
    let count = sample.len();
    let (found, expected) = (sum / count as f64 * deviation.powi(2), deviation.powi(2));
    if low * (1.0 - slack) <= sum && sum <= high * (1.0 + slack) {
        return Ok(());
    }
    let limit = expected * (high / count as f64 - 1.0);
    Err(Violation::Moment {
        moment: "variance",
        count,
        found,
        expected,
        limit,
    })
}

/// The limits of a chi-square variable (Wilson and Hilferty, "The distribution of chi-square", 1931: its
/// cube root is close to normal, within a few thousandths of the limit from 10 degrees of freedom on).
fn chi_square_range(freedom: usize) -> (f64, f64) {
    let k = freedom as f64;
    let spread = normal_limit() * (2.0 / (9.0 * k)).sqrt();
    let of = |side: f64| k * (1.0 - 2.0 / (9.0 * k) + side * spread).max(0.0).powi(3);
    (of(-1.0), of(1.0))
}

/// The Kolmogorov–Smirnov test of a sample against a distribution function, with the bound of Massart ("The
/// tight constant in the Dvoretzky–Kiefer–Wolfowitz inequality", 1990), which holds for any number of
/// elements. `slack(x)` is the maximum distance of a draw from the element `x` to which it was rounded.
pub(crate) fn kolmogorov(
    sample: &[f64],
    cdf: impl Fn(f64) -> f64,
    slack: impl Fn(f64) -> f64,
) -> Result<(), Violation> {
    let mut sorted = sample.to_vec();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len() as f64;
    let mut statistic = 0.0_f64;
    for (index, &x) in sorted.iter().enumerate() {
        let above = (index as f64 + 1.0) / count - cdf(x + slack(x));
        let below = cdf(x - slack(x)) - index as f64 / count;
        statistic = statistic.max(above).max(below);
    }
    within(
        "Kolmogorov-Smirnov",
        sample.len(),
        statistic,
        bounded_limit(1.0, sample.len()),
    )
}

/// Tests elements with known mean and variance for independence of adjacent elements. The mean of the
/// products is only asymptotically normal, so few elements are not tested.
pub(crate) fn serial(sample: &[f64], mean: f64, variance: f64) -> Result<(), Violation> {
    let pairs = sample.len().saturating_sub(1);
    if pairs < MIN_PAIRS || variance == 0.0 {
        return Ok(());
    }
    let sum: f64 = sample
        .windows(2)
        .map(|pair| (pair[0] - mean) * (pair[1] - mean))
        .sum();
    let statistic = (sum / (variance * (pairs as f64).sqrt())).abs();
    within(
        "correlation of adjacent elements",
        sample.len(),
        statistic,
        normal_limit(),
    )
}

/// A count that should be a sum of independent draws, with its mean and variance.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Tally {
    pub(crate) found: f64,
    pub(crate) mean: f64,
    pub(crate) variance: f64,
}

/// The chi-square test of independent counts. Counts with too little variance are omitted.
pub(crate) fn independent_counts(tallies: &[Tally], count: usize) -> Result<(), Violation> {
    let fit: Vec<f64> = tallies
        .iter()
        .filter(|tally| tally.variance >= MIN_VARIANCE)
        .map(|tally| (tally.found - tally.mean).powi(2) / tally.variance)
        .collect();
    chi_square(fit.iter().sum(), fit.len(), count)
}

/// Pearson's chi-square statistic of one row of draws over classes, with its degrees of freedom. Classes
/// with few expected draws are combined.
pub(crate) fn classes(counts: &[f64], probabilities: &[f64]) -> (f64, usize) {
    let draws: f64 = counts.iter().sum();
    let (mut statistic, mut bins) = (0.0, 0);
    let mut rest = (0.0, 0.0);
    for (&found, &probability) in counts.iter().zip(probabilities) {
        let expected = draws * probability;
        if expected >= MIN_VARIANCE {
            statistic += (found - expected).powi(2) / expected;
            bins += 1;
        } else {
            rest = (rest.0 + found, rest.1 + expected);
        }
    }
    if rest.1 >= MIN_VARIANCE {
        statistic += (rest.0 - rest.1).powi(2) / rest.1;
        bins += 1;
    }
    // The remaining classes take the degree of freedom that the sum would otherwise take.
    let all = rest.1 == 0.0 || rest.1 >= MIN_VARIANCE;
    (statistic, if all { usize::saturating_sub(bins, 1) } else { bins })
}

/// Compares a chi-square statistic with its distribution.
pub(crate) fn chi_square(statistic: f64, freedom: usize, count: usize) -> Result<(), Violation> {
    let Ok(distribution) = ChiSquared::new(freedom as f64) else {
        return Ok(());
    };
    if distribution.sf(statistic) >= SIGNIFICANCE {
        return Ok(());
    }
    let (_, limit) = chi_square_range(freedom);
    Err(Violation::Fit {
        test: "chi-square",
        count,
        statistic,
        limit,
    })
}

fn within(test: &'static str, count: usize, statistic: f64, limit: f64) -> Result<(), Violation> {
    if statistic <= limit {
        return Ok(());
    }
    Err(Violation::Fit {
        test,
        count,
        statistic,
        limit,
    })
}
