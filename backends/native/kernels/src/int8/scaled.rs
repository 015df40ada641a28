//! Products of quantized rows and weights with a scale for each column, as floats.

use std::ops::Range;

use super::finish;
use super::pack::Int8Weights;
use super::strip::{Results, Strips, multiply_all, multiply_row};
use crate::error::{Result, ensure};
use crate::memory::Shared;
use crate::simd::{Kernel, Simd};
use crate::{Isa, Pool};

/// Weights in bytes with the scale and the zero point of each column. The left operand brings its own scale
/// and zero point with each call.
#[derive(Clone, Debug)]
pub struct ScaledWeights {
    weights: Int8Weights,
    /// The terms of columns, up to complete panels: with `A = Σa` of a row and `B = Σb` of a column,
    /// `Σ(a-z)(b-w) = Σab - w·A - z·(B - k·w)`.
    rest: Vec<i32>,
    right: Vec<i32>,
    scales: Vec<f32>,
    row_sums: bool,
}

/// What is done with the products.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct After<'a> {
    /// A summand for each column.
    pub bias: Option<&'a [f32]>,
    /// Whether the result is added to.
    pub added: bool,
}

/// Rows of unsigned bytes, their scale and zero point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScaledRows<'a> {
    pub count: usize,
    pub bytes: &'a [u8],
    /// The number of bytes from row to row: a multiple of four.
    pub stride: usize,
    /// The sum of each row, if the weights need it.
    pub sums: &'a [i32],
    pub scale: f32,
    /// The zero point.
    pub zero: i32,
}

impl ScaledWeights {
    /// Adds scales and zero points, one for all columns or one for each.
    ///
    /// # Errors
    /// Another number of them.
    pub fn new(weights: Int8Weights, scales: &[f32], zeros: &[i32]) -> Result<Self> {
        let n = weights.n;
        for count in [scales.len(), zeros.len()] {
            ensure(count == 1 || count == n, "scaled weights", || {
                format!("{count} scales or zero points for {n} columns")
            })?;
        }
        let k = weights.k as i32;
        let one_of = |at: usize| finish::one_of(zeros, at).wrapping_add(weights.offset);
        let mut right: Vec<i32> = (0..n).map(one_of).collect();
        right.resize(weights.sums.len(), 0);
        let rest = weights.sums.iter().zip(&right);
        let rest = rest.map(|(sum, zero)| sum.wrapping_sub(k.wrapping_mul(*zero)));
        let mut all: Vec<f32> = (0..n).map(|at| finish::one_of(scales, at)).collect();
        all.resize(weights.sums.len(), 0.0);
        Ok(Self {
            rest: rest.collect(),
            row_sums: right.iter().any(|zero| *zero != 0),
            right,
            scales: all,
            weights,
        })
    }

    /// The number of products in a sum.
    pub fn k(&self) -> usize {
        self.weights.k
    }

    /// The number of columns.
    pub fn n(&self) -> usize {
        self.weights.n
    }

    /// Whether products need the sums of rows.
    pub(crate) fn needs_row_sums(&self) -> bool {
        self.row_sums
    }

    /// The size in bytes.
    pub fn bytes(&self) -> usize {
        self.weights.bytes() + self.scales.len() * size_of::<[f32; 3]>()
    }

    /// Computes `y = sum · (scale · scale of the column)` and what comes after it; the sums are exact, and
    /// each operation is rounded. `y` has dense rows. On this thread if `alone`.
    pub(crate) fn multiply(&self, pool: &Pool, rows: &ScaledRows, after: After, y: &mut [f32], alone: bool) {
        let n = self.weights.n;
        assert!(y.len() >= rows.count * n && after.bias.is_none_or(|bias| bias.len() >= n));
        assert!(!self.row_sums || rows.sums.len() >= rows.count);
        let strips = Strips {
            a: rows.bytes,
            images: [1, 0],
            lines: [1, 0],
            rows: [rows.count, rows.stride],
            taps: &[0],
        };
        let results = Floats {
            isa: pool.isa(),
            of: self,
            rows,
            after,
            y: Shared::new(y),
        };
        if alone && rows.count == 1 {
            multiply_row(&self.weights, &strips, 0..self.panels(), &results);
        } else {
            multiply_all(pool, &self.weights, &strips, &results);
        }
    }

    fn panels(&self) -> usize {
        self.weights.n.div_ceil(self.weights.dot.width())
    }
}

struct Floats<'a> {
    isa: Isa,
    of: &'a ScaledWeights,
    rows: &'a ScaledRows<'a>,
    after: After<'a>,
    y: Shared<'a, f32>,
}

impl Results for Floats<'_> {
    unsafe fn store(&self, panel: usize, rows: Range<usize>, sums: &mut [i32]) {
        let width = self.of.weights.dot.width();
        for (row, sums) in rows.zip(sums.chunks_exact(width)) {
            // SAFETY: promised by the caller.
            unsafe { self.line(panel * width, row, sums) }
        }
    }

    unsafe fn store_row(&self, panel: usize, width: usize, sums: &mut [i32]) {
        // SAFETY: promised by the caller.
        unsafe { self.line(panel * width, 0, sums) }
    }
}

impl Floats<'_> {
    /// Stores the sums of a row from a column on.
    ///
    /// # Safety
    /// As for [`Results::store`].
    unsafe fn line(&self, first: usize, row: usize, sums: &[i32]) {
        let of = self.of;
        let columns = sums.len().min(of.weights.n - first);
        let own = first..first + columns;
        self.isa.run(Line {
            sums: &sums[..columns],
            rest: &of.rest[own.clone()],
            right: &of.right[own.clone()],
            scales: &of.scales[own.clone()],
            scale: self.rows.scale,
            zero: self.rows.zero,
            row_sum: if of.row_sums { self.rows.sums[row] } else { 0 },
            bias: self.after.bias.map(|bias| &bias[own]),
            added: self.after.added,
            // SAFETY: promised by the caller.
            y: unsafe { self.y.part(row * of.weights.n + first, columns) },
        });
    }
}

/// Sums of a row; all slices have as many elements.
struct Line<'a> {
    sums: &'a [i32],
    rest: &'a [i32],
    right: &'a [i32],
    scales: &'a [f32],
    scale: f32,
    zero: i32,
    row_sum: i32,
    bias: Option<&'a [f32]>,
    added: bool,
    y: &'a mut [f32],
}

impl Line<'_> {
    /// The product of `n` columns from `at` on.
    ///
    /// # Safety
    /// There are so many.
    #[inline(always)]
    unsafe fn product<S: Simd>(&self, s: S, at: usize, n: usize) -> S::V {
        // SAFETY: promised by the caller; integers are loaded as their bits.
        let ints = |from: &[i32]| s.bits(unsafe { s.load_n(from.as_ptr().add(at).cast(), n) });
        let left = s.mul_i(s.splat_i(self.zero), ints(self.rest));
        let mut sum = s.sub_i(ints(self.sums), left);
        if self.row_sum != 0 {
            sum = s.sub_i(sum, s.mul_i(s.splat_i(self.row_sum), ints(self.right)));
        }
        // SAFETY: as above.
        let scales = unsafe { s.load_n(self.scales.as_ptr().add(at), n) };
        s.mul(s.from_int(sum), s.mul(s.splat(self.scale), scales))
    }
}

impl Kernel for Line<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let len = self.y.len();
        let lengths = [
            self.sums.len(),
            self.rest.len(),
            self.right.len(),
            self.scales.len(),
        ];
        assert!(lengths.iter().all(|&length| length >= len));
        assert!(self.bias.is_none_or(|bias| bias.len() >= len));
        let y = self.y.as_mut_ptr();
        for at in (0..len).step_by(S::LANES) {
            let n = S::LANES.min(len - at);
            // SAFETY: the lengths were asserted above.
            unsafe {
                let mut value = self.product(s, at, n);
                if let Some(bias) = self.bias {
                    value = s.add(value, s.load_n(bias.as_ptr().add(at), n));
                }
                if self.added {
                    value = s.add(s.load_n(y.cast_const().add(at), n), value);
                }
                s.store_n(y.add(at), value, n);
            }
        }
    }
}
