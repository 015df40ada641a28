//! A row times a matrix that lies as it was stored.
//!
//! Each weight is used once, so the way from memory is all that counts, and bringing weights into another order would
//! only take that way more often. Several rows (or columns) are read side by side, each from its beginning to its end,
//! as the processor foresees it.

use std::ops::Range;

use super::Matrix;
use crate::elementwise::activate;
use crate::epilogue::{Bias, Epilogue, Residual};
use crate::math::cheap;
use crate::memory::Shared;
use crate::simd::{Kernel, Simd};
use crate::{Isa, Pool};

/// Columns are divided between threads at multiples of this: two threads never write one cache line.
const GRAIN: usize = 16;
/// Columns read side by side.
const COLUMNS: usize = 4;
/// Rows read side by side: the more, the fewer passes over the sums.
const ROWS: usize = 8;
/// Vectors of sums for each column whose elements are neighbours: additions that need not wait for each other.
const SUMS: usize = 2;
/// Distance in elements at which weights are fetched ahead.
const AHEAD: usize = 512;
/// Columns done at a time where rows are neighbours: their sums stay in the first cache.
const BLOCK: usize = 8192;

/// `y = activation(x · b + bias + residual)` of checked operands: `x` has `b.rows` elements, `y` has `b.columns`.
#[derive(Clone, Copy)]
pub(super) struct Vector<'a> {
    x: &'a [f32],
    b: Matrix<'a>,
    epilogue: &'a Epilogue<'a>,
    y: Shared<'a, f32>,
    /// Where the result begins in `y` and in the residual.
    first: usize,
}

impl<'a> Vector<'a> {
    /// If `a` is a single row, and the rows or the columns of `b` lie without gaps.
    pub fn fit(
        a: Matrix<'a>,
        b: Matrix<'a>,
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

    /// Divides the columns between threads; no sum depends on where they are cut.
    pub fn run(self, pool: &Pool) {
        let isa = pool.isa();
        pool.split(self.b.columns, GRAIN, |columns| self.part(isa, columns));
    }

    /// All of it on this thread.
    pub fn run_here(self, isa: Isa) {
        self.part(isa, 0..self.b.columns);
    }

    fn part(self, isa: Isa, columns: Range<usize>) {
        isa.run(Part {
            whole: self,
            columns: columns.clone(),
        });
        if !self.epilogue.activation.is_cheap() {
            // SAFETY: these columns of the result are this thread's.
            let y = unsafe { self.y.part(self.first + columns.start, columns.len()) };
            activate(isa, self.epilogue.activation, y);
        }
    }
}

/// Whether the elements of each row are neighbours.
fn along(matrix: Matrix) -> bool {
    matrix.column_stride == 1 || matrix.columns == 1
}

struct Part<'a> {
    whole: Vector<'a>,
    columns: Range<usize>,
}

impl Kernel for Part<'_> {
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

impl Vector<'_> {
    /// Where the elements of a column or row of `b` begin, `count` of them side by side.
    fn line(&self, at: usize, count: usize) -> *const f32 {
        self.b.data[at..at + count].as_ptr()
    }

    /// Sums of columns whose elements are neighbours: each a product of two vectors.
    #[inline(always)]
    fn columns<S: Simd>(&self, s: S, columns: Range<usize>) {
        let whole = columns.len() / COLUMNS * COLUMNS;
        for first in (columns.start..columns.start + whole).step_by(COLUMNS) {
            self.dots::<S, COLUMNS>(s, first);
        }
        for column in columns.start + whole..columns.end {
            self.dots::<S, 1>(s, column);
        }
    }

    /// The sums of `N` columns. Each runs over lanes first, in the same order whatever is computed beside it.
    #[inline(always)]
    fn dots<S: Simd, const N: usize>(&self, s: S, first: usize) {
        let k = self.x.len();
        let x = self.x.as_ptr();
        let lines: [*const f32; N] =
            std::array::from_fn(|i| self.line((first + i) * self.b.column_stride, k));
        let mut sums = [[s.zero(); SUMS]; N];
        let step = SUMS * S::LANES;
        let whole = k / step * step;
        // SAFETY: `at` runs below `k`, the length of `x` and, as `line` checked, of each line; results of these columns
        // are this thread's.
        unsafe {
            for at in (0..whole).step_by(step) {
                for v in 0..SUMS {
                    let at = at + v * S::LANES;
                    let value = s.load(x.add(at));
                    for i in 0..N {
                        s.prefetch(lines[i].wrapping_add(at + AHEAD));
                        sums[i][v] = s.fma(value, s.load(lines[i].add(at)), sums[i][v]);
                    }
                }
            }
            for at in (whole..k).step_by(S::LANES) {
                let count = S::LANES.min(k - at);
                let value = s.load_n(x.add(at), count);
                for i in 0..N {
                    sums[i][0] = s.fma(value, s.load_n(lines[i].add(at), count), sums[i][0]);
                }
            }
            for i in 0..N {
                let sum = sums[i].into_iter().skip(1).fold(sums[i][0], |a, b| s.add(a, b));
                let y = self.y.at(self.first + first + i);
                *y = self.begin(y) + s.sum(sum);
            }
        }
    }

    /// What sums begin with.
    ///
    /// # Safety
    /// `y` is an element of the result that is this thread's.
    #[inline(always)]
    unsafe fn begin(&self, y: *const f32) -> f32 {
        match self.epilogue.residual {
            // SAFETY: promised by the caller.
            Residual::Output => unsafe { *y },
            Residual::None | Residual::Add(_) => 0.0,
        }
    }

    /// Sums of columns over rows whose elements are neighbours, in ascending order: passes over the sums.
    #[inline(always)]
    fn rows<S: Simd>(&self, s: S, columns: Range<usize>) {
        let k = self.x.len();
        if !matches!(self.epilogue.residual, Residual::Output) {
            // SAFETY: these columns of the result are this thread's.
            unsafe { self.y.part(self.first + columns.start, columns.len()) }.fill(0.0);
        }
        let whole = k / ROWS * ROWS;
        for first in (0..whole).step_by(ROWS) {
            self.pass::<S, ROWS>(s, first, columns.clone());
        }
        for row in whole..k {
            self.pass::<S, 1>(s, row, columns.clone());
        }
    }

    /// Adds `N` rows, each multiplied with its element of `x`.
    #[inline(always)]
    fn pass<S: Simd, const N: usize>(&self, s: S, first: usize, columns: Range<usize>) {
        let count = columns.len();
        let lines: [*const f32; N] =
            std::array::from_fn(|i| self.line((first + i) * self.b.row_stride + columns.start, count));
        let factors: [S::V; N] = std::array::from_fn(|i| s.splat(self.x[first + i]));
        let y = self.y.at(self.first + columns.start);
        let whole = count / S::LANES * S::LANES;
        // SAFETY: `at` runs below `count`, which each line has, as `line` checked, and the result too; its columns are
        // this thread's.
        unsafe {
            for at in (0..whole).step_by(S::LANES) {
                let mut sum = s.load(y.add(at));
                // At the end of these columns what comes next is their beginning in the rows below.
                let ahead = match at + AHEAD {
                    ahead if ahead < count => ahead,
                    beyond => beyond - count + N * self.b.row_stride,
                };
                for i in 0..N {
                    s.prefetch(lines[i].wrapping_add(ahead));
                    sum = s.fma(factors[i], s.load(lines[i].add(at)), sum);
                }
                s.store(y.add(at), sum);
            }
            if whole < count {
                let rest = count - whole;
                let mut sum = s.load_n(y.add(whole), rest);
                for i in 0..N {
                    sum = s.fma(factors[i], s.load_n(lines[i].add(whole), rest), sum);
                }
                s.store_n(y.add(whole), sum, rest);
            }
        }
    }

    /// Bias, residual, and an activation that is cheap.
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
            // SAFETY: `count` columns of the result, which are this thread's; slices are cut to as many.
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
