//! Products of matrices of bytes.

use super::pack::Rows;
use super::tile::{MOST_ROWS, Tile};
use super::{Bytes, Dot, Int8Weights};
use crate::Pool;
use crate::error::{Result, ensure, need, product};
use crate::memory::Shared;

/// The most columns of a tile.
const MOST_WIDTH: usize = 32;

/// `c[i][j] = Σ (a[i][l] - a_zero[i]) · (b[l][j] - b_zero[j])`, exact, wrapping at 32 bits.
///
/// `a` has `m` rows of `b`'s common dimension, `c` `m` rows of its columns, without gaps. Zero points are one for all or
/// one for each row of `a` and column of `b`.
pub fn gemm_int8(
    pool: &Pool,
    m: usize,
    a: Bytes,
    a_zero: &[i32],
    b: &Int8Weights,
    b_zero: &[i32],
    c: &mut [i32],
) -> Result<()> {
    let what = "gemm_int8";
    need("gemm_int8: left operand", product(what, &[m, b.k])?, a.len())?;
    need("gemm_int8: result", product(what, &[m, b.n])?, c.len())?;
    let fits = |zero: &[i32], len: usize| zero.len() == 1 || zero.len() == len;
    ensure(fits(a_zero, m), what, || {
        format!("{} zero points for {m} rows", a_zero.len())
    })?;
    ensure(fits(b_zero, b.n), what, || {
        format!("{} zero points for {} columns", b_zero.len(), b.n)
    })?;
    if m == 0 || b.n == 0 {
        return Ok(());
    }
    let a = Rows::new(a, m, b.k);
    let c = Shared::new(c);
    let (rows, width) = (b.dot.rows(), b.dot.width());
    let tiles = m.div_ceil(rows);
    let columns_of = |panel: usize| panel * width..(panel * width + width).min(b.n);
    pool.split(b.n.div_ceil(width) * tiles, 1, |range| {
        for index in range {
            let (panel, tile) = (index / tiles, index % tiles);
            let part = crate::thread::share(m, tiles, tile);
            let panel_len = a.quads * 4 * width;
            let mut sums = [0; MOST_ROWS * MOST_WIDTH];
            multiply(
                b.dot,
                &a,
                part.clone(),
                &b.data[panel * panel_len..][..panel_len],
                &mut sums,
            );
            for (i, sums) in part.zip(sums.chunks_exact(width)) {
                let columns = columns_of(panel);
                // SAFETY: tiles are disjoint, each is one thread's.
                let target = unsafe { c.part(i * b.n + columns.start, columns.len()) };
                let zero = one_of(a_zero, i).wrapping_add(a.offset);
                let correct = Correction {
                    k: b.k,
                    a_sum: a.sums[i],
                    a_zero: zero,
                };
                for ((target, sum), j) in target.iter_mut().zip(sums).zip(columns) {
                    *target = correct.apply(*sum, b.sums[j], one_of(b_zero, j).wrapping_add(b.offset));
                }
            }
        }
    });
    Ok(())
}

/// The value for `i`: there is one for all, or one for each.
pub(super) fn one_of(values: &[i32], i: usize) -> i32 {
    if values.len() == 1 { values[0] } else { values[i] }
}

/// The products of some rows with a panel: rows of `width` sums.
pub(super) fn multiply(dot: Dot, a: &Rows, rows: std::ops::Range<usize>, panel: &[i8], sums: &mut [i32]) {
    assert!(rows.len() <= dot.rows() && sums.len() >= rows.len() * dot.width());
    assert!(panel.len() >= a.quads * 4 * dot.width() && a.data.len() >= rows.end * a.quads * 4);
    let tile = Tile {
        rows: rows.len(),
        a: a.data[rows.start * a.quads * 4..].as_ptr(),
        a_row: a.quads * 4,
        quads: a.quads,
        b: panel.as_ptr(),
        c: sums.as_mut_ptr(),
    };
    // SAFETY: the lengths were asserted above.
    unsafe { dot.run(&tile) }
}

/// What turns a sum of products of bits into one of values: `Σ(a-z)(b-w) = Σab - w·Σa - z·Σb + k·z·w`.
#[derive(Clone, Copy)]
pub(super) struct Correction {
    pub k: usize,
    pub a_sum: i32,
    pub a_zero: i32,
}

impl Correction {
    pub fn apply(self, sum: i32, b_sum: i32, b_zero: i32) -> i32 {
        let both = (self.k as i32).wrapping_mul(self.a_zero).wrapping_mul(b_zero);
        sum.wrapping_sub(b_zero.wrapping_mul(self.a_sum))
            .wrapping_sub(self.a_zero.wrapping_mul(b_sum))
            .wrapping_add(both)
    }
}
