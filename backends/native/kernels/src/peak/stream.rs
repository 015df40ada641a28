//! The rate at which bytes are read.

use std::hint::black_box;
use std::time::{Duration, Instant};

use super::together;

/// Larger than any cache.
const BYTES: usize = 512 << 20;
/// The number of positions that are read concurrently, as kernels do; a single one is limited by latency.
const STREAMS: usize = 8;
/// The number of words in a cache line.
const LINE: usize = 8;
/// The number of bytes of a word.
const WORD: usize = 8;

/// Returns the rate of one core from memory in GB/s, the maximum of a few passes over 512 MiB.
pub fn measure() -> f64 {
    let memory = vec![1u64; BYTES / WORD];
    (0..8).map(|_| pass(&memory) / 1e9).fold(0.0, f64::max)
}

/// Returns the bytes that `threads` threads read in a second together, if each repeatedly reads its own part of `bytes`: from a cache if
/// they fit into it, else from memory. The best of several measurements within about `time`.
pub fn bandwidth(bytes: usize, threads: usize, time: Duration) -> f64 {
    let least = STREAMS * LINE;
    let words = (bytes / WORD / threads.max(1)).max(least);
    let passes = (1 << 20) / (words * WORD) + 1;
    let best = |memory: &Vec<u64>| (0..passes).map(|_| pass(memory)).fold(0.0, f64::max);
    together(threads, time, || vec![1; words], best)
}

/// Reads all words once and returns bytes in a second.
fn pass(memory: &[u64]) -> f64 {
    let streams: Vec<&[u64]> = memory.chunks_exact(memory.len() / STREAMS).collect();
    let length = memory.len() / STREAMS / LINE * LINE;
    let start = Instant::now();
    let mut sums = [[0u64; LINE]; STREAMS];
    for at in (0..length).step_by(LINE) {
        for (sums, stream) in sums.iter_mut().zip(&streams) {
            for (sum, value) in sums.iter_mut().zip(&stream[at..at + LINE]) {
                *sum = sum.wrapping_add(*value);
            }
        }
    }
    black_box(sums);
    (length * STREAMS * WORD) as f64 / start.elapsed().as_secs_f64().max(1e-9)
}
