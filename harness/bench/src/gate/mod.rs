//! Decides whether a backend became slower, with stated error rates.
//!
//! # The measure
//! A *pair* is one turn of the new and one of the old backend, one after the other, each in a fresh
//! process, in random order. Its value is ln(new ÷ old) of the two medians. A slow period of the machine
//! affects both turns of a pair; because of the random order it is equally likely to be to the
//! disadvantage of either backend.
//!
//! # The test
//! If both backends are equally fast, each value is positive with probability ½, whatever the magnitudes
//! are and however they depend on each other, because the order is random. So Wilcoxon's signed-rank
//! test is exact here ([`signed_rank`]); its inversion gives bounds of the ratio. Bounds are computed at
//! fixed numbers of pairs (*looks*), each with an equal share of the stated error rates, so that all
//! looks together keep them (Bonferroni's inequality, which requires no assumption on the dependence
//! between looks).
//!
//! - *not slower* as soon as the upper bound is below the margin: the probability of this verdict for a
//!   slowdown by the margin is at most 1 − power;
//! - *slower* as soon as the lower bound is above 1: the probability of this verdict for equal backends
//!   is at most alpha;
//! - *inconclusive* if neither occurs within the allowed pairs and time, or if a latency is not valid.
//!
//! A saved run was measured at another time, so that no random order is possible. The bounds are then
//! those of the rank-sum test ([`rank_sum`]); they do not cover changes of the machine between the two
//! runs. Pairs are more reliable.

mod rank_sum;
mod saved;
mod signed_rank;
#[cfg(test)]
mod tests;

use std::time::Duration;

use run_record::{LatencyVerdict, RatioInterval};
use statrs::distribution::{ContinuousCDF, Normal};

pub use saved::{SavedError, SavedRun};

/// The number of pairs at the first look: with fewer, no bounds exist at usual error rates.
const FIRST_LOOK: u32 = 8;

/// The ratio of the numbers of pairs of two successive looks.
const GROWTH: f64 = 1.35;

/// The interquartile range of a normal distribution, in standard deviations.
const QUARTILES: f64 = 1.349;

/// The error rates and limits of a gate.
#[derive(Clone, PartialEq, Debug)]
pub struct Design {
    /// The probability of the verdict *slower* for equal backends.
    pub alpha: f64,
    /// 1 − the probability of the verdict *not slower* for a slowdown by `margin`.
    pub power: f64,
    /// The slowdown that matters, as a fraction of the old latency.
    pub margin: f64,
    /// The time after which no pair starts.
    pub time: Duration,
    looks: Vec<u32>,
}

impl Design {
    /// A gate that decides as early as possible, with at most `pairs` pairs.
    pub fn sequential(alpha: f64, power: f64, margin: f64, pairs: u32, time: Duration) -> Design {
        let next = |look: &u32| Some((f64::from(*look) * GROWTH).ceil() as u32);
        let mut looks: Vec<u32> = std::iter::successors(Some(FIRST_LOOK), next)
            .take_while(|look| *look < pairs)
            .collect();
        looks.push(pairs);
        Design {
            alpha,
            power,
            margin,
            time,
            looks,
        }
    }

    /// A gate that decides after `pairs` pairs.
    pub fn fixed(alpha: f64, power: f64, margin: f64, pairs: u32, time: Duration) -> Design {
        Design {
            looks: vec![pairs],
            ..Design::sequential(alpha, power, margin, pairs, time)
        }
    }

    /// The design for each of `count` comparisons, so that the probability of a false alarm in any of
    /// them stays `alpha`.
    pub fn shared_by(&self, count: usize) -> Design {
        Design {
            alpha: self.alpha / count.max(1) as f64,
            ..self.clone()
        }
    }

    /// The greatest number of pairs that a gate may be allowed.
    pub const MOST_PAIRS: u32 = 500;

    /// The maximum number of pairs.
    pub fn max_pairs(&self) -> u32 {
        self.looks.last().copied().unwrap_or_default()
    }

    /// The error rates of one look: of *slower* and of *not slower*.
    fn levels(&self) -> (f64, f64) {
        let looks = self.looks.len().max(1) as f64;
        (self.alpha / looks, (1.0 - self.power) / looks)
    }

    /// The approximate number of pairs that detects a slowdown by `part` with probability `power` if one
    /// log-ratio has the standard deviation `spread`. `None` if no number of pairs does.
    pub fn pairs_needed(&self, spread: f64, part: f64) -> Option<u64> {
        let normal = Normal::standard();
        let deviations = |tail: f64| normal.inverse_cdf(1.0 - tail);
        let sum = deviations(self.levels().0) + deviations(1.0 - self.power);
        // The signed-rank test has an efficiency of 3/π relative to the mean.
        let pairs = (sum * spread / part.ln_1p()).powi(2) * std::f64::consts::PI / 3.0;
        (pairs.is_finite() && part > 0.0).then(|| (pairs.ceil() as u64).max(FIRST_LOOK.into()))
    }
}

/// A decision with the number of pairs and the bounds.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Decision {
    pub verdict: LatencyVerdict,
    pub pairs: u64,
    pub ratio: Option<RatioInterval>,
    /// The standard deviation of one value, computed from the quartiles.
    pub spread: Option<f64>,
    /// About how many pairs decide, if these do not.
    pub needed: Option<u64>,
}

/// An estimate of a shift with bounds.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Bounds {
    estimate: f64,
    low: f64,
    high: f64,
}

impl Bounds {
    /// The ratio of which these are the logarithms.
    fn ratio(self) -> RatioInterval {
        RatioInterval {
            estimate: self.estimate.exp(),
            low: self.low.exp(),
            high: self.high.exp(),
        }
    }
}

/// Decides on the values that `next` returns until it returns `None`: log-ratios of pairs, or, if `old`
/// holds the logarithms of a saved run, logarithms of new turns.
pub(super) fn decide(
    design: &Design,
    old: Option<&[f64]>,
    mut next: impl FnMut() -> Option<f64>,
) -> Decision {
    let mut values = Vec::new();
    let (alpha, beta) = design.levels();
    let bounds = |values: &[f64]| match old {
        None => signed_rank::bounds(values, alpha, beta),
        Some(old) => rank_sum::bounds(values, old, alpha, beta),
    };
    for look in &design.looks {
        while values.len() < *look as usize {
            let Some(value) = next() else {
                // The share of this look is unused, so that one more decision is allowed.
                return decision(design, &values, bounds(&values), old);
            };
            values.push(value);
        }
        let decided = decision(design, &values, bounds(&values), old);
        if decided.verdict != LatencyVerdict::Inconclusive {
            return decided;
        }
    }
    decision(design, &values, bounds(&values), old)
}

/// The probability that one bound of [`paired_ratio`] is wrong.
const ONE_SIDE: f64 = 0.025;

/// The ratio of paired times, `new` to `old`, with bounds that each hold with a probability of 97.5 %: the
/// inverted signed-rank test, which is exact for any number of pairs. `None` for fewer than six pairs, or
/// if a time is 0. A bootstrap of as few pairs would give intervals that are too short: resamples of eight
/// values cover the centre in about 90 % of cases instead of 95 % (a test measures this).
pub(super) fn paired_ratio(new: &[u64], old: &[u64]) -> Option<RatioInterval> {
    let logarithms = new
        .iter()
        .zip(old)
        .map(|(new, old)| (*new as f64 / *old as f64).ln());
    let values: Vec<f64> = logarithms.collect();
    let finite = values.iter().all(|value| value.is_finite());
    let bounds = signed_rank::bounds(&values, ONE_SIDE, ONE_SIDE).filter(|_| finite)?;
    Some(bounds.ratio())
}

fn decision(design: &Design, values: &[f64], bounds: Option<Bounds>, old: Option<&[f64]>) -> Decision {
    let verdict = match bounds {
        Some(bounds) if bounds.high < design.margin.ln_1p() => LatencyVerdict::NotSlower,
        Some(bounds) if bounds.low > 0.0 => LatencyVerdict::Slower,
        Some(_) | None => LatencyVerdict::Inconclusive,
    };
    let spread = old.is_none().then(|| spread(values)).flatten();
    let pairs = values.len() as u64;
    Decision {
        verdict,
        pairs,
        ratio: bounds.map(Bounds::ratio),
        needed: spread
            .and_then(|spread| design.pairs_needed(spread, beyond(design, values).exp_m1()))
            .filter(|needed| *needed > pairs),
        spread,
    }
}

/// How far the centre of the values is from the ratio that a verdict excludes, the farther of both: equality
/// for *slower*, the margin for *not slower*.
fn beyond(design: &Design, values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let centre = sorted.get(sorted.len() / 2).copied().unwrap_or_default();
    centre.max(design.margin.ln_1p() - centre)
}

/// The standard deviation of a normal distribution with the quartiles of `values`; `None` for fewer than
/// four.
fn spread(values: &[f64]) -> Option<f64> {
    use statrs::statistics::{Data, OrderStatistics};
    let mut data = Data::new(values.to_vec());
    (values.len() >= 4).then(|| data.interquartile_range() / QUARTILES)
}
