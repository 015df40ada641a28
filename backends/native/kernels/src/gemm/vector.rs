//! The product of a row and a matrix that is not packed.
//!
//! Each weight is used once, so reading memory is the bound, and packing would only add to it. Several rows
//! (or columns) are read concurrently; they are fetched in the order of their addresses ([`Stream`]).

use std::ops::Range;

use super::Matrix;
use super::prefetch::Stream;
use super::weight::Weight;
use crate::elementwise::activate;
use crate::epilogue::{Bias, Epilogue, Residual};
use crate::math::cheap;
use crate::memory::Shared;
use crate::simd::{Kernel, Simd};
use crate::{Isa, Pool};

/// Columns are divided among threads at multiples of this, so that two threads never write one cache line.
const GRAIN: usize = 16;
/// The number of columns that are read concurrently.
const COLUMNS: usize = 4;
/// The number of rows that are read concurrently: more rows mean fewer passes over the sums.
const ROWS: usize = 8;
/// The number of vectors of sums for each contiguous column: independent additions.
const SUMS: usize = 2;
/// The number of columns at a time for contiguous rows: their sums fit into the L1 cache.
const BLOCK: usize = 8192;

/// Computes `y = activation(x · b + bias + residual)` for checked operands: `x` has `b.rows` elements, `y`
/// has `b.columns`.
#[derive(Clone, Copy)]
pub(crate) struct Vector<'a, T = f32> {
    pub x: &'a [f32],
    /// The rows or the columns are contiguous.
    pub b: Matrix<'a, T>,
    pub epilogue: &'a Epilogue<'a>,
    pub y: Shared<'a, f32>,
    /// The offset of the result in `y` and in the residual.
    pub first: usize,
}

impl<'a, T: Weight> Vector<'a, T> {
    /// Returns the product if `a` is a single row, and the rows or the columns of `b` are contiguous.
    pub fn fit(
        a: Matrix<'a>,
        b: Matrix<'a, T>,
        epilogue: &'a Epilogue<'a>,
        y: Shared<'a, f32>,
        first: usize,
    ) -> Option<Self> {
        let fits = a.rows == 1 && a.columns > 0 && along(a) && (along(b) || along(b.transposed()));
        fits.then(|| Self {
            x: &a.data[..a.columns],
            b,
            epilogue,
            y,
            first,
        })
    }

    /// Divides the columns among threads; no sum depends on the cuts.
    pub fn run(self, pool: &Pool) {
        let isa = pool.isa();
        pool.split(self.b.columns, GRAIN, |columns| self.part(isa, columns));
    }

    /// Computes the product on this thread.
    pub fn run_here(self, isa: Isa) {
        self.part(isa, 0..self.b.columns);
    }

    fn part(self, isa: Isa, columns: Range<usize>) {
        isa.run(Part {
            whole: self,
            columns: columns.clone(),
        });
        if !self.epilogue.activation.is_cheap() {
            // SAFETY: these columns of the result belong to this thread.
            let y = unsafe { self.y.part(self.first + columns.start, columns.len()) };
            activate(isa, self.epilogue.activation, y);
        }
    }
}

/// Whether the elements of each row are adjacent.
fn along<T>(matrix: Matrix<T>) -> bool {
    matrix.column_stride == 1 || matrix.columns == 1
}

struct Part<'a, T> {
    whole: Vector<'a, T>,
    columns: Range<usize>,
}

impl<T: Weight> Kernel for Part<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Self { whole, columns } = self;
        if along(whole.b.transposed()) && (whole.b.rows >= whole.b.columns || !along(whole.b)) {
            whole.columns(s, columns.clone());
        } else {
            for start in columns.clone().step_by(BLOCK) {
                whole.rows(s, start..(start + BLOCK).min(columns.end));
            }
        }
        whole.finish(s, columns);
    }
}

impl<T: Weight> Vector<'_, T> {
    /// Returns the address of column or row `at` of `b`, of which `count` are read concurrently.
    fn line(&self, at: usize, count: usize) -> *const T {
        self.b.data[at..at + count].as_ptr()
    }

    /// Computes the sums of contiguous columns: each is a product of two vectors.
    #[inline(always)]
    fn columns<S: Simd>(&self, s: S, columns: Range<usize>) {
        let whole = columns.len() / COLUMNS * COLUMNS;
        let start = self.line(columns.start * self.b.column_stride, 0);
        let mut ahead = Stream::new(start, self.x.len(), self.b.column_stride);
        for first in (columns.start..columns.start + whole).step_by(COLUMNS) {
            self.dots::<S, COLUMNS>(s, first, &mut ahead);
        }
        for column in columns.start + whole..columns.end {
            self.dots::<S, 1>(s, column, &mut ahead);
        }
    }

    /// Computes the sums of `N` columns. Each sum runs over lanes first, in an order that does not depend on
    /// the other columns.
    #[inline(always)]
    fn dots<S: Simd, const N: usize>(&self, s: S, first: usize, ahead: &mut Stream<T>) {
        let k = self.x.len();
        let x = self.x.as_ptr();
        let lines: [*const T; N] = std::array::from_fn(|i| self.line((first + i) * self.b.column_stride, k));
        let mut sums = [[s.zero(); SUMS]; N];
        let step = SUMS * S::LANES;
        let whole = k / step * step;
        // SAFETY: `at` is below `k`, the length of `x` and, as `line` checked, of each line; the results of
        // these columns belong to this thread.
        unsafe {
            for at in (0..whole).step_by(step) {
                for v in 0..SUMS {
                    let at = at + v * S::LANES;
                    let value = s.load(x.add(at));
                    for i in 0..N {
                        ahead.next(s);
                        sums[i][v] = s.fma(value, T::load(s, lines[i].add(at)), sums[i][v]);
                    }
                }
            }
            for at in (whole..k).step_by(S::LANES) {
                let count = S::LANES.min(k - at);
                let value = s.load_n(x.add(at), count);
                for i in 0..N {
                    sums[i][0] = s.fma(value, T::load_n(s, lines[i].add(at), count), sums[i][0]);
                }
            }
            for i in 0..N {
                let sum = sums[i].into_iter().skip(1).fold(sums[i][0], |a, b| s.add(a, b));
                let y = self.y.at(self.first + first + i);
                *y = self.begin(y) + s.sum(sum);
            }
        }
    }

    /// Returns the initial value of a sum.
    ///
    /// # Safety
    /// `y` is an element of the result that belongs to this thread.
    #[inline(always)]
    unsafe fn begin(&self, y: *const f32) -> f32 {
        match self.epilogue.residual {
            // SAFETY: promised by the caller.
            Residual::Output => unsafe { *y },
            Residual::None | Residual::Add(_) => 0.0,
        }
    }

    /// Computes sums of columns over contiguous rows, in ascending order, in passes over the sums.
    #[inline(always)]
    fn rows<S: Simd>(&self, s: S, columns: Range<usize>) {
        let k = self.x.len();
        if !matches!(self.epilogue.residual, Residual::Output) {
            // SAFETY: these columns of the result belong to this thread.
            unsafe { self.y.part(self.first + columns.start, columns.len()) }.fill(0.0);
        }
        let whole = k / ROWS * ROWS;
        let mut ahead = Stream::new(self.line(columns.start, 0), columns.len(), self.b.row_stride);
        for first in (0..whole).step_by(ROWS) {
            self.pass::<S, ROWS>(s, first, columns.clone(), &mut ahead);
        }
        for row in whole..k {
            self.pass::<S, 1>(s, row, columns.clone(), &mut ahead);
        }
    }

    /// Adds `N` rows, each multiplied by its element of `x`.
    #[inline(always)]
    fn pass<S: Simd, const N: usize>(
        &self,
        s: S,
        first: usize,
        columns: Range<usize>,
        ahead: &mut Stream<T>,
    ) {
        let count = columns.len();
        let lines: [*const T; N] =
            std::array::from_fn(|i| self.line((first + i) * self.b.row_stride + columns.start, count));
        let factors: [S::V; N] = std::array::from_fn(|i| s.splat(self.x[first + i]));
        let y = self.y.at(self.first + columns.start);
        let whole = count / S::LANES * S::LANES;
        // SAFETY: `at` is below `count`, which each line has, as `line` checked, and the result too; its
        // columns belong to this thread.
        unsafe {
            for at in (0..whole).step_by(S::LANES) {
                let mut sum = s.load(y.add(at));
                for i in 0..N {
                    ahead.next(s);
                    sum = s.fma(factors[i], T::load(s, lines[i].add(at)), sum);
                }
                s.store(y.add(at), sum);
            }
            if whole < count {
                let rest = count - whole;
                let mut sum = s.load_n(y.add(whole), rest);
                for i in 0..N {
                    sum = s.fma(factors[i], T::load_n(s, lines[i].add(whole), rest), sum);
                }
                s.store_n(y.add(whole), sum, rest);
            }
        }
    }

    /// Adds bias and residual, and applies a cheap activation.
    #[inline(always)]
    fn finish<S: Simd>(&self, s: S, columns: Range<usize>) {
        let Epilogue {
            bias,
            residual,
            activation,
        } = self.epilogue;
        for column in columns.clone().step_by(S::LANES) {
            let count = S::LANES.min(columns.end - column);
            let at = self.first + column;
            // SAFETY: `count` columns of the result, which belong to this thread; slices have this length.
            unsafe {
                let y = self.y.at(at);
                let mut value = s.load_n(y, count);
                match bias {
                    Bias::None => {}
                    Bias::Column(bias) => {
                        value = s.add(value, s.load_n(bias[column..column + count].as_ptr(), count));
                    }
                    Bias::Row(bias) => value = s.add(value, s.splat(bias[0])),
                }
                if let Residual::Add(residual) = residual {
                    value = s.add(value, s.load_n(residual[at..at + count].as_ptr(), count));
                }
                s.store_n(y, cheap(s, *activation, value), count);
            }
        }
    }
}
