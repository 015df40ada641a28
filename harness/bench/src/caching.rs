//! Detects backends that did not compute their outputs in the timed runs.
//!
//! A backend that stores outputs is fast on inputs that it has seen before. Three times are compared:
//!
//! - *varied*: runs over the ring of inputs; this is the latency;
//! - *repeated*: runs over one input of the ring, in as many buffers as the ring has, so that both use
//!   the same amount of memory;
//! - *fresh*: runs on inputs that are new to the backend.
//!
//! A backend that computes takes the same time for all three. The rule is a function of recorded times
//! and reads no clock.

use std::fmt;
use std::time::{Duration, Instant};

use backend_api::Named;
use statrs::distribution::{Binomial, DiscreteCDF};

/// The threshold for the ratio of repeated to varied times, and of varied to fresh times.
const THRESHOLD: f64 = 0.9;

/// Smaller differences can result from the clock or from processor caches.
const MIN_NS: u64 = 1_000;

/// The probability that a backend without a cache is reported, for each of the two comparisons (sign
/// test).
const SIGNIFICANCE: f64 = 0.01;

/// The number of turns in which the times are compared; the sign test needs at least 7.
pub(super) const PAIRS: u32 = 8;

/// Copies of fewer bytes are too fast to be measured.
const MIN_BYTES: usize = 64 << 10;

/// The median times of one turn, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pair {
    /// Runs over the ring.
    pub varied_ns: u64,
    /// Runs over one input.
    pub repeated_ns: u64,
    /// Runs on fresh inputs; `None` if no fresh inputs can be made.
    pub fresh_ns: Option<u64>,
}

/// The evidence that a backend stores outputs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Caching {
    /// The ratio of repeated to varied times.
    Repeated(f64),
    /// The ratio of varied to fresh times.
    Seen(f64),
    /// A run takes less time than a copy of its inputs: median and copy in nanoseconds.
    BelowCopy(u64, u64),
}

impl fmt::Display for Caching {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |part: &f64| 100.0 * part;
        match self {
            Caching::Repeated(part) => {
                write!(
                    f,
                    "runs on one repeated input take {:.0} % of the time of runs on varied inputs",
                    percent(part)
                )
            }
            Caching::Seen(part) => {
                write!(
                    f,
                    "runs on inputs that were used before take {:.0} % of the time of runs on new ones",
                    percent(part)
                )
            }
            Caching::BelowCopy(median, copy) => write!(
                f,
                "a run takes {:?}, but copying its inputs alone takes {:?}",
                Duration::from_nanos(*median),
                Duration::from_nanos(*copy)
            ),
        }
    }
}

/// Whether a backend stores outputs. The arguments are the times of its turns, the median of all its
/// runs, and the time to copy its inputs (`None` if that is too short to be measured).
pub(super) fn judge(pairs: &[Pair], median_ns: u64, copy_ns: Option<u64>) -> Option<Caching> {
    let repeated = pairs.iter().map(|pair| (pair.repeated_ns, pair.varied_ns));
    let seen = pairs
        .iter()
        .filter_map(|pair| Some((pair.varied_ns, pair.fresh_ns?)));
    let below = copy_ns.filter(|copy| median_ns < *copy);
    part(repeated)
        .map(Caching::Repeated)
        .or_else(|| part(seen).map(Caching::Seen))
        .or_else(|| below.map(|copy| Caching::BelowCopy(median_ns, copy)))
}

/// The median ratio of the first to the second time, if it is below [`THRESHOLD`] in more turns than chance
/// explains.
fn part(times: impl Iterator<Item = (u64, u64)>) -> Option<f64> {
    let times: Vec<(u64, u64)> = times.collect();
    let is_below = |(short, long): &&(u64, u64)| {
        (*short as f64) < THRESHOLD * *long as f64 && long.saturating_sub(*short) > MIN_NS
    };
    let below = times.iter().filter(is_below).count() as u64;
    let chance = Binomial::new(0.5, times.len() as u64).ok()?;
    let at_least = match below {
        0 => 1.0,
        below => chance.sf(below - 1),
    };
    if at_least > SIGNIFICANCE {
        return None;
    }
    let mut parts: Vec<f64> = times
        .iter()
        .map(|(short, long)| *short as f64 / *long as f64)
        .collect();
    parts.sort_by(f64::total_cmp);
    parts.get(parts.len() / 2).copied()
}

/// The time in nanoseconds in which this machine copies the inputs: the shortest of several attempts.
/// `None` for small inputs.
pub(super) fn copy_cost(inputs: &[Named]) -> Option<u64> {
    const MAX_BYTES: usize = 1 << 30;
    const ATTEMPTS: usize = 8;
    let bytes = inputs
        .iter()
        .map(|(_, value)| value.memory())
        .fold(0, usize::saturating_add)
        .min(MAX_BYTES);
    if bytes < MIN_BYTES {
        return None;
    }
    let (from, mut to) = (vec![1_u8; bytes], vec![0_u8; bytes]);
    let times = (0..ATTEMPTS).map(|_| {
        let began = Instant::now();
        to.copy_from_slice(std::hint::black_box(&from));
        std::hint::black_box(&mut to);
        u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX)
    });
    times.min()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(times: &[(u64, u64, u64)]) -> Vec<Pair> {
        let pair = |&(varied, repeated, fresh): &(u64, u64, u64)| Pair {
            varied_ns: varied * 1_000,
            repeated_ns: repeated * 1_000,
            fresh_ns: Some(fresh * 1_000),
        };
        times.iter().map(pair).collect()
    }

    #[track_caller]
    fn check(pairs: &[Pair], expected: Option<Caching>) {
        assert_eq!(judge(pairs, 100_000, None), expected);
    }

    #[test]
    fn a_backend_that_stores_the_last_output_is_faster_on_a_repeated_input() {
        check(&pairs(&[(100, 5, 100); 8]), Some(Caching::Repeated(0.05)));
        // A ratio of exactly 90 % is allowed.
        check(&pairs(&[(100, 90, 100); 8]), None);
        check(&pairs(&[(100, 89, 100); 8]), Some(Caching::Repeated(0.89)));
    }

    #[test]
    fn a_backend_that_stores_all_outputs_is_slower_on_new_inputs() {
        check(&pairs(&[(5, 5, 100); 8]), Some(Caching::Seen(0.05)));
        let mut unknown = pairs(&[(5, 5, 100); 8]);
        unknown.iter_mut().for_each(|pair| pair.fresh_ns = None);
        check(&unknown, None);
    }

    #[test]
    fn noise_is_not_reported_as_caching() {
        // Seven of eight turns occur by chance once in 28 times.
        let mut noisy = pairs(&[(100, 50, 100); 7]);
        noisy.push(pairs(&[(100, 100, 100)])[0]);
        check(&noisy, None);
        // Six turns are too few for a result; seven are enough.
        check(&pairs(&[(100, 5, 100); 6]), None);
        check(&pairs(&[(100, 5, 100); 7]), Some(Caching::Repeated(0.05)));
        check(&[], None);
        // A processor cache can explain half a microsecond.
        let short = Pair {
            varied_ns: 1_000,
            repeated_ns: 500,
            fresh_ns: Some(1_000),
        };
        check(&[short; 8], None);
    }

    #[test]
    fn a_run_cannot_be_shorter_than_a_copy_of_its_inputs() {
        let even = pairs(&[(1, 1, 1); 8]);
        assert_eq!(
            judge(&even, 900, Some(1_000)),
            Some(Caching::BelowCopy(900, 1_000))
        );
        assert_eq!(judge(&even, 1_000, Some(1_000)), None);
    }

    #[test]
    fn the_copy_of_small_inputs_is_not_measured() {
        use onnx_tensor::Tensor;
        let input = |count: usize| vec![("x".to_owned(), Tensor::vector(vec![0.0_f32; count]).into())];
        assert_eq!(copy_cost(&input(100)), None);
        assert!(copy_cost(&input(1 << 20)).is_some_and(|ns| ns > 0));
    }
}
