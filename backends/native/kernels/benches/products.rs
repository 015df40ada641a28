//! Matrix products of this crate, of `gemm` and of `matrixmultiply`, against the peak of the processor.
#![allow(clippy::print_stdout, reason = "a program whose result is what it prints")]

mod common;

use common::{Candidate, interleaved, peak, values};
use native_kernels::gemm::{Matrix, PackedB, Rhs};
use native_kernels::{Epilogue, Isa, Pool};

/// Rows, common dimension, columns: pointwise convolutions of ResNet-50 and DenseNet as products, a transformer's
/// projections, squares, and single rows.
const SHAPES: [(usize, usize, usize); 12] = [
    (1024, 1024, 1024),
    (256, 256, 256),
    (3136, 64, 256),
    (784, 512, 128),
    (196, 1024, 256),
    (49, 2048, 512),
    (3136, 256, 128),
    (128, 768, 3072),
    (128, 3072, 768),
    (100, 100, 100),
    (8, 1024, 1024),
    (1, 2048, 1000),
];

fn main() {
    let pools: Vec<Pool> = Isa::available()
        .into_iter()
        .rev()
        .filter_map(|isa| Pool::with_isa(1, isa).ok())
        .collect();
    println!("one thread; GFLOP/s (% of the peak measured in the same rounds)");
    for (m, k, n) in SHAPES {
        let (a, b) = (values(m * k), values(k * n));
        let operations = 2.0 * (m * k * n) as f64;
        let (a_view, b_view) = (Matrix::new(&a, m, k).unwrap(), Matrix::new(&b, k, n).unwrap());
        let mut results: Vec<Vec<f32>> = (0..pools.len() + 3).map(|_| vec![0.0; m * n]).collect();
        let mut work = vec![0.0; pools.len()];
        let packed: Vec<PackedB> = pools
            .iter()
            .map(|pool| PackedB::new(pool, b_view).unwrap())
            .collect();
        let mut candidates = Vec::new();
        for (pool, operations) in pools.iter().zip(&mut work) {
            candidates.push(Candidate::new(format!("peak {:?}", pool.isa()), move || {
                *operations = peak::burst(pool.isa());
            }));
        }
        let mut results = results.iter_mut();
        let a_b = (&a[..], &b[..]);
        for (pool, packed) in pools.iter().zip(&packed) {
            let c = results.next().unwrap();
            candidates.push(Candidate::new(format!("{:?}", pool.isa()), move || {
                native_kernels::gemm::gemm(pool, a_view, Rhs::Packed(packed), &Epilogue::default(), c)
                    .unwrap();
            }));
        }
        let c = results.next().unwrap();
        let best = &pools[0];
        candidates.push(Candidate::new("unpacked", move || {
            native_kernels::gemm::gemm(best, a_view, Rhs::Matrix(b_view), &Epilogue::default(), c).unwrap();
        }));
        let c = results.next().unwrap();
        candidates.push(Candidate::new("gemm", move || {
            gemm_crate(m, k, n, a_b.0, a_b.1, c)
        }));
        let c = results.next().unwrap();
        candidates.push(Candidate::new("matrixmultiply", move || {
            matrixmultiply_crate(m, k, n, a_b.0, a_b.1, c)
        }));
        let times = interleaved(&mut candidates);
        let names: Vec<String> = candidates
            .iter()
            .map(|candidate| candidate.name.clone())
            .collect();
        drop(candidates);
        let peak = work[0] / times[0] / 1e9;
        print!("{m:>5}×{k:>4}×{n:>4}  peak {peak:5.0}");
        for (i, name) in names.iter().enumerate().skip(pools.len()) {
            let rate = operations / times[i] / 1e9;
            print!("  {name} {rate:.0} ({:.0}%)", 100.0 * rate / peak);
        }
        println!(
            "  avx2 peak {:.0}",
            work.get(1).map_or(0.0, |work| work / times[1] / 1e9)
        );
    }
}

fn gemm_crate(m: usize, k: usize, n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    // SAFETY: the slices hold `m × k`, `k × n` and `m × n` values, row after row.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            c.as_mut_ptr(),
            1,
            n as isize,
            false,
            a.as_ptr(),
            1,
            k as isize,
            b.as_ptr(),
            1,
            n as isize,
            0.0,
            1.0,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}

fn matrixmultiply_crate(m: usize, k: usize, n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    // SAFETY: as above.
    unsafe {
        matrixmultiply::sgemm(
            m,
            k,
            n,
            1.0,
            a.as_ptr(),
            k as isize,
            1,
            b.as_ptr(),
            n as isize,
            1,
            0.0,
            c.as_mut_ptr(),
            n as isize,
            1,
        );
    }
}
