//! Reductions along an axis.
//!
//! A sum is divided into pieces of fixed length. Each piece is summed in f32 lane by lane, and the pieces in
//! f64: the error is near that of a short sum, and the result does not depend on the number of threads.

mod below;
mod lines;
mod log_sum_exp;

pub use below::all_below;
pub(crate) use lines::{Lines, extreme_lane, sum, sum_of_squares};

use crate::Pool;
use crate::error::{Result, ensure, need, product};
use crate::memory::Shared;
use crate::simd::{Kernel, Simd};

/// The function of the values along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// The sum; 0 of no values.
    Sum,
    /// The mean; NaN of no values.
    Mean,
    /// The sum of the absolute values.
    L1,
    /// The square root of the sum of squares.
    L2,
    SumSquare,
    /// The maximum; NaN if any value is NaN; negative infinity of no values.
    Max,
    /// The minimum; NaN if any value is NaN; infinity of no values.
    Min,
    /// The product; 1 of no values.
    Product,
    /// The logarithm of the sum; negative infinity of no values.
    LogSum,
    /// The logarithm of the sum of `e^x`; negative infinity of no values.
    LogSumExp,
}

/// Reduces the middle axis of `x` (`[outer][n][inner]`) to `y` (`[outer][inner]`).
pub fn reduce(
    pool: &Pool,
    reduction: Reduction,
    [outer, n, inner]: [usize; 3],
    x: &[f32],
    y: &mut [f32],
) -> Result<()> {
    need("reduce: source", product("reduce", &[outer, n, inner])?, x.len())?;
    let len = product("reduce", &[outer, inner])?;
    need("reduce: result", len, y.len())?;
    ensure(n <= u32::MAX as usize, "reduce", || {
        "more than 2³² values along the axis".into()
    })?;
    let y = Shared::new(y);
    let grain = (16 * 1024 / n.max(1)).max(1);
    if inner == 1 {
        pool.split(outer, grain, |rows| {
            for row in rows {
                let values = &x[row * n..][..n];
                // SAFETY: each result is written by one thread.
                unsafe { *y.at(row) = pool.isa().run(Row { reduction, values }) }
            }
        });
        return Ok(());
    }
    pool.split(
        outer * inner.div_ceil(COLUMNS),
        (grain / COLUMNS).max(1),
        |parts| {
            let per = inner.div_ceil(COLUMNS);
            for part in parts {
                let (row, column) = (part / per, part % per * COLUMNS);
                let columns = COLUMNS.min(inner - column);
                // SAFETY: parts are disjoint, each belongs to one thread.
                let y = unsafe { y.part(row * inner + column, columns) };
                let x = if n == 0 {
                    &[]
                } else {
                    &x[row * n * inner + column..]
                };
                pool.isa().run(Columns {
                    reduction,
                    x,
                    n,
                    stride: inner,
                    y,
                });
            }
        },
    );
    Ok(())
}

/// The number of adjacent results that are computed together if the axis is not the last.
const COLUMNS: usize = 64;

struct Row<'a> {
    reduction: Reduction,
    values: &'a [f32],
}

impl Kernel for Row<'_> {
    type Output = f32;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> f32 {
        let lines = Lines(self.values);
        match self.reduction {
            Reduction::Sum => sum(
                s,
                self.values,
                #[inline(always)]
                |x| x,
            ) as f32,
            Reduction::Mean => {
                (sum(
                    s,
                    self.values,
                    #[inline(always)]
                    |x| x,
                ) / self.values.len() as f64) as f32
            }
            Reduction::L1 => sum(
                s,
                self.values,
                #[inline(always)]
                |x| s.abs(x),
            ) as f32,
            Reduction::L2 => sum_of_squares(s, self.values).sqrt() as f32,
            Reduction::SumSquare => sum_of_squares(s, self.values) as f32,
            Reduction::Max => lines.extreme(
                s,
                f32::NEG_INFINITY,
                #[inline(always)]
                |a, b| s.max_nan(a, b),
            ),
            Reduction::Min => lines.extreme(
                s,
                f32::INFINITY,
                #[inline(always)]
                |a, b| s.min_nan(a, b),
            ),
            Reduction::Product => self.values.iter().map(|x| f64::from(*x)).product::<f64>() as f32,
            Reduction::LogSum => sum(
                s,
                self.values,
                #[inline(always)]
                |x| x,
            )
            .ln() as f32,
            Reduction::LogSumExp => log_sum_exp::of_row(s, self.values),
        }
    }
}

struct Columns<'a> {
    reduction: Reduction,
    x: &'a [f32],
    n: usize,
    stride: usize,
    y: &'a mut [f32],
}

impl Kernel for Columns<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        let n = self.n as f64;
        match self.reduction {
            Reduction::Sum => self.sums(
                s,
                #[inline(always)]
                |x| x,
                |sum| sum,
            ),
            Reduction::Mean => self.sums(
                s,
                #[inline(always)]
                |x| x,
                |sum| sum / n,
            ),
            Reduction::L1 => self.sums(
                s,
                #[inline(always)]
                |x| s.abs(x),
                |sum| sum,
            ),
            Reduction::L2 => self.sums(
                s,
                #[inline(always)]
                |x| s.mul(x, x),
                f64::sqrt,
            ),
            Reduction::SumSquare => self.sums(
                s,
                #[inline(always)]
                |x| s.mul(x, x),
                |sum| sum,
            ),
            Reduction::Max => self.fold(
                s,
                f32::NEG_INFINITY,
                #[inline(always)]
                |a, b| s.max_nan(a, b),
            ),
            Reduction::Min => self.fold(
                s,
                f32::INFINITY,
                #[inline(always)]
                |a, b| s.min_nan(a, b),
            ),
            Reduction::Product => self.fold(
                s,
                1.0,
                #[inline(always)]
                |a, b| s.mul(a, b),
            ),
            Reduction::LogSum => self.sums(
                s,
                #[inline(always)]
                |x| x,
                f64::ln,
            ),
            Reduction::LogSumExp => log_sum_exp::of_columns(&mut self, s),
        }
    }
}

impl Columns<'_> {
    /// The number of values summed in f32 before they are added to a sum in f64.
    const PIECE: usize = 64;

    #[inline(always)]
    fn sums<S: Simd>(self, s: S, f: impl Fn(S::V) -> S::V, last: impl Fn(f64) -> f64) {
        let width = self.y.len();
        let mut sums = [0.0f64; COLUMNS];
        for start in (0..self.n).step_by(Self::PIECE) {
            let mut piece = [0.0f32; COLUMNS];
            for i in start..(start + Self::PIECE).min(self.n) {
                self.line(
                    s,
                    i,
                    &mut piece,
                    #[inline(always)]
                    |a, b| s.add(a, f(b)),
                );
            }
            sums.iter_mut()
                .zip(&piece[..width])
                .for_each(|(sum, piece)| *sum += f64::from(*piece));
        }
        self.y
            .iter_mut()
            .zip(sums)
            .for_each(|(y, sum)| *y = last(sum) as f32);
    }

    #[inline(always)]
    fn fold<S: Simd>(self, s: S, start: f32, f: impl Fn(S::V, S::V) -> S::V) {
        let mut folded = [start; COLUMNS];
        (0..self.n).for_each(|i| self.line(s, i, &mut folded, &f));
        self.y.copy_from_slice(&folded[..self.y.len()]);
    }

    /// Computes `into = f(into, line i)`.
    #[inline(always)]
    fn line<S: Simd>(&self, s: S, i: usize, into: &mut [f32; COLUMNS], f: impl Fn(S::V, S::V) -> S::V) {
        let line = &self.x[i * self.stride..][..self.y.len()];
        for (into, line) in into.chunks_mut(S::LANES).zip(line.chunks(S::LANES)) {
            // SAFETY: `COLUMNS` is a multiple of every vector length, so `into` holds complete vectors; of
            // `line` only the remaining values are read.
            unsafe {
                let value = f(s.load(into.as_ptr()), s.load_n(line.as_ptr(), line.len()));
                s.store(into.as_mut_ptr(), value);
            }
        }
    }
}
