//! Measures kernels and the peak of the processor in alternation.

#![allow(dead_code)]

pub use native_kernels::peak;
pub mod zoo;

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// Rows, common dimension, columns: squares, pointwise convolutions of ResNet-50 as products, projections of
/// transformers, few rows.
pub const PRODUCTS: [(usize, usize, usize); 16] = [
    (1024, 1024, 1024),
    (256, 256, 256),
    (100, 100, 100),
    (3136, 64, 256),
    (784, 512, 128),
    (196, 1024, 256),
    (49, 2048, 512),
    (128, 768, 3072),
    (128, 3072, 768),
    (8, 1024, 1024),
    (16, 768, 3072),
    (50, 768, 3072),
    (77, 512, 2048),
    (128, 512, 512),
    (197, 768, 3072),
    (784, 192, 768),
];

/// A measured function with its name.
pub struct Candidate<'a> {
    pub name: String,
    pub run: Box<dyn FnMut() + 'a>,
}

impl<'a> Candidate<'a> {
    pub fn new(name: impl Into<String>, run: impl FnMut() + 'a) -> Self {
        Self {
            name: name.into(),
            run: Box::new(run),
        }
    }
}

/// The time of a candidate in each round.
const SLICE: Duration = Duration::from_millis(2);
const ROUNDS: usize = 40;
/// The maximum total time of one candidate.
const MAX_TIME: Duration = Duration::from_secs(4);

/// Returns the processor time of this thread in seconds, which excludes time of other programs.
pub fn thread_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Returns the shortest processor time in seconds of one run of each candidate. Candidates run in
/// alternation, so that other load affects all alike.
pub fn interleaved(candidates: &mut [Candidate]) -> Vec<f64> {
    let mut best = vec![f64::INFINITY; candidates.len()];
    let runs: Vec<usize> = candidates
        .iter_mut()
        .map(|candidate| {
            (candidate.run)();
            let start = thread_seconds();
            (candidate.run)();
            (SLICE.as_secs_f64() / (thread_seconds() - start))
                .ceil()
                .clamp(1.0, 1e6) as usize
        })
        .collect();
    let start = Instant::now();
    for round in 0..ROUNDS {
        if round >= 5 && start.elapsed() > MAX_TIME {
            break;
        }
        for ((candidate, best), runs) in candidates.iter_mut().zip(&mut best).zip(&runs) {
            let start = thread_seconds();
            (0..*runs).for_each(|_| (candidate.run)());
            *best = best.min((thread_seconds() - start) / *runs as f64);
        }
    }
    best
}

/// Values between -1 and 1.
pub fn values(len: usize) -> Vec<f32> {
    (0..len)
        .map(|i| ((i * 7919 + 17) % 2003) as f32 / 1001.5 - 1.0)
        .collect()
}
