//! The bytes that one core reads from memory in a second.

use std::hint::black_box;
use std::time::Instant;

/// Larger than any cache that one core fills.
const BYTES: usize = 512 << 20;

/// The best of a few passes over 512 MiB, in GB/s.
pub fn measure() -> f64 {
    let memory = vec![1u64; BYTES / 8];
    let pass = || {
        let start = Instant::now();
        // Eight sums: one would wait for its own additions.
        let mut sums = [0u64; 8];
        for eight in memory.as_chunks::<8>().0 {
            for (sum, value) in sums.iter_mut().zip(eight) {
                *sum = sum.wrapping_add(*value);
            }
        }
        black_box(sums);
        BYTES as f64 / start.elapsed().as_secs_f64() / 1e9
    };
    (0..8).map(|_| pass()).fold(0.0, f64::max)
}
