//! Stores sums from registers: bias, residual, the cheap activations.

use super::tile::{Tile, unroll};
use crate::epilogue::Activation;
use crate::half::{Half, nearest};
use crate::simd::Simd;

/// The operations after the sums. A null pointer means that an operand is absent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finish {
    /// One value for each column of the tile.
    pub bias_columns: *const f32,
    /// One value for each row of the tile.
    pub bias_rows: *const f32,
    /// The residual, with the layout of the tile in the result.
    pub residual: *const f32,
    pub activation: Activation,
}

/// Returns the number of columns in a vector of the tile.
#[inline(always)]
pub(super) fn lanes<S: Simd>(tile: &Tile, vector: usize) -> usize {
    (tile.columns - vector * S::LANES).min(S::LANES)
}

/// Stores the tile's sums after the other operations.
///
/// # Safety
/// As for [`Tile::run`].
#[inline(always)]
pub(crate) unsafe fn store<S: Simd, const MR: usize, const NV: usize>(
    s: S,
    tile: &Tile,
    mut sums: [[S::V; NV]; MR],
) {
    // Not a function of a closure, which the compiler may leave outside of the kernel.
    macro_rules! each {
        ($x:ident => $result:expr) => {{
            unroll!(i, v below MR, NV => {
                let $x = sums[i][v];
                sums[i][v] = $result;
            });
        }};
    }
    // SAFETY: addresses of the tile and its epilogue, promised by the caller; only existing columns are
    // accessed.
    unsafe {
        if let Some(finish) = tile.finish {
            add_terms::<S, MR, NV>(s, tile, &finish, &mut sums);
            let zero = s.zero();
            match finish.activation {
                Activation::Relu => each!(x => s.max(zero, x)),
                Activation::Clip { low, high } => {
                    let (low, high) = (s.splat(low), s.splat(high));
                    each!(x => s.min(high, s.max(low, x)));
                }
                Activation::LeakyRelu { slope } => {
                    let slope = s.splat(slope);
                    each!(x => s.select(s.lt(x, zero), s.mul(x, slope), x));
                }
                Activation::Narrow { to, low, high } => {
                    let (low, high) = (s.splat(low), s.splat(high));
                    each!(x => s.min(high, s.max(low, x)));
                    match to {
                        Half::F16 => each!(x => nearest(s, Half::F16, x)),
                        Half::Bf16 => each!(x => nearest(s, Half::Bf16, x)),
                    }
                }
                _ => {}
            }
        }
        unroll!(@ v NV, {
            let n = lanes::<S>(tile, v);
            unroll!(i below MR => {
                let at = tile.c.add(i * tile.c_row + v * tile.c_vector);
                let sum = sums[i][v];
                if n == S::LANES {
                    s.store(at, sum);
                } else if tile.fill {
                    s.store(at, s.keep(sum, n));
                } else {
                    s.store_n(at, sum, n);
                }
            });
        }, 0 1);
    }
}

/// # Safety
/// As for [`Tile::run`].
#[inline(always)]
unsafe fn add_terms<S: Simd, const MR: usize, const NV: usize>(
    s: S,
    tile: &Tile,
    finish: &Finish,
    sums: &mut [[S::V; NV]; MR],
) {
    // SAFETY: as in `store`.
    unsafe {
        unroll!(@ v NV, {
            let n = lanes::<S>(tile, v);
            if !finish.bias_columns.is_null() {
                let bias = s.load_n(finish.bias_columns.add(v * S::LANES), n);
                unroll!(i below MR => { sums[i][v] = s.add(sums[i][v], bias); });
            }
            if !finish.bias_rows.is_null() {
                unroll!(i below MR => { sums[i][v] = s.add(sums[i][v], s.splat(*finish.bias_rows.add(i))); });
            }
            if !finish.residual.is_null() {
                unroll!(i below MR => {
                    let at = finish.residual.add(i * tile.c_row + v * tile.c_vector);
                    sums[i][v] = s.add(sums[i][v], s.load_n(at, n));
                });
            }
        }, 0 1);
    }
}
