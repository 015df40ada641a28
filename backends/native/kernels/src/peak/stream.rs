//! The rate at which bytes are read.

use std::hint::black_box;
use std::time::{Duration, Instant};

use super::together;
use crate::Isa;
use crate::simd::{Kernel, Simd};

/// Larger than any cache.
const BYTES: usize = 512 << 20;
/// The number of positions that are read concurrently, as kernels do; a single one is limited by latency.
const STREAMS: usize = 8;
/// The number of bytes of an element.
const ELEMENT: usize = 4;

/// Returns the rate of one core from memory in GB/s, the maximum of a few passes over 512 MiB.
pub fn measure() -> f64 {
    let memory = vec![1.0; BYTES / ELEMENT];
    (0..8).map(|_| pass(&memory) / 1e9).fold(0.0, f64::max)
}

/// Returns the bytes that `threads` threads read in a second together, if each repeatedly reads its own part
/// of `bytes`: from a cache if they fit into it, else from memory. The best of several measurements within
/// about `time`.
pub fn bandwidth(bytes: usize, threads: usize, time: Duration) -> f64 {
    // At least a few vectors of each stream.
    let elements = (bytes / ELEMENT / threads.max(1)).max(STREAMS * 64);
    // A short pass is repeated, so that the clock costs nothing.
    let passes = (1 << 20) / (elements * ELEMENT) + 1;
    let rate = |memory: &Vec<f32>| {
        let start = Instant::now();
        let read: usize = (0..passes).map(|_| read(memory)).sum();
        read as f64 / start.elapsed().as_secs_f64().max(1e-9)
    };
    together(threads, time, || vec![1.0; elements], rate)
}

/// Reads all elements once and returns bytes in a second.
fn pass(memory: &[f32]) -> f64 {
    let start = Instant::now();
    let bytes = read(memory);
    bytes as f64 / start.elapsed().as_secs_f64().max(1e-9)
}

/// Reads the elements and returns the number of bytes.
fn read(memory: &[f32]) -> usize {
    black_box(Isa::detect().run(Sum(black_box(memory))))
}

/// Adds the elements of [`STREAMS`] parts of a slice, each in one sum.
struct Sum<'m>(&'m [f32]);

impl Kernel for Sum<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> usize {
        let length = self.0.len() / STREAMS / S::LANES * S::LANES;
        let mut sums = [simd.splat(0.0); STREAMS];
        let start = self.0.as_ptr();
        for at in (0..length).step_by(S::LANES) {
            for (stream, sum) in sums.iter_mut().enumerate() {
                // SAFETY: `stream * length + at + LANES` is at most `STREAMS * length`, which is at
                // most the length of the slice.
                *sum = simd.add(*sum, unsafe { simd.load(start.add(stream * length + at)) });
            }
        }
        black_box(sums.map(|sum| simd.sum(sum)));
        STREAMS * length * ELEMENT
    }
}
