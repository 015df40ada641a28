//! Quantiles of the distributions of a noise that a few runs show.

use statrs::distribution::{ChiSquared, ContinuousCDF, FisherSnedecor, StudentsT};

use super::Spread;
use super::floor::greatest;

/// The probability with which an honest answer of the same noise is rejected, for each output.
const FALSE_ALARMS: f64 = 1e-4;

/// The confidence of the upper limit of σ, and of the limit within which equal noise stays.
const CONFIDENCE: f64 = 0.95;

/// The maximum root mean square of the distances of an honest answer. If the runs vary in it as one number
/// does, a common factor moves all elements, and the limit is Student's quantile. The less they vary, the
/// more elements are independent (Satterthwaite, 1946): the limit becomes that of a ratio of variances, times
/// what errors of one sign add to uniform ones.
pub(super) fn together(anchor: &[f64], sigma: &[f64], noisy: &Spread) -> f64 {
    /// The fewest runs that show how much they vary.
    const ENOUGH: usize = 4;
    /// The probability with which the runs vary less by chance than is assumed.
    const CHANCE: f64 = 1e-3;
    /// The limit for any number of elements: the noise of ordinary implementations differs by such a factor.
    const LEAST: f64 = 3.0;
    let runs = f64::from(noisy.runs());
    let one = limit(runs, 1);
    let unit = greatest(sigma);
    let ratio = |outcome: &Vec<f64>| {
        let places = outcome.iter().zip(anchor).zip(sigma);
        let known = places.filter(|((seen, _), sigma)| seen.is_finite() && **sigma > 0.0);
        let sums = known.fold((0.0, 0.0), |sums, ((seen, anchor), sigma)| {
            let (apart, sigma) = ((seen - anchor) / unit, sigma / unit);
            (sums.0 + apart.powi(2), sums.1 + sigma.powi(2))
        });
        sums.0 / sums.1
    };
    let ratios: Vec<f64> = noisy.outcomes().iter().map(ratio).collect();
    if ratios.len() == 1 && noisy.runs() > 1 {
        // No rounding reaches the output but its own.
        return one.min(LEAST);
    }
    if ratios.len() < ENOUGH {
        return one;
    }
    let count = ratios.len() as f64;
    let mean = ratios.iter().sum::<f64>() / count;
    let variance = ratios.iter().map(|ratio| (ratio - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let Ok(chance) = ChiSquared::new(count - 1.0) else {
        return one;
    };
    let most = variance * (count - 1.0) / chance.inverse_cdf(CHANCE);
    let independent = (2.0 * mean * mean / most).clamp(1.0, 1e4);
    let quantile = FisherSnedecor::new(independent, runs * independent)
        .map_or(f64::INFINITY, |ratio| ratio.inverse_cdf(1.0 - FALSE_ALARMS / 2.0));
    // Not a number if no element has noise.
    match (3.0 * quantile).sqrt() {
        limit if limit < one => limit.max(LEAST),
        _ => one,
    }
}

/// The possible loss of digits: σ² is at most N·s²/χ², with the 5 % quantile of χ² with N degrees of
/// freedom.
pub(super) fn margin(freedom: f64) -> Option<f64> {
    let chi_squared = ChiSquared::new(freedom).ok()?.inverse_cdf(1.0 - CONFIDENCE);
    Some((freedom / chi_squared).log10() / 2.0)
}

/// The limit for the largest of `count` elements with the same noise: a distance of variance σ² divided
/// by an s from N runs has Student's distribution.
pub(super) fn reach(freedom: f64, elements: usize) -> Option<f64> {
    farthest(1.0 - CONFIDENCE, freedom, elements)
}

/// The limit that the largest of `count` elements exceeds with the probability `beyond`.
pub(super) fn farthest(beyond: f64, freedom: f64, count: usize) -> Option<f64> {
    let beyond = beyond / (2.0 * count.max(1) as f64);
    // The lower tail does not lose precision to rounding near 1.
    Some(-StudentsT::new(0.0, 1.0, freedom).ok()?.inverse_cdf(beyond))
}

/// The limit for the largest of `count` distances of an honest answer.
pub(super) fn limit(freedom: f64, count: usize) -> f64 {
    farthest(FALSE_ALARMS, freedom, count).unwrap_or(f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use approx::assert_abs_diff_eq;

    use super::*;

    /// From tables: χ² of 7 at 5 % is 2.167, t of 7 at 97.5 % is 2.365, at 99.75 % 4.029.
    #[test]
    fn quantiles_agree_with_published_tables() {
        for (found, wanted) in [
            (margin(7.0), (7.0_f64 / 2.1673).log10() / 2.0),
            (reach(7.0, 1), 2.3646),
            (reach(7.0, 10), 4.0293),
        ] {
            assert_abs_diff_eq!(found.unwrap(), wanted, epsilon = 1e-3);
        }
        let far = reach(7.0, 10_000_000).unwrap();
        assert!(far.is_finite() && far > reach(7.0, 1_000_000).unwrap(), "{far}");
    }
}
