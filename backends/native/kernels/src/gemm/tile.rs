//! The micro-kernel of matrix products and convolutions: a tile of the result held in registers.
//!
//! `rows × (vectors · LANES)` sums are held in registers while a walk goes along the common dimension. At each step
//! one value of every row is broadcast and multiplied with `vectors` vectors of packed weights. Rows stand at a
//! constant distance: rows of a matrix, pixels of a blocked image, or tiles of a Winograd transform.

use crate::Isa;
use crate::elementwise::activate;
use crate::epilogue::Activation;
use crate::simd::{Kernel, Simd};

/// The most rows that any instruction set holds.
pub(crate) const MOST_ROWS: usize = 14;

/// Rows of a tile: with AVX-512, 14 × 2 sums, 2 weights and a broadcast fill 31 of 32 registers and need 16 loads for 28
/// multiplications; with AVX2, 6 × 2 fill 15 of 16.
pub(crate) fn rows(isa: Isa) -> usize {
    match isa {
        Isa::Portable => 4,
        Isa::Avx2 => 6,
        Isa::Avx512 => MOST_ROWS,
    }
}

/// Vectors of a tile.
pub(crate) const VECTORS: usize = 2;

/// How a row's values follow each other: three nested loops, each a count and a step in elements, around `inner`
/// neighbouring values. Packed weights are in that very order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk {
    pub loops: [(usize, usize); 3],
    pub inner: usize,
}

impl Walk {
    /// `k` neighbouring values.
    pub fn along(k: usize) -> Self {
        Self {
            loops: [(1, 0); 3],
            inner: k,
        }
    }
}

/// What follows the sums. Null pointers stand for what is absent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finish {
    /// One value for each column of the tile.
    pub bias_columns: *const f32,
    /// One value for each row of the tile.
    pub bias_rows: *const f32,
    /// Laid out as the tile in the result.
    pub residual: *const f32,
    pub activation: Activation,
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

struct Call<'a, const MR: usize, const NV: usize>(&'a Tile<'a>);

impl<const MR: usize, const NV: usize> Kernel for Call<'_, MR, NV> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        // SAFETY: `Tile::run` has the caller's promise about every pointer.
        unsafe { accumulate::<S, MR, NV>(simd, self.0) }
    }
}

impl Tile<'_> {
    /// Computes the tile.
    ///
    /// # Safety
    /// `1 <= rows <= rows(isa)`, `1 <= vectors <= 2`, and `columns <= vectors · lanes`, more than `(vectors - 1) ·
    /// lanes`. For every row, all values that the walk reaches are readable; weights are readable for every step; the
    /// result's `rows × columns` are writable (with `fill`, whole vectors), and nobody else uses them; what `finish` points to is readable for
    /// them.
    #[inline]
    pub unsafe fn run(&self, isa: Isa) {
        macro_rules! select {
            ($($rows:literal)*) => {
                match (self.rows, self.vectors) {
                    $(($rows, 1) => isa.run(Call::<$rows, 1>(self)),
                      ($rows, 2) => isa.run(Call::<$rows, 2>(self)),)*
                    shape => unreachable!("a tile of {shape:?}"),
                }
            };
        }
        select!(1 2 3 4 5 6 7 8 9 10 11 12 13 14);
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

/// Repeats `$body` with `$i` = 0, 1, … below `$n`, at most [`MOST_ROWS`] times. The compiler leaves a loop of this length
/// as it is, and with it the sums in memory.
macro_rules! unroll {
    ($i:ident below $n:expr => $body:block) => {
        unroll!(@ $i $n, $body, 0 1 2 3 4 5 6 7 8 9 10 11 12 13);
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

/// # Safety
/// As [`Tile::run`], for `MR` rows and `NV` vectors.
#[inline(always)]
unsafe fn accumulate<S: Simd, const MR: usize, const NV: usize>(s: S, tile: &Tile) {
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
        let stride = tile.row_stride;
        let [(n0, step0), (n1, step1), (n2, step2)] = tile.walk.loops;
        let mut w = tile.w;
        for i0 in 0..n0 {
            for i1 in 0..n1 {
                for i2 in 0..n2 {
                    let x = tile.x.add(i0 * step0 + i1 * step1 + i2 * step2);
                    // Three rows hang on each pointer, by the processor's scaled addressing.
                    let mut bases: [*const f32; 5] = std::array::from_fn(|j| x.wrapping_add(3 * j * stride));
                    for _ in 0..tile.walk.inner {
                        let weights: [S::V; NV] = std::array::from_fn(|v| s.load(w.add(v * S::LANES)));
                        s.prefetch(w.wrapping_add(AHEAD));
                        if NV > 1 {
                            s.prefetch(w.wrapping_add(AHEAD + S::LANES));
                        }
                        unroll!(i below MR => {
                            let value = s.splat(*bases[i / 3].add(i % 3 * stride));
                            unroll!(@ v NV, { sums[i][v] = s.fma(value, weights[v], sums[i][v]); }, 0 1);
                        });
                        bases = bases.map(|base| base.wrapping_add(1));
                        w = w.add(NV * S::LANES);
                    }
                }
            }
        }
        store::<S, MR, NV>(s, tile, sums);
    }
}

/// Distance in elements at which weights are fetched ahead: 16 steps, 200 cycles with AVX-512.
const AHEAD: usize = 512;

#[inline(always)]
fn lanes<S: Simd>(tile: &Tile, vector: usize) -> usize {
    (tile.columns - vector * S::LANES).min(S::LANES)
}

/// # Safety
/// As [`Tile::run`].
#[inline(always)]
unsafe fn store<S: Simd, const MR: usize, const NV: usize>(s: S, tile: &Tile, mut sums: [[S::V; NV]; MR]) {
    // SAFETY: addresses of the tile and its epilogue, promised by the caller; only columns that exist are touched.
    unsafe {
        if let Some(finish) = tile.finish {
            add_terms::<S, MR, NV>(s, tile, &finish, &mut sums);
            let zero = s.zero();
            match finish.activation {
                Activation::Relu => each(&mut sums, |x| s.max(zero, x)),
                Activation::Clip { low, high } => {
                    let (low, high) = (s.splat(low), s.splat(high));
                    each(&mut sums, |x| s.min(high, s.max(low, x)));
                }
                Activation::LeakyRelu { slope } => {
                    let slope = s.splat(slope);
                    each(&mut sums, |x| s.select(s.lt(x, zero), s.mul(x, slope), x));
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
/// As [`Tile::run`].
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

#[inline(always)]
fn each<V: Copy, const MR: usize, const NV: usize>(sums: &mut [[V; NV]; MR], f: impl Fn(V) -> V) {
    sums.iter_mut()
        .for_each(|row| row.iter_mut().for_each(|sum| *sum = f(*sum)));
}
