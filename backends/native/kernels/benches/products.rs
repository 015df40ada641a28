//! Compares matrix products of this crate and of `matrixmultiply` with the peak of the processor. `rivals`
//! does the same for `gemm`.
#![allow(clippy::print_stdout, reason = "a program that prints its result")]

mod common;

use std::cell::RefCell;

use common::zoo::{self, Work};
use common::{Candidate, PRODUCTS, interleaved, peak, values};
use native_kernels::gemm::{Matrix, PackedB, Rhs, gemm};
use native_kernels::{Epilogue, Pool};

fn main() {
    let best = Pool::new(1);
    println!(
        "one thread, {:?}; peak {:.0} GFLOP/s, stream {:.1} GB/s; GFLOP/s (% of the peak in the same rounds)",
        best.isa(),
        peak::measure(best.isa()),
        peak::memory()
    );
    for shape in PRODUCTS {
        report(&best, shape);
    }
    println!(
        "rows of the light zoo models: weights in GB/s, next to the stream; packed, or as they are stored"
    );
    let mut rows: Vec<_> = zoo::models()
        .into_iter()
        .flat_map(|(_, layers)| layers)
        .filter_map(|layer| match layer.work {
            Work::Product { m, k, n } => Some((m, k, n)),
            Work::Convolution { .. } => None,
        })
        .collect();
    rows.sort_unstable();
    rows.dedup();
    for (m, k, n) in rows {
        weights(&best, m, k, n);
    }
}

/// Measures products that are bound by reading their weights from memory.
fn weights(pool: &Pool, m: usize, k: usize, n: usize) {
    let (a, b) = (values(m * k), values(k * n));
    let a_view = Matrix::new(&a, m, k).unwrap();
    let (rows, columns) = (Matrix::new(&b, k, n).unwrap(), Matrix::new(&b, n, k).unwrap());
    let packed = PackedB::new(pool, rows).unwrap();
    let c = RefCell::new(vec![0.0; m * n]);
    let run = |name: &str, rhs| {
        let c = &c;
        Candidate::new(name, move || {
            gemm(pool, a_view, rhs, &Epilogue::default(), &mut c.borrow_mut()).unwrap();
        })
    };
    let mut candidates = vec![
        run("packed", Rhs::Packed(&packed)),
        run("stored by rows", Rhs::Matrix(rows)),
        run("stored by columns", Rhs::Matrix(columns.transposed())),
    ];
    let times = interleaved(&mut candidates);
    print!("{m:>5}×{k:>5}×{n:>4}");
    for (candidate, time) in candidates.iter().zip(&times) {
        let rate = (k * n * size_of::<f32>()) as f64 / time / 1e9;
        print!("  {} {:.3} ms {rate:.1} GB/s", candidate.name, time * 1e3);
    }
    println!();
}

/// The bytes of weights that are read before the same weights are read again: more than a cache has, as in a
/// network.
const COLD: usize = 256 << 20;

/// Measures a product that is bound by arithmetic.
fn report(pool: &Pool, (m, k, n): (usize, usize, usize)) {
    let (a, b) = (values(m * k), values(k * n));
    let (a_view, b_view) = (Matrix::new(&a, m, k).unwrap(), Matrix::new(&b, k, n).unwrap());
    let packed = PackedB::new(pool, b_view).unwrap();
    let copies = vec![packed.clone(); COLD.div_ceil(packed.bytes())];
    let mut cold = copies.iter().cycle();
    let c = RefCell::new(vec![0.0; m * n]);
    let mut work = 0.0;
    let ours = |rhs: Rhs| {
        gemm(pool, a_view, rhs, &Epilogue::default(), &mut c.borrow_mut()).unwrap();
    };
    let mut candidates = vec![
        Candidate::new("peak", || work = peak::burst(pool.isa())),
        Candidate::new("packed", || ours(Rhs::Packed(&packed))),
        Candidate::new("packed, from memory", || {
            ours(Rhs::Packed(cold.next().unwrap()));
        }),
        Candidate::new("unpacked", || ours(Rhs::Matrix(b_view))),
        Candidate::new("matrixmultiply", || {
            matrixmultiply_crate(m, k, n, &a, &b, &mut c.borrow_mut());
        }),
    ];
    let times = interleaved(&mut candidates);
    let names: Vec<String> = candidates
        .iter()
        .map(|candidate| candidate.name.clone())
        .collect();
    drop(candidates);
    let peak = work / times[0] / 1e9;
    print!("{m:>5}×{k:>5}×{n:>4}");
    for (name, time) in names.iter().zip(&times).skip(1) {
        let rate = 2.0 * (m * k * n) as f64 / time / 1e9;
        print!("  {name} {rate:.0} ({:.0}%)", 100.0 * rate / peak);
    }
    println!();
}

fn matrixmultiply_crate(m: usize, k: usize, n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    // SAFETY: the slices hold `m × k`, `k × n` and `m × n` values, in row-major order.
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
