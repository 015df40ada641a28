//! Measuring kernels side by side with what the processor can do.

#![allow(dead_code)]

pub mod peak;

use std::time::{Duration, Instant};

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

/// The shortest time in seconds of one run of each candidate, taken in turns so that whatever else the machine does
/// meets all alike.
pub fn interleaved(candidates: &mut [Candidate]) -> Vec<f64> {
    let mut best = vec![f64::INFINITY; candidates.len()];
    let runs: Vec<usize> = candidates
        .iter_mut()
        .map(|candidate| {
            (candidate.run)();
            let start = Instant::now();
            (candidate.run)();
            (SLICE.as_secs_f64() / start.elapsed().as_secs_f64())
                .ceil()
                .clamp(1.0, 1e6) as usize
        })
        .collect();
    for _ in 0..ROUNDS {
        for ((candidate, best), runs) in candidates.iter_mut().zip(&mut best).zip(&runs) {
            let start = Instant::now();
            (0..*runs).for_each(|_| (candidate.run)());
            *best = best.min(start.elapsed().as_secs_f64() / *runs as f64);
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
