//! The micro-kernel for bytes.

use super::dot::Products;
use crate::gemm::prefetch::Prefetch;

/// The maximum number of rows of any instruction set.
pub(super) const MAX_ROWS: usize = 12;

/// The number of rows that use one pointer, by scaled addressing of the processor.
const ROWS_OF_BASE: usize = 3;

/// The number of panels that a single row is multiplied by at a time: one alone would wait for its sums.
pub(super) const PANELS: usize = 4;

/// Two vectors of columns by some rows: `c[i][j] = Σ a[i][taps[t] + l] · b[t][l][j]` over all taps, each of
/// `4 · quads` steps. A single row has [`PANELS`] such pairs of columns if `panels` is not 0, whose sums are
/// consecutive.
///
/// The caller promises: `1 <= rows <= Dot::rows`; in each row of `a`, `4 · quads` bytes are readable at every
/// tap; `b` holds for every tap and group of four steps the four bytes of each of `2 · lanes` columns, and
/// the same at the next distances `panels`; `rows` rows of `2 · lanes` sums, or one for each panel, are
/// writable at `c`.
pub(super) struct Tile<'a> {
    pub rows: usize,
    pub a: *const u8,
    /// The distance of rows in bytes.
    pub a_row: usize,
    /// The offset in a row of the steps of each tap.
    pub taps: &'a [usize],
    pub quads: usize,
    pub b: *const i8,
    /// The distance in bytes of the panels of a single row; 0 if there is one.
    pub panels: usize,
    pub ahead: Prefetch<i8>,
    pub c: *mut i32,
}

/// # Safety
/// As [`Tile`] states.
#[inline(always)]
pub(super) unsafe fn run<P: Products>(p: P, tile: &Tile) {
    if tile.rows == 1 && tile.panels > 0 {
        // SAFETY: promised by the caller.
        return unsafe { row(p, tile) };
    }
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

/// # Safety
/// As [`Tile`] states, for a single row of several panels.
#[inline(always)]
unsafe fn row<P: Products>(p: P, tile: &Tile) {
    // SAFETY: promised by the caller.
    unsafe {
        let mut sums = [[p.zero(); 2]; PANELS];
        let mut panels: [*const i8; PANELS] = std::array::from_fn(|i| tile.b.add(i * tile.panels));
        for tap in tile.taps {
            let mut a = tile.a.wrapping_add(*tap);
            for _ in 0..tile.quads {
                let value = a.cast::<[u8; 4]>().read_unaligned();
                for (sums, b) in sums.iter_mut().zip(&mut panels) {
                    sums[0] = p.dot(sums[0], value, p.load(*b));
                    sums[1] = p.dot(sums[1], value, p.load(b.add(4 * P::LANES)));
                    *b = b.add(8 * P::LANES);
                }
                a = a.wrapping_add(4);
            }
        }
        for (i, sums) in sums.into_iter().enumerate() {
            p.store(tile.c.add(2 * i * P::LANES), sums[0]);
            p.store(tile.c.add((2 * i + 1) * P::LANES), sums[1]);
        }
    }
}
