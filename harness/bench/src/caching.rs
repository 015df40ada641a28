//! Whether a backend computed its outputs in the runs that were timed.
//!
//! A backend that keeps outputs is fast on inputs that it has seen. Three times tell:
//!
//! - *varied*: runs over the ring of inputs, which are the latency;
//! - *repeated*: runs over one input of the ring, in as many buffers as the ring has, so that both need the same memory;
//! - *fresh*: runs on inputs that the backend has never seen.
//!
//! A backend that computes takes the same time for all three. The rule is a function of recorded times and knows no clock.

use std::fmt;
use std::time::{Duration, Instant};

use backend_api::Named;
use statrs::distribution::{Binomial, DiscreteCDF};

/// A repeated input may take this part of the time of varied ones; the same holds for varied inputs beside fresh ones.
const PART: f64 = 0.9;

/// Less than this is within what clocks and processor caches do.
const LEAST_NS: u64 = 1_000;

/// The chance that a backend without a cache is accused, for each of the two comparisons: a sign test.
const ACCUSED: f64 = 0.01;

/// Turns in which the times are compared; with fewer than 7 the sign test cannot tell.
pub(super) const PAIRS: u32 = 8;

/// Inputs with fewer bytes are copied faster than a clock can tell.
const LEAST_BYTES: usize = 64 << 10;

/// The median times of one turn, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pair {
    /// Over the ring.
    pub varied_ns: u64,
    /// Over one input.
    pub repeated_ns: u64,
    /// Over inputs that were never seen; none where none can be made.
    pub fresh_ns: Option<u64>,
}

/// How it is known that a backend keeps outputs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Caching {
    /// A repeated input takes this part of the time of varied ones.
    Repeated(f64),
    /// Inputs that were seen before take this part of the time of fresh ones.
    Seen(f64),
    /// A run takes less time than copying its inputs: median and copy in nanoseconds.
    BelowCopy(u64, u64),
}

impl fmt::Display for Caching {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |part: &f64| 100.0 * part;
        match self {
            Caching::Repeated(part) => {
                write!(
                    f,
                    "repeating one input takes {:.0} % of the time of varied ones",
                    percent(part)
                )
            }
            Caching::Seen(part) => {
                write!(
                    f,
                    "inputs that were seen before take {:.0} % of the time of new ones",
                    percent(part)
                )
            }
            Caching::BelowCopy(median, copy) => write!(
                f,
                "a run takes {:?}, and copying its inputs alone {:?}",
                Duration::from_nanos(*median),
                Duration::from_nanos(*copy)
            ),
        }
    }
}

/// Whether a backend keeps outputs, by the times of its turns, the median of all its runs and the time that copying its inputs
/// takes (none where that is too short to be measured).
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

/// The median part that the first time is of the second, if that is below [`PART`] in more turns than chance explains.
fn part(times: impl Iterator<Item = (u64, u64)>) -> Option<f64> {
    let times: Vec<(u64, u64)> = times.collect();
    let is_below = |(short, long): &&(u64, u64)| {
        (*short as f64) < PART * *long as f64 && long.saturating_sub(*short) > LEAST_NS
    };
    let below = times.iter().filter(is_below).count() as u64;
    let chance = Binomial::new(0.5, times.len() as u64).ok()?;
    let at_least = match below {
        0 => 1.0,
        below => chance.sf(below - 1),
    };
    if at_least > ACCUSED {
        return None;
    }
    let mut parts: Vec<f64> = times
        .iter()
        .map(|(short, long)| *short as f64 / *long as f64)
        .collect();
    parts.sort_by(f64::total_cmp);
    parts.get(parts.len() / 2).copied()
}

/// How long this machine takes to copy inputs, in nanoseconds: the shortest of some attempts. None for small inputs.
pub(super) fn copy_cost(inputs: &[Named]) -> Option<u64> {
    const MOST: usize = 1 << 30;
    const ATTEMPTS: usize = 8;
    let bytes = inputs
        .iter()
        .map(|(_, value)| value.memory())
        .fold(0, usize::saturating_add)
        .min(MOST);
    if bytes < LEAST_BYTES {
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
    fn a_backend_that_keeps_the_last_output_repeats_it_faster() {
        check(&pairs(&[(100, 5, 100); 8]), Some(Caching::Repeated(0.05)));
        // Exactly 10 % below is allowed.
        check(&pairs(&[(100, 90, 100); 8]), None);
        check(&pairs(&[(100, 89, 100); 8]), Some(Caching::Repeated(0.89)));
    }

    #[test]
    fn a_backend_that_keeps_all_outputs_is_slower_on_new_inputs() {
        check(&pairs(&[(5, 5, 100); 8]), Some(Caching::Seen(0.05)));
        let mut unknown = pairs(&[(5, 5, 100); 8]);
        unknown.iter_mut().for_each(|pair| pair.fresh_ns = None);
        check(&unknown, None);
    }

    #[test]
    fn noise_accuses_nobody() {
        // Seven of eight turns happen by chance once in 28 times.
        let mut noisy = pairs(&[(100, 50, 100); 7]);
        noisy.push(pairs(&[(100, 100, 100)])[0]);
        check(&noisy, None);
        // Six turns are too few for any claim, and seven are not.
        check(&pairs(&[(100, 5, 100); 6]), None);
        check(&pairs(&[(100, 5, 100); 7]), Some(Caching::Repeated(0.05)));
        check(&[], None);
        // Half a microsecond is what a processor cache does.
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
    fn only_large_inputs_have_a_cost() {
        use onnx_tensor::Tensor;
        let input = |count: usize| vec![("x".to_owned(), Tensor::vector(vec![0.0_f32; count]).into())];
        assert_eq!(copy_cost(&input(100)), None);
        assert!(copy_cost(&input(1 << 20)).is_some_and(|ns| ns > 0));
    }
}
