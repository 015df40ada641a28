//! The peak rates of this processor: multiplications and additions, and bytes from memory. A kernel
//! is compared with them.

mod stream;

use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

use crate::Isa;
use crate::int8::Dot;

pub use stream::{bandwidth, measure as memory};

/// The number of steps in one call of [`burst`].
const STEPS: usize = 4000;
const SUMS: usize = 24;

/// Runs a burst of independent fused operations. Returns their number; multiplications and additions count
/// separately.
pub fn burst(isa: Isa) -> f64 {
    let isa = isa.check().unwrap_or(Isa::Portable);
    match isa {
        // SAFETY: checked above.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => unsafe { x86::avx512() },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => unsafe { x86::avx2() },
        _ => portable(),
    }
    (STEPS * SUMS * 2 * isa.lanes()) as f64
}

/// Like [`burst`], with products of bytes: four multiplications and four additions for each sum.
pub fn burst_bytes(dot: Dot) -> f64 {
    let lanes: Option<usize> = match dot {
        // SAFETY: the constructor of this value checked that the instructions are available.
        #[cfg(target_arch = "x86_64")]
        Dot::Avx512Vnni => Some(unsafe { x86::avx512_vnni() }),
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Dot::AvxVnni => Some(unsafe { x86::avx_vnni() }),
        _ => None,
    };
    match lanes {
        Some(lanes) => (STEPS * SUMS * 8 * lanes) as f64,
        // Without such instructions bytes are widened: the peak is that of f32, with as many lanes and one
        // product each.
        None if dot == Dot::Avx2 => burst(Isa::Avx2),
        None => burst(Isa::Portable),
    }
}

/// Returns the maximum of many bursts, in GFLOP/s.
pub fn measure(isa: Isa) -> f64 {
    (0..200)
        .map(|_| {
            let start = Instant::now();
            let operations = burst(isa);
            operations / start.elapsed().as_secs_f64() / 1e9
        })
        .fold(0.0, f64::max)
}

/// Returns the number of multiplications and additions of f32 that `threads` threads make in a second
/// together: the best of several measurements within about `time`.
pub fn operations(threads: usize, time: Duration) -> f64 {
    let isa = Isa::detect();
    together(
        threads,
        time,
        || (),
        |()| {
            let start = Instant::now();
            let operations: f64 = (0..8).map(|_| burst(isa)).sum();
            operations / start.elapsed().as_secs_f64()
        },
    )
}

/// The sum over threads of the best rate of `measure`, which every thread repeats for `time` on
/// what `prepare` returns.
fn together<P>(
    threads: usize,
    time: Duration,
    prepare: impl Fn() -> P + Sync,
    measure: impl Fn(&P) -> f64 + Sync,
) -> f64 {
    let best = || {
        let own = prepare();
        let begin = Instant::now();
        let mut best = measure(&own);
        while begin.elapsed() < time {
            best = best.max(measure(&own));
        }
        best
    };
    thread::scope(|scope| {
        let started: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(best)).collect();
        started
            .into_iter()
            .map(|thread| thread.join().unwrap_or(0.0))
            .sum()
    })
}

fn portable() {
    let mut sums = [[1.0f32; 8]; SUMS];
    let factor = black_box(0.999f32);
    for _ in 0..STEPS {
        for sum in &mut sums {
            sum.iter_mut().for_each(|x| *x = *x * factor + factor);
        }
    }
    black_box(sums);
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;
    use std::hint::black_box;

    use super::{STEPS, SUMS};

    #[target_feature(enable = "avx512f")]
    pub unsafe fn avx512() {
        let factor = _mm512_set1_ps(black_box(0.999));
        let mut sums = [factor; SUMS];
        for _ in 0..STEPS {
            for sum in &mut sums {
                *sum = _mm512_fmadd_ps(*sum, factor, factor);
            }
        }
        black_box(sums);
    }

    #[target_feature(enable = "avx2,fma")]
    pub unsafe fn avx2() {
        // Twelve sums and a factor fit into the registers; two passes make the same count.
        for _ in 0..2 {
            let factor = _mm256_set1_ps(black_box(0.999));
            let mut sums = [factor; SUMS / 2];
            for _ in 0..STEPS {
                for sum in &mut sums {
                    *sum = _mm256_fmadd_ps(*sum, factor, factor);
                }
            }
            black_box(sums);
        }
    }

    /// Returns the number of lanes of a vector.
    #[target_feature(enable = "avx512f,avx512vnni")]
    pub unsafe fn avx512_vnni() -> usize {
        let factor = _mm512_set1_epi8(black_box(3));
        let mut sums = [factor; SUMS];
        for _ in 0..STEPS {
            for sum in &mut sums {
                *sum = _mm512_dpbusd_epi32(*sum, factor, factor);
            }
        }
        black_box(sums);
        16
    }

    /// Returns the number of lanes of a vector.
    #[target_feature(enable = "avx2,avxvnni")]
    pub unsafe fn avx_vnni() -> usize {
        for _ in 0..2 {
            let factor = _mm256_set1_epi8(black_box(3));
            let mut sums = [factor; SUMS / 2];
            for _ in 0..STEPS {
                for sum in &mut sums {
                    *sum = _mm256_dpbusd_avx_epi32(*sum, factor, factor);
                }
            }
            black_box(sums);
        }
        8
    }
}
