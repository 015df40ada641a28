//! The bytes that one core reads from memory in a second.

use std::hint::black_box;
use std::time::Instant;

/// Larger than any cache that one core fills.
const BYTES: usize = 512 << 20;
/// Places that are read side by side, as kernels do: one alone waits for the memory, not for its width.
const STREAMS: usize = 8;
/// Numbers in a cache line.
const LINE: usize = 8;

/// The best of a few passes over 512 MiB, in GB/s.
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
