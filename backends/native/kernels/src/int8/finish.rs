//! Corrects sums of products for zero points, and stores them as sums or as bytes.

use std::ops::Range;

use super::strip::Results;
use super::{BytesMut, Int8Weights, MAX_WIDTH};
use crate::Isa;
use crate::error::{Result, ensure, need};
use crate::memory::Shared;
use crate::simd::{Kernel, Simd};

/// The destination of sums.
#[derive(Debug)]
pub enum Target<'a> {
    /// The sums, unchanged.
    Sums(&'a mut [i32]),
    /// Bytes: `saturate(round(sum · scale) + zero)`, ties to even, with one scale for all columns or one for
    /// each. The product is computed in f64, so that no sum loses bits.
    Bytes {
        /// The bytes of the result.
        y: BytesMut<'a>,
        /// One scale, or one for each column.
        scale: &'a [f64],
        /// The summand of the rounded product.
        zero: i32,
    },
}

impl Target<'_> {
    /// Fails unless it has `len` elements, and scales for `columns` columns.
    pub(super) fn check(&self, what: &'static str, len: usize, columns: usize) -> Result<()> {
        match self {
            Self::Sums(y) => need(what, len, y.len()),
            Self::Bytes { y, scale, .. } => {
                need(what, len, y.len())?;
                ensure(scale.len() == 1 || scale.len() == columns, what, || {
                    format!("{} scales for {columns} columns", scale.len())
                })
            }
        }
    }
}

/// The terms of zero points: with `A = Σa` of a row and `B = Σb` of a column,
/// `Σ(a-z)(b-w) = Σab - w·A - z·(B - k·w)`.
pub(super) struct Zeros<'a> {
    /// Zero points of the left operand including its offset: one for all rows or one for each.
    pub left: &'a [i32],
    /// The sums of the rows; needed unless all of `right` and the offset of the weights are zero.
    pub row_sums: &'a [i32],
    /// Zero points of the weights without their offset: one for all columns or one for each.
    pub right: &'a [i32],
}

/// Whether sums of rows are needed for these zero points of weights.
pub(super) fn needs_row_sums(weights: &Int8Weights, right: &[i32]) -> bool {
    right.iter().any(|zero| zero.wrapping_add(weights.offset) != 0)
}

/// The terms of columns, up to complete panels, and the destination of results.
pub(super) struct Finish<'a> {
    isa: Isa,
    width: usize,
    columns: usize,
    /// The summand of every sum of a column.
    start: Vec<i32>,
    /// The terms that differ from row to row: the factors of `left` and of `row_sums`.
    by_row: Option<[Vec<i32>; 2]>,
    left: &'a [i32],
    row_sums: &'a [i32],
    out: Out<'a>,
    /// The number of elements from row to row of the result.
    stride: usize,
}

enum Out<'a> {
    Sums(Shared<'a, i32>),
    Bytes(Shared<'a, u8>, Vec<f64>, Place),
}

impl<'a> Finish<'a> {
    /// Makes the terms for rows of results that are `stride` apart, which is at least the number of columns
    /// of the weights.
    pub fn new(
        isa: Isa,
        weights: &Int8Weights,
        zeros: &Zeros<'a>,
        bias: Option<&[i32]>,
        target: Target<'a>,
        stride: usize,
    ) -> Self {
        let padded = weights.sums.len();
        let columns = weights.n;
        let right: Vec<i32> = (0..padded)
            .map(|at| match zeros.right {
                [one] => one.wrapping_add(weights.offset),
                all => all.get(at).map_or(0, |zero| zero.wrapping_add(weights.offset)),
            })
            .collect();
        let k = weights.k as i32;
        let rest = weights.sums.iter().zip(&right);
        let rest: Vec<i32> = rest
            .map(|(sum, zero)| sum.wrapping_sub(k.wrapping_mul(*zero)))
            .collect();
        let mut start = bias.unwrap_or_default().to_vec();
        start.resize(padded, 0);
        let by_row = match zeros.left {
            [one] if !needs_row_sums(weights, zeros.right) => {
                for (start, rest) in start.iter_mut().zip(&rest) {
                    *start = start.wrapping_sub(one.wrapping_mul(*rest));
                }
                None
            }
            _ => Some([rest, right]),
        };
        Self {
            isa,
            width: weights.dot.width(),
            columns,
            start,
            by_row,
            left: zeros.left,
            row_sums: zeros.row_sums,
            out: Out::new(target, padded),
            stride,
        }
    }

    /// Makes the destination of sums of complete panels of [`MAX_WIDTH`] columns. `start` is added to every
    /// sum of a column; rows of results are `stride` apart, which is at least the number of columns.
    pub fn of_columns(
        isa: Isa,
        columns: usize,
        mut start: Vec<i32>,
        target: Target<'a>,
        stride: usize,
    ) -> Self {
        let padded = columns.next_multiple_of(MAX_WIDTH);
        start.resize(padded, 0);
        Self {
            isa,
            width: MAX_WIDTH,
            columns,
            start,
            by_row: None,
            left: &[],
            row_sums: &[],
            out: Out::new(target, padded),
            stride,
        }
    }

    /// Subtracts the terms that differ from row to row.
    fn correct(&self, [rest, right]: &[Vec<i32>; 2], first: usize, rows: Range<usize>, sums: &mut [i32]) {
        let of_panel = first..first + self.width;
        for (row, sums) in rows.zip(sums.chunks_exact_mut(self.width)) {
            let zero = one_of(self.left, row);
            let row_sum = self.row_sums.get(row).copied().unwrap_or(0);
            let factors = rest[of_panel.clone()].iter().zip(&right[of_panel.clone()]);
            for (sum, (rest, right)) in sums.iter_mut().zip(factors) {
                *sum = sum
                    .wrapping_sub(zero.wrapping_mul(*rest))
                    .wrapping_sub(row_sum.wrapping_mul(*right));
            }
        }
    }
}

impl Results for Finish<'_> {
    unsafe fn store(&self, panel: usize, rows: Range<usize>, sums: &mut [i32]) {
        let first = panel * self.width;
        let len = self.width.min(self.columns - first);
        if let Some(factors) = &self.by_row {
            self.correct(factors, first, rows.clone(), sums);
        }
        let start = &self.start[first..first + self.width];
        match &self.out {
            Out::Sums(y) => {
                for (row, sums) in rows.zip(sums.chunks_exact(self.width)) {
                    // SAFETY: promised by the caller.
                    let target = unsafe { y.part(row * self.stride + first, len) };
                    for ((target, sum), start) in target.iter_mut().zip(sums).zip(start) {
                        *target = sum.wrapping_add(*start);
                    }
                }
            }
            Out::Bytes(y, scale, place) => {
                let rounding = Rounding {
                    rows: rows.len(),
                    columns: len,
                    x: sums.as_ptr(),
                    start: start.as_ptr(),
                    scale: scale[first..first + self.width].as_ptr(),
                    place: *place,
                    y: y.at(rows.start * self.stride + first),
                    stride: self.stride,
                };
                // SAFETY: start and scale hold a complete panel, sums one for each row; the result is
                // promised by the caller.
                unsafe { rounding.run(self.isa, self.width) }
            }
        }
    }
}

/// Converts rows of a panel of sums to bytes: `y[i][j] = place((x[i][j] + start[j]) · scale[j])`.
///
/// The caller promises: for every row, the sums of a panel are readable at `x`, rows consecutive, and as many
/// values at `start` and `scale`; `rows` rows of `columns` bytes are writable at `y`, `stride` apart, and
/// nothing else accesses them.
pub(super) struct Rounding {
    pub rows: usize,
    pub columns: usize,
    pub x: *const i32,
    pub start: *const i32,
    pub scale: *const f64,
    pub place: Place,
    pub y: *mut u8,
    pub stride: usize,
}

impl Rounding {
    /// # Safety
    /// As [`Rounding`] states, for panels of this width.
    unsafe fn run(&self, isa: Isa, width: usize) {
        #[cfg(target_arch = "x86_64")]
        if isa == Isa::Avx512 && width == MAX_WIDTH {
            // SAFETY: the set is available; the rest is promised by the caller.
            return unsafe { super::x86_round::round_avx512(self) };
        }
        for row in 0..self.rows {
            // SAFETY: promised by the caller.
            let (x, start, scale, y) = unsafe {
                (
                    std::slice::from_raw_parts(self.x.add(row * width), self.columns),
                    std::slice::from_raw_parts(self.start, self.columns),
                    std::slice::from_raw_parts(self.scale, self.columns),
                    std::slice::from_raw_parts_mut(self.y.add(row * self.stride), self.columns),
                )
            };
            let mut sums = [0; MAX_WIDTH];
            for ((sum, x), start) in sums.iter_mut().zip(x).zip(start) {
                *sum = x.wrapping_add(*start);
            }
            let (x, place) = (&sums[..self.columns], self.place);
            isa.run(Round { x, scale, place, y });
        }
    }
}

impl<'a> Out<'a> {
    fn new(target: Target<'a>, padded: usize) -> Self {
        match target {
            Target::Sums(y) => Self::Sums(Shared::new(y)),
            Target::Bytes { y, scale, zero } => {
                let place = Place::new(&y, zero);
                let mut scale = scale.to_vec();
                scale.resize(padded, scale[0]);
                Self::Bytes(Shared::new(y.raw()), scale, place)
            }
        }
    }
}

/// Returns the value for `i`: there is one for all, or one for each.
pub(super) fn one_of<T: Copy>(values: &[T], i: usize) -> T {
    if values.len() == 1 { values[0] } else { values[i] }
}

/// The range of bytes relative to their zero point.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub low: f64,
    pub high: f64,
    pub zero: u8,
    /// Whether the bytes are signed.
    #[cfg(target_arch = "x86_64")]
    pub signed: bool,
}

impl Place {
    pub fn new(y: &BytesMut, zero: i32) -> Self {
        Self::of_sign(matches!(y, BytesMut::Signed(_)), zero)
    }

    pub fn of_sign(signed: bool, zero: i32) -> Self {
        let [low, high] = if signed { [-128, 127] } else { [0, 255] };
        Self {
            low: f64::from(low) - f64::from(zero),
            high: f64::from(high) - f64::from(zero),
            zero: zero as u8,
            #[cfg(target_arch = "x86_64")]
            signed,
        }
    }

    /// Returns the zero point, if it is one of the bytes.
    #[cfg(target_arch = "x86_64")]
    pub fn offset(self) -> Option<i16> {
        let least = if self.signed { -128.0 } else { 0.0 };
        let zero = least - self.low;
        (least..=least + 255.0).contains(&zero).then_some(zero as i16)
    }

    /// Returns the bits of `saturate(round(value) + zero)`. The value is saturated first, which is equivalent
    /// because the bounds are integers. Then it is small, so adding 1.5·2⁵² rounds it into the low bits.
    #[inline(always)]
    pub fn round(self, value: f64) -> u8 {
        let value = if value > self.low { value } else { self.low };
        let value = if value < self.high { value } else { self.high };
        ((value + 6_755_399_441_055_744.0).to_bits() as u8).wrapping_add(self.zero)
    }
}

/// Computes `y = place(x · scale)` with one scale for each element.
pub(super) struct Round<'a> {
    pub x: &'a [i32],
    pub scale: &'a [f64],
    pub place: Place,
    pub y: &'a mut [u8],
}

impl Kernel for Round<'_> {
    type Output = ();

    /// Vectorized by the compiler with this instruction set.
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        for ((y, x), scale) in self.y.iter_mut().zip(self.x).zip(self.scale) {
            *y = self.place.round(f64::from(*x) * scale);
        }
    }
}
