//! The micro-kernel for bytes.

use super::dot::Products;
use crate::gemm::prefetch::Prefetch;

/// The maximum number of rows of any instruction set.
pub(super) const MAX_ROWS: usize = 12;

/// The number of rows that use one pointer, by scaled addressing of the processor.
const ROWS_OF_BASE: usize = 3;

/// Two vectors of columns by some rows: `c[i][j] = Σ a[i][taps[t] + l] · b[t][l][j]` over all taps, each of
/// `4 · quads` steps.
///
/// The caller promises: `1 <= rows <= Dot::rows`; in each row of `a`, `4 · quads` bytes are readable at every
/// tap; `b` holds for every tap and group of four steps the four bytes of each of `2 · lanes` columns; `rows`
/// rows of `2 · lanes` sums are writable at `c`.
pub(super) struct Tile<'a> {
    pub rows: usize,
    pub a: *const u8,
    /// The distance of rows in bytes.
    pub a_row: usize,
    /// The offset in a row of the steps of each tap.
    pub taps: &'a [usize],
    pub quads: usize,
    pub b: *const i8,
    pub ahead: Prefetch<i8>,
    pub c: *mut i32,
}

/// # Safety
/// As [`Tile`] states.
#[inline(always)]
pub(super) unsafe fn run<P: Products>(p: P, tile: &Tile) {
    macro_rules! select {
        ($($rows:literal)*) => {
            match tile.rows {
                // SAFETY: promised by the caller.
                $($rows => unsafe { rows::<P, $rows>(p, tile) },)*
                rows => unreachable!("a tile of {rows} rows"),
            }
        };
    }
    select!(1 2 3 4 5 6 7 8 9 10 11 12);
}

/// Repeats `$body` with `$i` = 0, 1, … below `$n`: a loop would keep the sums in memory.
macro_rules! unroll {
    ($i:ident below $n:expr => $body:block) => { unroll!(@ $i $n, $body, 0 1 2 3 4 5 6 7 8 9 10 11); };
    (@ $i:ident $n:expr, $body:block, $($k:literal)*) => { $(if $k < $n { let $i: usize = $k; $body })* };
}

/// # Safety
/// As [`Tile`] states.
#[inline(always)]
unsafe fn rows<P: Products, const MR: usize>(p: P, tile: &Tile) {
    const { assert!(MR <= MAX_ROWS) }
    // SAFETY: promised by the caller.
    unsafe {
        let mut sums = [[p.zero(); 2]; MR];
        let mut b = tile.b;
        let mut ahead = tile.ahead.at;
        for tap in tile.taps {
            let first = tile.a.wrapping_add(*tap);
            let mut bases: [*const u8; MAX_ROWS.div_ceil(ROWS_OF_BASE)] =
                std::array::from_fn(|base| first.wrapping_add(base * ROWS_OF_BASE * tile.a_row));
            for _ in 0..tile.quads {
                let weights = [p.load(b), p.load(b.add(4 * P::LANES))];
                unroll!(i below MR => {
                    let at = bases[i / ROWS_OF_BASE].add(i % ROWS_OF_BASE * tile.a_row);
                    let value = at.cast::<[u8; 4]>().read_unaligned();
                    sums[i][0] = p.dot(sums[i][0], value, weights[0]);
                    sums[i][1] = p.dot(sums[i][1], value, weights[1]);
                });
                p.prefetch_l2(ahead);
                ahead = ahead.wrapping_add(tile.ahead.step);
                bases = bases.map(|base| base.wrapping_add(4));
                b = b.add(8 * P::LANES);
            }
        }
        unroll!(i below MR => {
            p.store(tile.c.add(2 * i * P::LANES), sums[i][0]);
            p.store(tile.c.add((2 * i + 1) * P::LANES), sums[i][1]);
        });
    }
}
