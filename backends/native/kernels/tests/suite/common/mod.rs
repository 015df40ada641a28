//! Common parts of the tests: reproducible values, pools of every kind, and bounds of rounding errors.

use native_kernels::{Isa, Pool};

/// Values between -1 and 1 with few leading zeros, the same in every run (xorshift).
pub fn values(seed: u64, len: usize) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..len)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
        })
        .collect()
}

/// Pools of every instruction set of this machine, with one thread and with three.
pub fn pools() -> Vec<Pool> {
    let with = |isa| [1, 3].map(|threads| Pool::with_isa(threads, isa).unwrap());
    Isa::available().into_iter().flat_map(with).collect()
}

/// Fails if `got` differs from the exact sum by more than `terms` roundings allow: `γ_n · Σ|terms|`.
///
/// `exact` holds pairs of the sum and the sum of magnitudes.
#[track_caller]
pub fn assert_within(what: &str, terms: usize, got: &[f32], exact: &[(f64, f64)]) {
    let unit = f64::from(f32::EPSILON) / 2.0;
    let n = (terms + 4) as f64;
    let gamma = n * unit / (1.0 - n * unit);
    assert_eq!(got.len(), exact.len(), "{what}");
    for (i, (got, (sum, magnitude))) in got.iter().zip(exact).enumerate() {
        let error = (f64::from(*got) - sum).abs();
        assert!(
            error <= gamma * magnitude + 1e-37,
            "{what}: element {i} is {got}, expected {sum}"
        );
    }
}
