//! Few rows times quantized weights: sums of a block are multiplied by its scales.
//!
//! A decoder that makes one token at a time is bound by reading its weights; these are read as codes.
//!
//! The result is `Σ scale · (Σ x · (code - zero))`, where the outer sum is over blocks. In f32 its error is
//! within the bound of `Σ x · w` with restored weights `w`: an element is rounded at most once for each row
//! of its block and once for each block, instead of once for its weight and once for each row of the matrix.
//! Elements and scales above [`LIMIT`], infinities and NaN are left to a product with restored weights, so no
//! sum overflows here that does not overflow there.

use std::ops::Range;

use super::{CodeBits, Codes, Eight, Four, PackedQuantized, Quantized, Steps, Table, load, table};
use crate::epilogue::Residual;
use crate::gemm::Matrix;
use crate::gemm::finish::store;
use crate::gemm::job::Job;
use crate::gemm::skinny::tile;
use crate::gemm::tile::VECTORS;
use crate::simd::{Kernel, Simd};

/// The distance in bytes of prefetched codes.
const PREFETCH_DISTANCE: usize = 1024;
/// The minimum number of rows of the weights.
const MIN_ROWS: usize = 64;
/// The limit of the magnitude of elements and scales: 2⁴⁰. Sums of 2⁴⁰ rows do not overflow.
const LIMIT: f32 = (1u64 << 40) as f32;

/// Whether sums with these weights may be multiplied by scales: each block is complete groups of rows, the
/// scales are moderate, and an element is rounded at most as often as with restored weights.
pub(super) fn may_multiply_sums(b: &Quantized, scales: &[f32]) -> bool {
    let block = b.block.min(b.k);
    let groups = block == b.k || block.is_multiple_of(b.bits.rows());
    let roundings = block + b.k.div_ceil(b.block);
    groups && b.k >= MIN_ROWS && roundings <= b.k + 1 && are_moderate(scales)
}

/// Whether these weights times this matrix of few rows may be computed by [`Skinny`].
pub(in crate::gemm) fn is_for(b: &PackedQuantized, a: &Matrix) -> bool {
    let moderate = |row: usize| match a.column_stride {
        1 => are_moderate(&a.data[row * a.row_stride..][..a.columns]),
        _ => (0..a.columns).all(|column| is_moderate(a.get(row, column))),
    };
    b.sums && (0..a.rows).all(moderate)
}

/// Without an early end, so that the compiler can vectorise it.
fn are_moderate(values: &[f32]) -> bool {
    values.iter().fold(true, |all, value| all & is_moderate(*value))
}

fn is_moderate(value: f32) -> bool {
    value.abs() <= LIMIT
}

/// Computes panels of a product with at most [`crate::gemm::skinny::ROWS`] rows.
pub(in crate::gemm) struct Skinny<'a> {
    pub job: &'a Job<'a>,
    pub b: &'a PackedQuantized,
    pub panels: Range<usize>,
}

impl Kernel for Skinny<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        match (self.b.bits, self.b.zero) {
            (CodeBits::Four, Some(zero)) if S::LANES == 16 => self.panels::<S, Table>(s, table(s, zero)),
            (CodeBits::Four, _) => self.panels::<S, Four>(s, s.zero()),
            (CodeBits::Eight, _) => self.panels::<S, Eight>(s, s.zero()),
        }
    }
}

/// The sums of `MR` rows and `NP` panels.
type Sums<S, const MR: usize, const NP: usize> = [[[<S as Simd>::V; VECTORS]; MR]; NP];

impl Skinny<'_> {
    #[inline(always)]
    fn panels<S: Simd, C: Codes>(self, s: S, table: S::V) {
        match self.job.a.rows {
            1 if S::LANES == 16 => self.groups::<S, C, 1, 4>(s, table),
            1 => self.groups::<S, C, 1, 2>(s, table),
            2 => self.groups::<S, C, 2, 1>(s, table),
            3 => self.groups::<S, C, 3, 1>(s, table),
            rows => unreachable!("{rows} rows"),
        }
    }

    #[inline(always)]
    fn groups<S: Simd, C: Codes, const MR: usize, const NP: usize>(&self, s: S, table: S::V) {
        let panels = self.panels.clone();
        let whole = panels.len() / NP * NP;
        for first in (panels.start..panels.start + whole).step_by(NP) {
            self.group::<S, C, MR, NP>(s, table, first);
        }
        for panel in panels.start + whole..panels.end {
            self.group::<S, C, MR, 1>(s, table, panel);
        }
    }

    /// Computes `NP` panels of `MR` rows.
    #[inline(always)]
    fn group<S: Simd, C: Codes, const MR: usize, const NP: usize>(&self, s: S, table: S::V, first: usize) {
        let Self { job, b, .. } = *self;
        let width = VECTORS * S::LANES;
        let k = job.a.columns;
        let mut totals = [[[s.zero(); VECTORS]; MR]; NP];
        if matches!(job.epilogue.residual, Residual::Output) {
            self.resume(s, first, &mut totals);
        }
        for (block, start) in (0..k).step_by(b.block).enumerate() {
            let mut steps = [Steps::zero(s); NP];
            for (p, steps) in steps.iter_mut().enumerate() {
                *steps = Steps::of(s, b.steps(first + p, block));
            }
            let rows = start..start.saturating_add(b.block).min(k);
            let sums = self.block::<S, C, MR, NP>(s, table, first, &steps, rows);
            for p in 0..NP {
                for v in 0..VECTORS {
                    for r in 0..MR {
                        totals[p][r][v] = s.fma(sums[p][r][v], steps[p].scales[v], totals[p][r][v]);
                    }
                }
            }
        }
        for (panel, sums) in totals.into_iter().enumerate() {
            let column = (first + panel) * width;
            let columns = width.min(job.n - column);
            let vectors = columns.div_ceil(S::LANES);
            let tile = tile(job, S::ISA, [MR, columns], column);
            // SAFETY: the columns of these panels exist in the result, whose length was checked, and belong
            // to this thread.
            unsafe {
                match vectors {
                    1 => store::<S, MR, 1>(s, &tile, sums.map(|[sum, _]| [sum])),
                    _ => store::<S, MR, VECTORS>(s, &tile, sums),
                }
                tile.activate_rest(S::ISA);
            }
        }
    }

    /// Returns the sums of products of `rows` of the weights, which are in one block, with `code - zero`.
    #[inline(always)]
    fn block<S: Simd, C: Codes, const MR: usize, const NP: usize>(
        &self,
        s: S,
        table: S::V,
        first: usize,
        steps: &[Steps<S>; NP],
        rows: Range<usize>,
    ) -> Sums<S, MR, NP> {
        let width = VECTORS * S::LANES;
        let mut sums = [[[s.zero(); VECTORS]; MR]; NP];
        let panels: [&[u32]; NP] = std::array::from_fn(|p| self.b.panel(first + p));
        assert!(panels[0].len() >= rows.end.div_ceil(C::ROWS) * width && rows.end <= self.job.a.columns);
        // The panels after these, which are adjacent to them, are fetched line by line.
        let next = panels[0].as_ptr().wrapping_add(NP * panels[0].len());
        let mut at = rows.start;
        while at < rows.end {
            let next = next.wrapping_add(at / C::ROWS * NP * width);
            let mut groups = [[s.splat_i(0); VECTORS]; NP];
            for p in 0..NP {
                for v in 0..VECTORS {
                    let from = panels[p]
                        .as_ptr()
                        .wrapping_add(at / C::ROWS * width + v * S::LANES);
                    s.prefetch(from.wrapping_byte_add(PREFETCH_DISTANCE).cast());
                    s.prefetch_l2(next.wrapping_add(p * width + v * S::LANES).cast());
                    // SAFETY: all panels have this group, as was asserted.
                    groups[p][v] = unsafe { load(s, from) };
                }
            }
            // The number of rows of a complete group is a constant, so its loop is unrolled.
            match rows.end - at {
                rest if rest < C::ROWS => {
                    self.rows::<S, C, MR, NP>(s, table, at, rest, steps, &mut groups, &mut sums);
                }
                _ => self.rows::<S, C, MR, NP>(s, table, at, C::ROWS, steps, &mut groups, &mut sums),
            }
            at += C::ROWS;
        }
        sums
    }

    /// Adds the products of the `count` rows from `at` on, whose codes are in `groups`.
    #[inline(always)]
    #[expect(clippy::too_many_arguments)]
    fn rows<S: Simd, C: Codes, const MR: usize, const NP: usize>(
        &self,
        s: S,
        table: S::V,
        at: usize,
        count: usize,
        steps: &[Steps<S>; NP],
        groups: &mut [[S::I; VECTORS]; NP],
        sums: &mut Sums<S, MR, NP>,
    ) {
        let a = &self.job.a;
        let x = a.data.as_ptr();
        for i in at..at + count {
            // SAFETY: `a` is a checked matrix, so the element in each row and column is readable.
            let values: [S::V; MR] =
                std::array::from_fn(|r| unsafe { s.splat(*x.add(r * a.row_stride + i * a.column_stride)) });
            for p in 0..NP {
                for v in 0..VECTORS {
                    let weight = C::differences(s, groups[p][v], steps[p].zeros[v], table);
                    for r in 0..MR {
                        sums[p][r][v] = s.fma(values[r], weight, sums[p][r][v]);
                    }
                    groups[p][v] = C::next(s, groups[p][v]);
                }
            }
        }
    }

    /// Loads the sums that the product is added to.
    #[inline(always)]
    fn resume<S: Simd, const MR: usize, const NP: usize>(
        &self,
        s: S,
        first: usize,
        sums: &mut Sums<S, MR, NP>,
    ) {
        let job = self.job;
        for (panel, sums) in sums.iter_mut().enumerate() {
            for v in 0..VECTORS {
                let column = (first + panel) * VECTORS * S::LANES + v * S::LANES;
                let count = S::LANES.min(job.n.saturating_sub(column));
                if count == 0 {
                    continue;
                }
                for (r, sums) in sums.iter_mut().enumerate() {
                    // SAFETY: these columns exist in the result and belong to this thread.
                    sums[v] = unsafe { s.load_n(job.c.at(job.first + r * job.n + column), count) };
                }
            }
        }
    }
}
