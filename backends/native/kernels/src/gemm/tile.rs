//! The micro-kernel of matrix products and convolutions: a tile of the result held in registers.
//!
//! `rows × (vectors · LANES)` sums are held in registers while a walk goes along the common dimension. At each step
//! one value of every row is broadcast and multiplied with `vectors` vectors of packed weights. Rows stand at a
//! constant distance: rows of a matrix, pixels of a blocked image, or tiles of a Winograd transform.
//!
//! With AVX-512, 28 sums, the weights and a broadcast fill the registers. 14 rows by two vectors need 16 loads for 28
//! multiplications, which leaves slots for five pointers to rows that lie anywhere. 28 rows by one vector need 29, each
//! part of a multiplication, and pass over the weights half as often; that pays only where a row follows the other at
//! the distance of a vector, so that one pointer serves all.

use super::finish::{Finish, lanes, store};
use crate::Isa;
use crate::elementwise::activate;
use crate::simd::{Kernel, Simd};

/// The most rows whose distance is not that of a vector: what their pointers serve.
const MAX_APART: usize = 14;

/// The most rows of a tile of so many vectors, whose rows stand `row_stride` elements apart.
pub(crate) fn rows(isa: Isa, vectors: usize, row_stride: usize) -> usize {
    let most = isa.sums() / vectors;
    if row_stride == isa.lanes() {
        most
    } else {
        most.min(MAX_APART)
    }
}

/// The most vectors of a tile.
pub(crate) const VECTORS: usize = 2;

/// How a row's values follow each other: three nested loops, each a count and a step in elements, around `inner`
/// neighbouring values. Packed weights are in that very order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk {
    pub loops: [(usize, usize); 3],
    pub inner: usize,
    /// Of the neighbours, those left out in the first round of the outermost loop, and where its last round ends.
    pub skip: usize,
    pub end: usize,
}

impl Walk {
    /// `k` neighbouring values.
    pub fn along(k: usize) -> Self {
        Self::whole([(1, 0); 3], k)
    }

    /// All neighbours in every round.
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
    /// The first row's first value, and the distance of rows.
    pub x: *const f32,
    pub row_stride: usize,
    pub walk: &'a Walk,
    /// Packed weights: for every step `vectors · LANES` values.
    pub w: *const f32,
    /// If given, each step has `LANES` values, and those of the second vector stand so much further. Dense rows only.
    pub w_second: Option<usize>,
    /// The result, the distance of its rows, and of the vectors in a row.
    pub c: *mut f32,
    pub c_row: usize,
    pub c_vector: usize,
    /// Columns that exist; those beyond are not read.
    pub columns: usize,
    /// Write zeros to the columns beyond, up to whole vectors; else they are left alone.
    pub fill: bool,
    /// Begin with what the result holds.
    pub resume: bool,
    /// Absent while sums are unfinished.
    pub finish: Option<Finish>,
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
    /// `1 <= rows <= rows(isa, vectors, row_stride)`, `1 <= vectors <= 2`, and `columns <= vectors · lanes`, more than
    /// `(vectors - 1) · lanes`. For every row, all values that the walk reaches are readable; weights are readable for
    /// every step; the result's `rows × columns` are writable (with `fill`, whole vectors), and nobody else uses them;
    /// what `finish` points to is readable for them.
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

    /// The activation that the stored sums still lack, if it is one that takes a second pass.
    ///
    /// # Safety
    /// As [`Self::run`], which has stored the sums.
    pub unsafe fn activate_rest(&self, isa: Isa) {
        let rest = self
            .finish
            .map(|finish| finish.activation)
            .filter(|activation| !activation.is_cheap());
        if let Some(activation) = rest {
            for row in 0..self.rows {
                for vector in 0..self.vectors {
                    let lanes = isa.lanes().min(self.columns - vector * isa.lanes());
                    // SAFETY: part of the result just written, which this call has for itself.
                    unsafe {
                        let start = self.c.add(row * self.c_row + vector * self.c_vector);
                        activate(isa, activation, std::slice::from_raw_parts_mut(start, lanes));
                    }
                }
            }
        }
    }
}

/// Repeats `$body` with `$i` = 0, 1, … below `$n`, at most 28 times. The compiler leaves a loop of this length as it is,
/// and with it the sums in memory.
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
/// As [`Tile::run`], for `MR` rows and `NV` vectors; `DENSE` if the rows stand one vector apart.
#[inline(always)]
unsafe fn accumulate<S: Simd, const MR: usize, const NV: usize, const DENSE: bool>(s: S, tile: &Tile) {
    // SAFETY: every address is one that the caller promises: rows at multiples of the stride, weights in the order of
    // the walk, the result by its own strides.
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
                    // Three rows hang on each pointer, by the processor's scaled addressing; dense ones all on the first.
                    let mut bases: [*const f32; MAX_APART.div_ceil(3)] =
                        std::array::from_fn(|j| x.wrapping_add(3 * j * stride));
                    for _ in 0..count {
                        let weights: [S::V; NV] = std::array::from_fn(|v| s.load(w.add(v * second)));
                        s.prefetch(w.wrapping_add(AHEAD));
                        if NV > 1 {
                            s.prefetch(w.wrapping_add(AHEAD + second));
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
                        bases = bases.map(|base| base.wrapping_add(1));
                        w = w.add(step);
                    }
                }
            }
        }
        store::<S, MR, NV>(s, tile, sums);
    }
}

/// Distance in elements at which weights are fetched ahead: 16 steps of two vectors, 200 cycles with AVX-512.
const AHEAD: usize = 512;
