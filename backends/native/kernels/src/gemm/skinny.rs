//! Skinny products (few rows; one row: GEMV) with packed weights: several panels at a time.
//!
//! A tile of one row has two sums, each a chain of dependent additions, so the processor waits for
//! them. Panels read concurrently give independent sums. Each sum has the same terms in the same
//! order as in a tile.

use std::ops::Range;

use super::finish::store;
use super::job::Job;
use super::pack;
use super::prefetch::Prefetch;
use super::tile::{Tile, VECTORS, Walk};
use crate::Isa;
use crate::epilogue::Residual;
use crate::simd::{Kernel, Simd};

/// The maximum number of rows.
pub(super) const ROWS: usize = 3;
/// The number of panels that a single row reads concurrently.
pub(super) const PANELS: usize = 4;
/// The distance in elements of prefetched weights.
const PREFETCH_DISTANCE: usize = 512;

/// Computes complete panels of a product with at most [`ROWS`] rows; the last panel may be incomplete and is
/// then left out.
pub(super) struct Skinny<'a> {
    pub job: &'a Job<'a>,
    /// The packed weights.
    pub b: &'a [f32],
    pub panels: Range<usize>,
}

impl Skinny<'_> {
    /// Returns the number of panels of `panels` that are complete.
    pub fn whole(job: &Job, panels: &Range<usize>) -> usize {
        let complete = job.n / pack::width(job.isa);
        panels.end.min(complete).saturating_sub(panels.start)
    }
}

impl Kernel for Skinny<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Self { job, b, panels } = self;
        assert!(
            panels.end * VECTORS * S::LANES <= job.n,
            "the panels are complete"
        );
        match job.a.rows {
            1 => groups::<S, 1, PANELS>(s, job, b, panels),
            2 => groups::<S, 2, 2>(s, job, b, panels),
            ROWS => groups::<S, ROWS, 2>(s, job, b, panels),
            rows => unreachable!("{rows} rows"),
        }
    }
}

#[inline(always)]
fn groups<S: Simd, const MR: usize, const NP: usize>(s: S, job: &Job, b: &[f32], panels: Range<usize>) {
    let whole = panels.len() / NP * NP;
    for first in (panels.start..panels.start + whole).step_by(NP) {
        group::<S, MR, NP>(s, job, b, first);
    }
    for panel in panels.start + whole..panels.end {
        group::<S, MR, 1>(s, job, b, panel);
    }
}

/// Computes `NP` panels of `MR` rows.
#[inline(always)]
fn group<S: Simd, const MR: usize, const NP: usize>(s: S, job: &Job, weights: &[f32], first: usize) {
    let k = job.a.columns;
    let width = VECTORS * S::LANES;
    let panel_len = width * k;
    let weights = weights[first * panel_len..(first + NP) * panel_len].as_ptr();
    let (row_stride, step) = (job.a.row_stride, job.a.column_stride);
    let x = job.a.data.as_ptr();
    let at = |panel: usize| job.first + (first + panel) * width;
    let resume = matches!(job.epilogue.residual, Residual::Output);
    let mut sums = [[[s.zero(); VECTORS]; MR]; NP];
    // SAFETY: `x` is a checked matrix, so the element in each row and column is readable; the weights of the
    // panels were sliced above; the columns of these panels exist in the result, whose length was checked,
    // and belong to this thread.
    unsafe {
        if resume {
            for panel in 0..NP {
                for row in 0..MR {
                    for v in 0..VECTORS {
                        let from = job.c.at(at(panel) + row * job.n + v * S::LANES);
                        sums[panel][row][v] = s.load(from);
                    }
                }
            }
        }
        for i in 0..k {
            let values: [S::V; MR] = std::array::from_fn(|row| s.splat(*x.add(row * row_stride + i * step)));
            for panel in 0..NP {
                let w = weights.add(panel * panel_len + i * width);
                s.prefetch(w.wrapping_add(PREFETCH_DISTANCE));
                s.prefetch(w.wrapping_add(PREFETCH_DISTANCE + S::LANES));
                for v in 0..VECTORS {
                    let weight = s.load(w.add(v * S::LANES));
                    for row in 0..MR {
                        sums[panel][row][v] = s.fma(values[row], weight, sums[panel][row][v]);
                    }
                }
            }
        }
        for (panel, sums) in sums.into_iter().enumerate() {
            let tile = tile(job, S::ISA, [MR, width], (first + panel) * width);
            store::<S, MR, VECTORS>(s, &tile, sums);
            tile.activate_rest(S::ISA);
        }
    }
}

/// Returns the part of the result with these numbers of rows and columns, from `column` on.
#[inline(always)]
pub(super) fn tile<'a>(job: &Job, isa: Isa, [rows, columns]: [usize; 2], column: usize) -> Tile<'a> {
    const NO_STEPS: &Walk = &Walk {
        loops: [(0, 0); 3],
        inner: 0,
        skip: 0,
        end: 0,
    };
    let at = job.first + column;
    Tile {
        rows,
        vectors: columns.div_ceil(isa.lanes()),
        x: std::ptr::null(),
        row_stride: 0,
        walk: NO_STEPS,
        w: std::ptr::null(),
        w_second: None,
        c: job.c.at(at),
        c_row: job.n,
        c_vector: isa.lanes(),
        columns,
        fill: false,
        resume: false,
        finish: Some(job.finish(0, column, at)),
        ahead: Prefetch::NONE,
    }
}
