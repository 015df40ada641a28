//! Softmax and LogSoftmax.

use crate::error::{Result, need, product};
use crate::math::{LIFT, exp, exp_lifted};
use crate::memory::Shared;
use crate::reduce::{Lines, extreme_lane};
use crate::simd::{Kernel, Simd};
use crate::{Pool, scratch};

/// The function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Softmax {
    /// `e^x / Σ e^x`
    Linear,
    /// `x - ln Σ e^x`
    Logarithm,
}

/// Computes the softmax along the middle axis of `x` (`[outer][n][inner]`).
pub fn softmax(
    pool: &Pool,
    kind: Softmax,
    [outer, n, inner]: [usize; 3],
    x: &[f32],
    y: &mut [f32],
) -> Result<()> {
    let len = product("softmax", &[outer, n, inner])?;
    need("softmax: source", len, x.len())?;
    need("softmax: result", len, y.len())?;
    if len == 0 {
        return Ok(());
    }
    let y = Shared::new(y);
    if inner == 1 {
        pool.split(outer, (4096 / n).max(1), |rows| {
            for row in rows {
                // SAFETY: rows are disjoint, each belongs to one thread.
                let y = unsafe { y.part(row * n, n) };
                y.copy_from_slice(&x[row * n..][..n]);
                pool.isa().run(Row { kind, values: y });
            }
        });
        return Ok(());
    }
    if inner < COLUMNS {
        narrow(pool, kind, [outer, n, inner], x, y);
        return Ok(());
    }
    let per = inner.div_ceil(COLUMNS);
    pool.split(outer * per, (4096 / (n * COLUMNS)).max(1), |parts| {
        for part in parts {
            let (row, column) = (part / per, part % per * COLUMNS);
            let at = row * n * inner + column;
            let width = COLUMNS.min(inner - column);
            pool.isa().run(Columns {
                kind,
                x: &x[at..],
                y,
                at,
                n,
                stride: inner,
                width,
            });
        }
    });
    Ok(())
}

/// Computes the softmax of columns that do not fill a vector: each is copied to a row.
fn narrow(pool: &Pool, kind: Softmax, [outer, n, inner]: [usize; 3], x: &[f32], y: Shared<f32>) {
    pool.split(outer * inner, (4096 / n).max(1), |columns| {
        scratch::with(n, |row| {
            for column in columns {
                let first = column / inner * n * inner + column % inner;
                let source = x[first..].iter().step_by(inner);
                row.iter_mut().zip(source).for_each(|(value, &x)| *value = x);
                pool.isa().run(Row { kind, values: row });
                for (i, &value) in row.iter().enumerate() {
                    // SAFETY: the element is inside of the result, of checked size; columns are disjoint.
                    unsafe { *y.at_inside(first + i * inner) = value };
                }
            }
        });
    });
}

struct Row<'a> {
    kind: Softmax,
    values: &'a mut [f32],
}

impl Kernel for Row<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        softmax_row(s, self.kind, self.values);
    }
}

/// Computes the softmax in place. A row that contains only negative infinity becomes NaN, by the formula.
#[inline(always)]
pub(crate) fn softmax_row<S: Simd>(s: S, kind: Softmax, values: &mut [f32]) {
    match kind {
        Softmax::Linear => linear(
            s,
            values,
            #[inline(always)]
            |shifted| exp(s, shifted),
            0,
        ),
        Softmax::Logarithm => {
            let total = powers(
                s,
                values,
                #[inline(always)]
                |shifted| exp(s, shifted),
                #[inline(always)]
                |shifted, _| shifted,
            );
            let less = s.splat(total.ln() as f32);
            crate::math::map_in_place(
                s,
                values,
                #[inline(always)]
                |x| s.sub(x, less),
            );
        }
    }
}

/// Computes the softmax times 2^[`LIFT`] in place: the same digits, but numbers that would be denormal are
/// not.
#[inline(always)]
pub(crate) fn softmax_row_lifted<S: Simd>(s: S, values: &mut [f32]) {
    linear(
        s,
        values,
        #[inline(always)]
        |shifted| exp_lifted(s, shifted),
        LIFT,
    );
}

/// Computes the softmax times 2^`exponent` in place.
#[inline(always)]
fn linear<S: Simd>(s: S, values: &mut [f32], power: impl Fn(S::V) -> S::V, exponent: i32) {
    match values.len().div_ceil(S::LANES) {
        1 => return short::<S, 1>(s, values, power, exponent),
        2 => return short::<S, 2>(s, values, power, exponent),
        3 => return short::<S, 3>(s, values, power, exponent),
        4 => return short::<S, 4>(s, values, power, exponent),
        _ => {}
    }
    let total = powers(
        s,
        values,
        power,
        #[inline(always)]
        |_, power| power,
    );
    let factor = s.splat((f64::from(exponent).exp2() / total) as f32);
    crate::math::map_in_place(
        s,
        values,
        #[inline(always)]
        |x| s.mul(x, factor),
    );
}

/// Zeros, then negative infinities: a vector from position `LANES - n` on has `n` zeros.
const PADDING: [f32; 32] = {
    let mut padding = [0.0; 32];
    let mut at = 16;
    while at < 32 {
        padding[at] = f32::NEG_INFINITY;
        at += 1;
    }
    padding
};

/// The same for `N` vectors, of which only the last may be incomplete: they stay in registers.
#[inline(always)]
fn short<S: Simd, const N: usize>(s: S, values: &mut [f32], power: impl Fn(S::V) -> S::V, exponent: i32) {
    const { assert!(S::LANES <= 16) }
    let last = values.len() - (N - 1) * S::LANES;
    assert!((1..=S::LANES).contains(&last), "{N} vectors");
    let start = values.as_mut_ptr();
    let mut vectors = [s.zero(); N];
    // SAFETY: the slice has `N - 1` vectors and `last` more values; the padding has a vector from every
    // position up to 16 on.
    unsafe {
        for (number, vector) in vectors.iter_mut().enumerate().take(N - 1) {
            *vector = s.load(start.add(number * S::LANES));
        }
        let rest = s.load_n(start.add((N - 1) * S::LANES), last);
        vectors[N - 1] = s.add(rest, s.load(PADDING.as_ptr().add(16 - last)));
    }
    let mut largest = vectors[0];
    for vector in &vectors[1..] {
        largest = s.max_nan(largest, *vector);
    }
    let shift = s.splat(extreme_lane(
        s,
        largest,
        #[inline(always)]
        |a, b| s.max_nan(a, b),
    ));
    let mut sum = s.zero();
    for vector in &mut vectors {
        *vector = power(s.sub(*vector, shift));
        sum = s.add(sum, *vector);
    }
    let factor = s.splat((f64::from(exponent).exp2() / f64::from(s.sum(sum))) as f32);
    // SAFETY: as above.
    unsafe {
        for (number, vector) in vectors.iter().enumerate().take(N - 1) {
            s.store(start.add(number * S::LANES), s.mul(*vector, factor));
        }
        s.store_n(start.add((N - 1) * S::LANES), s.mul(vectors[N - 1], factor), last);
    }
}

/// Returns the sum of the powers of the differences from the largest value. Each value becomes what `keep`
/// returns for its difference and its power.
#[inline(always)]
fn powers<S: Simd>(
    s: S,
    values: &mut [f32],
    power: impl Fn(S::V) -> S::V,
    keep: impl Fn(S::V, S::V) -> S::V,
) -> f64 {
    let largest = Lines(values).extreme(
        s,
        f32::NEG_INFINITY,
        #[inline(always)]
        |a, b| s.max_nan(a, b),
    );
    let shift = s.splat(largest);
    let mut total = 0.0f64;
    for piece in values.chunks_mut(1024) {
        let mut sum = s.zero();
        let mut vectors = piece.chunks_exact_mut(S::LANES);
        for vector in &mut vectors {
            // SAFETY: a whole vector.
            unsafe {
                let shifted = s.sub(s.load(vector.as_ptr()), shift);
                let power = power(shifted);
                sum = s.add(sum, power);
                s.store(vector.as_mut_ptr(), keep(shifted, power));
            }
        }
        let rest = vectors.into_remainder();
        // SAFETY: only the remaining values are read and written.
        unsafe {
            let shifted = s.sub(s.load_n(rest.as_ptr(), rest.len()), shift);
            let power = s.keep(power(shifted), rest.len());
            sum = s.add(sum, power);
            s.store_n(rest.as_mut_ptr(), keep(shifted, power), rest.len());
        }
        total += f64::from(s.sum(sum));
    }
    total
}

/// The number of adjacent results that are computed together if the axis is not the last: a vector, or less
/// at the end.
const COLUMNS: usize = 16;

struct Columns<'a> {
    kind: Softmax,
    x: &'a [f32],
    y: Shared<'a, f32>,
    at: usize,
    n: usize,
    stride: usize,
    width: usize,
}

impl Kernel for Columns<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        for first in (0..self.width).step_by(S::LANES) {
            let lanes = S::LANES.min(self.width - first);
            // SAFETY: element `i` of the column is at offset `i · stride`; the sizes were checked and columns
            // are disjoint.
            let x = |i: usize| unsafe { s.load_n(self.x[i * self.stride + first..].as_ptr(), lanes) };
            let y = |i: usize| self.y.at_inside(self.at + i * self.stride + first);
            let mut largest = s.splat(f32::NEG_INFINITY);
            for i in 0..self.n {
                largest = s.max_nan(largest, x(i));
            }
            let mut sum = s.zero();
            for i in 0..self.n {
                let shifted = s.sub(x(i), largest);
                let power = exp(s, shifted);
                sum = s.add(sum, power);
                let value = if self.kind == Softmax::Linear {
                    power
                } else {
                    shifted
                };
                // SAFETY: as above.
                unsafe { s.store_n(y(i), value, lanes) }
            }
            let logarithm = crate::math::log(s, sum);
            for i in 0..self.n {
                // SAFETY: as above.
                unsafe {
                    let value = s.load_n(y(i), lanes);
                    let value = match self.kind {
                        Softmax::Linear => s.div(value, sum),
                        Softmax::Logarithm => s.sub(value, logarithm),
                    };
                    s.store_n(y(i), value, lanes);
                }
            }
        }
    }
}
