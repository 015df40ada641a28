//! Few rows times quantized weights: weights are restored in registers.
//!
//! A decoder that makes one token at a time is bound by reading its weights; these are read as codes.

use std::ops::Range;

use super::{CodeBits, Codes, Eight, Four, PackedQuantized, Steps, Table, table};
use crate::epilogue::Residual;
use crate::gemm::few::tile;
use crate::gemm::finish::store;
use crate::gemm::job::Job;
use crate::gemm::tile::VECTORS;
use crate::simd::{Kernel, Simd};

/// The distance in bytes of prefetched codes.
const PREFETCH_DISTANCE: usize = 1024;

/// Computes panels of a product with at most [`crate::gemm::few::ROWS`] rows.
pub(in crate::gemm) struct Few<'a> {
    pub job: &'a Job<'a>,
    pub b: &'a PackedQuantized,
    pub panels: Range<usize>,
}

impl Kernel for Few<'_> {
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

impl Few<'_> {
    #[inline(always)]
    fn panels<S: Simd, C: Codes>(self, s: S, table: S::V) {
        match self.job.a.rows {
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
        let (k, row) = (job.a.columns, b.row());
        let (row_stride, step) = (job.a.row_stride, job.a.column_stride);
        let x = job.a.data.as_ptr();
        let codes: [*const u8; NP] = std::array::from_fn(|p| b.panel(first + p).as_ptr());
        let mut sums = [[[s.zero(); VECTORS]; MR]; NP];
        if matches!(job.epilogue.residual, Residual::Output) {
            self.resume(s, first, &mut sums);
        }
        for (block, start) in (0..k).step_by(b.block).enumerate() {
            let mut steps = [Steps::of(s, b.steps(first, block)); NP];
            for p in 1..NP {
                steps[p] = Steps::of(s, b.steps(first + p, block));
            }
            for i in start..(start + b.block).min(k) {
                // SAFETY: `x` is a checked matrix, so the element in each row and column is readable; the
                // panels have codes for `k` rows.
                unsafe {
                    let values: [S::V; MR] =
                        std::array::from_fn(|r| s.splat(*x.add(r * row_stride + i * step)));
                    for p in 0..NP {
                        let at = codes[p].add(i * row);
                        s.prefetch(at.wrapping_add(PREFETCH_DISTANCE).cast());
                        let weights = steps[p].restore::<C>(s, at, table);
                        for v in 0..VECTORS {
                            for r in 0..MR {
                                sums[p][r][v] = s.fma(values[r], weights[v], sums[p][r][v]);
                            }
                        }
                    }
                }
            }
        }
        for (panel, sums) in sums.into_iter().enumerate() {
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

    /// Loads the sums that the product is added to.
    #[inline(always)]
    fn resume<S: Simd, const MR: usize, const NP: usize>(
        &self,
        s: S,
        first: usize,
        sums: &mut [[[S::V; VECTORS]; MR]; NP],
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
