//! Whether a backend became slower, decided with stated error rates.
//!
//! # The measure
//! A *pair* is one turn of the new and one of the old backend, each in a fresh process, one after the other, the first of them
//! drawn by lot. Its value is ln(new ÷ old) of the two medians. A slow spell of the machine hits both turns of a pair, and the lot
//! makes it as likely to the disadvantage of the one as of the other.
//!
//! # The test
//! If both backends are equally fast, the sign of each value is a fair coin, whatever the magnitudes are and however they depend on
//! each other, because the lot decided who was first. So Wilcoxon's signed-rank test is exact there ([`signed_rank`]); its inversion
//! bounds the ratio. Bounds are computed at fixed numbers of pairs (*looks*), each at an equal share of the stated error rates, so that
//! all looks together keep them (Bonferroni's inequality, which needs no assumption on how looks depend on each other).
//!
//! - *not slower* as soon as the upper bound lies below the margin: a slowdown by the margin is called so with a probability of at most
//!   1 − power;
//! - *slower* as soon as the lower bound lies above 1: equal backends are called so with a probability of at most alpha;
//! - *inconclusive* if neither happens within the pairs and the time that are allowed, or if a latency is not valid.
//!
//! A saved run was measured at another time, so no lot can be drawn. The bounds are those of the rank-sum test ([`rank_sum`]), and they
//! do not cover what changed on the machine in between: a pair is always better.

mod contest;
mod rank_sum;
mod saved;
mod signed_rank;
#[cfg(test)]
mod tests;

use std::time::Duration;

use reports::record::{LatencyVerdict, RatioInterval};
use statrs::distribution::{ContinuousCDF, Normal};

pub(super) use contest::{Contest, Opponent};
pub use saved::{SavedError, SavedRun};

/// The number of pairs at the first look: with fewer, no bound exists at usual error rates.
const FIRST_LOOK: u32 = 8;

/// Each look has so many times the pairs of the one before.
const GROWTH: f64 = 1.35;

/// The interquartile range of a normal distribution in standard deviations.
const QUARTILES: f64 = 1.349;

/// When a gate decides.
#[derive(Clone, PartialEq, Debug)]
pub struct Design {
    /// The probability of *slower* where both are equally fast.
    pub alpha: f64,
    /// The probability not to call a slowdown by `margin` *not slower*.
    pub power: f64,
    /// The slowdown that matters, as a part of the old latency.
    pub margin: f64,
    /// The time after which no pair begins.
    pub time: Duration,
    looks: Vec<u32>,
}

impl Design {
    /// A gate that decides as soon as it can, with at most `pairs` pairs.
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

    /// One that decides after `pairs` pairs.
    pub fn fixed(alpha: f64, power: f64, margin: f64, pairs: u32, time: Duration) -> Design {
        Design {
            looks: vec![pairs],
            ..Design::sequential(alpha, power, margin, pairs, time)
        }
    }

    /// The same for each of `count` models: a wrong alarm of any of them is as improbable as stated.
    pub fn shared_by(&self, count: usize) -> Design {
        Design {
            alpha: self.alpha / count.max(1) as f64,
            ..self.clone()
        }
    }

    /// The most pairs.
    pub fn most(&self) -> u32 {
        self.looks.last().copied().unwrap_or_default()
    }

    /// The error rates of one look: of *slower*, and of *not slower*.
    fn levels(&self) -> (f64, f64) {
        let looks = self.looks.len().max(1) as f64;
        (self.alpha / looks, (1.0 - self.power) / looks)
    }

    /// About how many pairs are needed to find a slowdown by `part` in `power` of all cases, if one log-ratio has the standard
    /// deviation `spread`. None where no number does.
    pub fn pairs_needed(&self, spread: f64, part: f64) -> Option<u64> {
        let normal = Normal::standard();
        let deviations = |tail: f64| normal.inverse_cdf(1.0 - tail);
        let sum = deviations(self.levels().0) + deviations(1.0 - self.power);
        // The signed-rank test needs 3/π of the pairs that a mean would need less.
        let pairs = (sum * spread / part.ln_1p()).powi(2) * std::f64::consts::PI / 3.0;
        (pairs.is_finite() && part > 0.0).then(|| (pairs.ceil() as u64).max(FIRST_LOOK.into()))
    }
}

/// What was decided, on how many pairs, with which bounds.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Decision {
    pub verdict: LatencyVerdict,
    pub pairs: u64,
    pub ratio: Option<RatioInterval>,
    /// The standard deviation of one value, by its quartiles.
    pub spread: Option<f64>,
}

/// An estimate of a shift with bounds.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Bounds {
    estimate: f64,
    low: f64,
    high: f64,
}

/// Decides on values that `next` gives until it gives no more: log-ratios of pairs, or where `old` has logarithms of a saved run,
/// those of new turns.
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
                // The share of this look is not used yet.
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

fn decision(design: &Design, values: &[f64], bounds: Option<Bounds>, old: Option<&[f64]>) -> Decision {
    let verdict = match bounds {
        Some(bounds) if bounds.high < design.margin.ln_1p() => LatencyVerdict::NotSlower,
        Some(bounds) if bounds.low > 0.0 => LatencyVerdict::Slower,
        Some(_) | None => LatencyVerdict::Inconclusive,
    };
    Decision {
        verdict,
        pairs: values.len() as u64,
        ratio: bounds.map(|bounds| RatioInterval {
            estimate: bounds.estimate.exp(),
            low: bounds.low.exp(),
            high: bounds.high.exp(),
        }),
        spread: old.is_none().then(|| spread(values)).flatten(),
    }
}

/// The standard deviation of normal values with the same quartiles; none of fewer than four.
fn spread(values: &[f64]) -> Option<f64> {
    use statrs::statistics::{Data, OrderStatistics};
    let mut data = Data::new(values.to_vec());
    (values.len() >= 4).then(|| data.interquartile_range() / QUARTILES)
}
