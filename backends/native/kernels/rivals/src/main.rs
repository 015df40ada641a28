//! Compares our matrix products with those of the crate `gemm`, in alternation, as shares of the peak of the
//! processor in the same rounds.

#[path = "../../benches/common/mod.rs"]
mod common;

use std::cell::RefCell;

use common::{Candidate, PRODUCTS, interleaved, peak, values};
use native_kernels::gemm::{Matrix, PackedB, Rhs, gemm};
use native_kernels::{Epilogue, Pool};

fn main() {
    let pool = Pool::new(1);
    for (m, k, n) in PRODUCTS {
        let (a, b) = (values(m * k), values(k * n));
        let (left, right) = (Matrix::new(&a, m, k).unwrap(), Matrix::new(&b, k, n).unwrap());
        let packed = PackedB::new(&pool, right).unwrap();
        let c = RefCell::new(vec![0.0; m * n]);
        let mut work = 0.0;
        let ours = |rhs: Rhs| gemm(&pool, left, rhs, &Epilogue::default(), &mut c.borrow_mut()).unwrap();
        let times = interleaved(&mut [
            Candidate::new("peak", || work = peak::burst(pool.isa())),
            Candidate::new("packed", || ours(Rhs::Packed(&packed))),
            Candidate::new("unpacked", || ours(Rhs::Matrix(right))),
            Candidate::new("gemm", || theirs(m, k, n, &a, &b, &mut c.borrow_mut())),
        ]);
        let peak = work / times[0];
        let share = |time: f64| 100.0 * 2.0 * (m * k * n) as f64 / time / peak;
        let [packed, unpacked, gemm] = [1, 2, 3].map(|at| share(times[at]));
        println!("{m:>5}×{k:>5}×{n:>4}  packed {packed:.0}%  unpacked {unpacked:.0}%  gemm {gemm:.0}%");
    }
}

fn theirs(m: usize, k: usize, n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    // SAFETY: the slices hold `m × k`, `k × n` and `m × n` values, in row-major order.
    unsafe {
        ::gemm::gemm(
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
            ::gemm::Parallelism::None,
        );
    }
}
