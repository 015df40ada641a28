//! Measuring kernels side by side with what the processor can do.

#![allow(dead_code)]

pub mod peak;
pub mod stream;
pub mod zoo;

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// Rows, common dimension, columns: squares, pointwise convolutions of ResNet-50 as products, a transformer's
/// projections, few rows.
pub const PRODUCTS: [(usize, usize, usize); 10] = [
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
];

/// Something measured: its name, and one run of it.
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

/// Time that a candidate gets in each round.
const SLICE: Duration = Duration::from_millis(2);
const ROUNDS: usize = 40;
/// What long candidates get together.
const MOST: Duration = Duration::from_secs(4);

/// Time that this thread has had a processor, in seconds: what others take is not counted.
pub fn thread_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// The shortest processor time in seconds of one run of each candidate, taken in turns so that whatever else the machine does
/// meets all alike.
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
        if round >= 5 && start.elapsed() > MOST {
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
