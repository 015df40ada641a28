//! The memory bandwidth of one core.

use std::hint::black_box;
use std::time::Instant;

/// Larger than any cache.
const BYTES: usize = 512 << 20;
/// The number of positions that are read concurrently, as kernels do; a single one is limited by latency.
const STREAMS: usize = 8;
/// The number of f64 in a cache line.
const LINE: usize = 8;

/// Returns the maximum of a few passes over 512 MiB, in GB/s.
pub fn measure() -> f64 {
    let memory = vec![1u64; BYTES / 8];
    let streams: Vec<&[u64]> = memory.chunks_exact(memory.len() / STREAMS).collect();
    let pass = || {
        let start = Instant::now();
        let mut sums = [[0u64; LINE]; STREAMS];
        for at in (0..memory.len() / STREAMS).step_by(LINE) {
            for (sums, stream) in sums.iter_mut().zip(&streams) {
                for (sum, value) in sums.iter_mut().zip(&stream[at..at + LINE]) {
                    *sum = sum.wrapping_add(*value);
                }
            }
        }
        black_box(sums);
        BYTES as f64 / start.elapsed().as_secs_f64() / 1e9
    };
    (0..8).map(|_| pass()).fold(0.0, f64::max)
}
