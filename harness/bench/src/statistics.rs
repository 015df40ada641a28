//! Computes figures from samples, and how many samples a figure needs.

use statrs::statistics::{Data, Distribution, Min, OrderStatistics};

/// The confidence that a percentile is not understated; MLPerf's loadgen also uses 99 %.
const CONFIDENCE: f64 = 0.99;

/// The figures of a series, in nanoseconds; all 0 without samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Summary {
    pub min_ns: u64,
    pub median_ns: u64,
    pub mean_ns: u64,
    /// `None` if the samples are too few; the same for `p99_ns`.
    pub p90_ns: Option<u64>,
    pub p99_ns: Option<u64>,
}

/// The figures of a series. A percentile is interpolated between two samples (Hyndman and Fan, method
/// 8).
pub(super) fn summarize(samples: &[u64]) -> Summary {
    if samples.is_empty() {
        return Summary::default();
    }
    let mut data = Data::new(samples.iter().map(|&ns| ns as f64).collect::<Vec<_>>());
    let whole = |ns: f64| ns.round() as u64;
    let percentile = |percent: usize, data: &mut Data<Vec<f64>>| {
        supports(percent, samples.len()).then(|| whole(data.percentile(percent)))
    };
    Summary {
        min_ns: whole(data.min()),
        median_ns: whole(OrderStatistics::median(&mut data)),
        mean_ns: data.mean().map_or(0, whole),
        p90_ns: percentile(90, &mut data),
        p99_ns: percentile(99, &mut data),
    }
}

/// The median in whole nanoseconds; 0 without samples.
pub(super) fn median(samples: &[u64]) -> u64 {
    let mut data = Data::new(samples.iter().map(|&ns| ns as f64).collect::<Vec<_>>());
    if samples.is_empty() {
        0
    } else {
        OrderStatistics::median(&mut data).round() as u64
    }
}

/// Whether `samples` are enough for the `percent`-th percentile.
///
/// They are if the probability that at most one of the samples is beyond the percentile is below 1 %:
/// then a true percentile above the second highest sample is improbable. That gives 64 samples for the
/// 90th and 662 for the 99th, the counts of MLPerf's loadgen with one outlier.
pub fn supports(percent: usize, samples: usize) -> bool {
    let below = percent as f64 / 100.0;
    let n = samples as f64;
    let at_most_one_beyond = below.powf(n) + n * (1.0 - below) * below.powf(n - 1.0);
    samples > 0 && at_most_one_beyond <= 1.0 - CONFIDENCE
}

/// Whether `samples` are enough for a median, the minimum for a comparison.
pub fn conclusive(samples: u64) -> bool {
    usize::try_from(samples).is_ok_and(|samples| supports(50, samples))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_agree_with_values_derived_by_hand() {
        assert_eq!(summarize(&[]), Summary::default());
        let one = Summary {
            min_ns: 7,
            median_ns: 7,
            mean_ns: 7,
            ..Summary::default()
        };
        assert_eq!(summarize(&[7]), one);
        let few = Summary {
            min_ns: 1,
            median_ns: 3,
            mean_ns: 22,
            ..Summary::default()
        };
        assert_eq!(summarize(&[3, 1, 100, 4, 2]), few);
        // Method 8 of 1..=n: the p-th quantile is (n + 1/3) p + 1/3.
        let hundred = Summary {
            min_ns: 1,
            median_ns: 51,
            mean_ns: 51,
            p90_ns: Some(91),
            p99_ns: None,
        };
        assert_eq!(summarize(&(1..=100).rev().collect::<Vec<_>>()), hundred);
        let thousand = summarize(&(1..=1000).collect::<Vec<_>>());
        assert_eq!((thousand.p90_ns, thousand.p99_ns), (Some(901), Some(991)));
    }

    #[test]
    fn a_median_lies_between_the_middle_samples() {
        assert_eq!(
            [median(&[]), median(&[5]), median(&[9, 1, 5]), median(&[1, 2])],
            [0, 5, 5, 2]
        );
    }

    #[test]
    fn a_percentile_needs_as_many_samples_as_in_loadgen() {
        for (percent, enough) in [(50, 11), (90, 64), (99, 662)] {
            assert!(supports(percent, enough), "{percent}");
            assert!(!supports(percent, enough - 1), "{percent}");
        }
        assert!(!supports(50, 0));
    }
}
