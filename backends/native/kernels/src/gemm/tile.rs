//! The micro-kernel of matrix products and convolutions: it keeps a tile of the result in registers.
//!
//! The registers hold `rows × (vectors · LANES)` sums while a walk iterates over the common dimension. At
//! each step one value of every row is broadcast and multiplied by `vectors` vectors of packed weights. Rows
//! have a constant distance: rows of a matrix, pixels of a blocked image, or tiles of a Winograd transform.
//!
//! With AVX-512, 28 sums, the weights and a broadcast fill the registers. 14 rows by two vectors need 16
//! loads for 28 multiplications, which leaves slots for five pointers to rows at any distance. 28 rows by one
//! vector need 29 loads, each part of a multiplication, and read the weights half as often; that is faster
//! only if the distance of rows is that of a vector, so that one pointer serves all.

use super::finish::{Finish, lanes, store};
use super::prefetch::Prefetch;
use crate::Isa;
use crate::elementwise::activate_rows;
use crate::simd::{Kernel, Simd};

/// The maximum number of rows whose distance is not that of a vector, limited by their pointers.
const MAX_APART: usize = 14;

/// Returns the maximum number of rows of a tile with `vectors` vectors, whose rows are `row_stride` elements
/// apart.
pub(crate) fn rows(isa: Isa, vectors: usize, row_stride: usize) -> usize {
    let max = isa.sums() / vectors;
    if row_stride == isa.lanes() {
        max
    } else {
        max.min(MAX_APART)
    }
}

/// The maximum number of vectors of a tile.
pub(crate) const VECTORS: usize = 2;

/// The order of a row's values: three nested loops, each with a count and a step in elements, around `inner`
/// adjacent values. Packed weights have the same order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk {
    pub loops: [(usize, usize); 3],
    pub inner: usize,
    /// The number of adjacent values that the first round of the outermost loop skips, and the end of its
    /// last round.
    pub skip: usize,
    pub end: usize,
}

impl Walk {
    /// A walk over `k` adjacent values.
    pub fn along(k: usize) -> Self {
        Self::whole([(1, 0); 3], k)
    }

    /// A walk over all adjacent values in every round.
    pub fn whole(loops: [(usize, usize); 3], inner: usize) -> Self {
        Self {
            loops,
            inner,
            skip: 0,
            end: inner,
        }
    }
}

/// One call of the micro-kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tile<'a> {
    pub rows: usize,
    pub vectors: usize,
    /// The first value of the first row, and the distance of rows.
    pub x: *const f32,
    pub row_stride: usize,
    pub walk: &'a Walk,
    /// The packed weights: `vectors · LANES` values for every step.
    pub w: *const f32,
    /// If given, each step has `LANES` values, and those of the second vector are at this distance. Only for
    /// dense rows.
    pub w_second: Option<usize>,
    /// The result, the distance of its rows, and the distance of vectors in a row.
    pub c: *mut f32,
    pub c_row: usize,
    pub c_vector: usize,
    /// The number of existing columns; others are not read.
    pub columns: usize,
    /// Whether zeros are written to the other columns, up to complete vectors; otherwise they are not
    /// changed.
    pub fill: bool,
    /// Whether to start with the content of the result.
    pub resume: bool,
    /// `None` while sums are unfinished.
    pub finish: Option<Finish>,
    pub ahead: Prefetch,
}

struct Call<'a, const MR: usize, const NV: usize, const DENSE: bool>(&'a Tile<'a>);

impl<const MR: usize, const NV: usize, const DENSE: bool> Kernel for Call<'_, MR, NV, DENSE> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        if const { MR * NV > S::ISA.sums() } {
            unreachable!("a tile of {MR} × {NV}");
        }
        // SAFETY: `Tile::run` has the caller's promise about every pointer.
        unsafe { accumulate::<S, MR, NV, DENSE>(simd, self.0) }
    }
}

impl Tile<'_> {
    /// Computes the tile.
    ///
    /// # Safety
    /// `1 <= rows <= rows(isa, vectors, row_stride)`, `1 <= vectors <= 2`, and `columns <= vectors · lanes`,
    /// more than `(vectors - 1) · lanes`. For every row, all values of the walk are readable; weights are
    /// readable for every step; the `rows × columns` of the result are writable (with `fill`, complete
    /// vectors), and nothing else accesses them; the pointers of `finish` are readable for them.
    #[inline]
    pub unsafe fn run(&self, isa: Isa) {
        macro_rules! select {
            ($($rows:literal)*; $($more:literal)*) => {
                match (self.vectors, self.row_stride == isa.lanes(), self.rows) {
                    $((1, true, $rows) => isa.run(Call::<$rows, 1, true>(self)),
                      (1, false, $rows) => isa.run(Call::<$rows, 1, false>(self)),
                      (2, true, $rows) => isa.run(Call::<$rows, 2, true>(self)),
                      (2, false, $rows) => isa.run(Call::<$rows, 2, false>(self)),)*
                    $((1, true, $more) => isa.run(Call::<$more, 1, true>(self)),)*
                    shape => unreachable!("a tile of {shape:?}"),
                }
            };
        }
        select!(1 2 3 4 5 6 7 8 9 10 11 12 13 14; 15 16 17 18 19 20 21 22 23 24 25 26 27 28);
        // SAFETY: promised by the caller.
        unsafe { self.activate_rest(isa) }
    }

    /// Applies an activation that takes a second pass over the stored sums.
    ///
    /// # Safety
    /// As for [`Self::run`], which has stored the sums.
    pub unsafe fn activate_rest(&self, isa: Isa) {
        let rest = self
            .finish
            .map(|finish| finish.activation)
            .filter(|activation| !activation.is_cheap());
        let Some(activation) = rest else { return };
        let lanes = isa.lanes();
        let run = |start: usize, rows: [usize; 2], len: usize| {
            // SAFETY: a part of the result that was just written; only this call accesses it.
            unsafe { activate_rows(isa, activation, self.c.add(start), rows, len) }
        };
        if self.c_row == lanes && self.columns == self.vectors * lanes {
            run(0, [self.vectors, self.c_vector], self.rows * lanes);
        } else if self.c_vector == lanes {
            run(0, [self.rows, self.c_row], self.columns);
        } else {
            for vector in 0..self.vectors {
                let len = lanes.min(self.columns - vector * lanes);
                run(vector * self.c_vector, [self.rows, self.c_row], len);
            }
        }
    }
}

/// Repeats `$body` with `$i` = 0, 1, … below `$n`, at most 28 times. The compiler does not unroll a loop of
/// this length, and would keep the sums in memory.
macro_rules! unroll {
    ($i:ident below $n:expr => $body:block) => {
        unroll!(@ $i $n, $body, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27);
    };
    ($i:ident, $v:ident below $n:expr, $m:expr => $body:block) => {
        unroll!($i below $n => { unroll!(@ $v $m, $body, 0 1); });
    };
    (@ $i:ident $n:expr, $body:block, $($k:literal)*) => {
        $(if $k < $n {
            let $i: usize = $k;
            $body
        })*
    };
}
pub(crate) use unroll;

/// # Safety
/// As for [`Tile::run`], for `MR` rows and `NV` vectors; `DENSE` if the rows are one vector apart.
#[inline(always)]
unsafe fn accumulate<S: Simd, const MR: usize, const NV: usize, const DENSE: bool>(s: S, tile: &Tile) {
    // SAFETY: every address is one that the caller promises: rows at multiples of the stride, weights in the
    // order of the walk, the result by its own strides.
    unsafe {
        let mut sums = [[s.zero(); NV]; MR];
        if tile.resume {
            unroll!(i, v below MR, NV => {
                let at = tile.c.add(i * tile.c_row + v * tile.c_vector);
                sums[i][v] = s.load_n(at, lanes::<S>(tile, v));
            });
        }
        let stride = if DENSE { S::LANES } else { tile.row_stride };
        let Walk {
            loops: [(n0, step0), (n1, step1), (n2, step2)],
            inner,
            skip,
            end,
        } = *tile.walk;
        let mut w = tile.w;
        let mut ahead = tile.ahead.at;
        let (step, second) = match tile.w_second {
            Some(second) if DENSE => (S::LANES, second),
            _ => (NV * S::LANES, S::LANES),
        };
        for i0 in 0..n0 {
            let first = if i0 == 0 { skip } else { 0 };
            let count = (if i0 + 1 == n0 { end } else { inner }) - first;
            for i1 in 0..n1 {
                for i2 in 0..n2 {
                    let x = tile.x.add(i0 * step0 + i1 * step1 + i2 * step2 + first);
                    // Each pointer serves three rows, by scaled addressing of the processor; dense rows use
                    // the first pointer.
                    let mut bases: [*const f32; MAX_APART.div_ceil(3)] =
                        std::array::from_fn(|j| x.wrapping_add(3 * j * stride));
                    for _ in 0..count {
                        let weights: [S::V; NV] = std::array::from_fn(|v| s.load(w.add(v * second)));
                        s.prefetch(w.wrapping_add(PREFETCH_DISTANCE));
                        if NV > 1 {
                            s.prefetch(w.wrapping_add(PREFETCH_DISTANCE + second));
                        }
                        unroll!(i below MR => {
                            let value = if DENSE {
                                *bases[0].add(i * S::LANES)
                            } else {
                                *bases[i / 3].add(i % 3 * stride)
                            };
                            let value = s.splat(value);
                            unroll!(@ v NV, { sums[i][v] = s.fma(value, weights[v], sums[i][v]); }, 0 1);
                        });
                        s.prefetch_l2(ahead);
                        ahead = ahead.wrapping_add(tile.ahead.step);
                        bases = bases.map(|base| base.wrapping_add(1));
                        w = w.add(step);
                    }
                }
            }
        }
        store::<S, MR, NV>(s, tile, sums);
    }
}

/// The distance in elements of prefetched weights: 16 steps of two vectors, 200 cycles with AVX-512.
const PREFETCH_DISTANCE: usize = 512;
