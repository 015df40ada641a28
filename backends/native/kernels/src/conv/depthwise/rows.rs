//! Rows of windows one by one, for windows of few taps.
//!
//! Taps outside of the image are skipped. Windows without such taps to the left or right are computed several
//! at a time, the few others one by one.

use std::ops::Range;

use super::super::shape::Window;
use super::super::tiles::finish;
use super::Call;
use crate::elementwise::activate_pixels;
use crate::epilogue::Residual;
use crate::gemm::ahead::Ahead;
use crate::gemm::finish::store;
use crate::gemm::tile::{Tile, Walk, unroll};
use crate::simd::{Kernel, Simd};
use crate::thread::share;

/// Adjacent windows of a row that are computed together.
pub(super) struct Piece {
    windows: Range<usize>,
    /// The columns of taps that all of these windows have inside of the image; none of them has the others.
    taps: Range<usize>,
}

/// Divides a row of `columns` windows over an image of this width into pieces.
pub(super) fn pieces(window: &Window, width: usize, columns: usize) -> Vec<Piece> {
    let taps = |column: usize| {
        let before = |edge: usize| {
            let reached = (edge + window.pad_begin[1]).saturating_sub(column * window.stride[1]);
            reached.div_ceil(window.dilation[1]).min(window.kernel[1])
        };
        before(0)..before(width)
    };
    let whole = |column: &usize| taps(*column) == (0..window.kernel[1]);
    let start = (0..columns).find(whole).unwrap_or(columns);
    let end = (start..columns).rev().find(whole).map_or(start, |last| last + 1);
    let alone = |column: usize| Piece {
        windows: column..column + 1,
        taps: taps(column),
    };
    let count = (end - start).div_ceil(BATCH);
    let together = (0..count).map(|index| {
        let part = share(end - start, count, index);
        Piece {
            windows: start + part.start..start + part.end,
            taps: 0..window.kernel[1],
        }
    });
    let alone_after = (end..columns).map(alone);
    (0..start).map(alone).chain(together).chain(alone_after).collect()
}

/// Some rows of the result, numbered over all planes.
pub(super) struct Rows<'a> {
    pub call: &'a Call<'a>,
    /// The pieces of each row.
    pub pieces: &'a [Piece],
    pub range: Range<usize>,
}

/// The number of windows of a piece that are computed together: enough sums to hide the latency of a
/// multiplication.
const BATCH: usize = 8;

impl Kernel for Rows<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        for row in self.range.clone() {
            self.row(s, row);
        }
    }
}

impl Rows<'_> {
    /// Computes row `row` of the result.
    #[inline(always)]
    fn row<S: Simd>(&self, s: S, row: usize) {
        let columns = self.call.output[1];
        let window = &self.call.conv.shape.window;
        let plane = row / self.call.output[0];
        let block = plane % self.call.conv.shape.in_channels.div_ceil(S::LANES);
        let taps = window.kernel[0] * window.kernel[1];
        let weights = &self.call.conv.weights[block * taps * S::LANES..][..taps * S::LANES];
        let plane_len = self.call.size[0] * self.call.size[1] * S::LANES;
        let image = &self.call.x[plane * plane_len..][..plane_len];
        let top = row % self.call.output[0] * window.stride[0];
        let at = row * columns * S::LANES;
        // SAFETY: rows are disjoint, each is one thread's.
        let target = unsafe { self.call.y.part(at, columns * S::LANES) };
        let channel = block * S::LANES;
        let mut result = Tile {
            rows: BATCH,
            vectors: 1,
            x: image.as_ptr(),
            row_stride: S::LANES,
            walk: &Walk::along(0),
            w: weights.as_ptr(),
            w_second: None,
            c: target.as_mut_ptr(),
            c_row: S::LANES,
            c_vector: 0,
            columns: S::LANES.min(self.call.conv.shape.in_channels - channel),
            fill: true,
            resume: false,
            finish: None,
            ahead: Ahead::NONE,
        };
        for Piece { windows, taps } in self.pieces {
            let left = windows.start * window.stride[1];
            let mut finish = finish(self.call.epilogue, channel, at + windows.start * S::LANES);
            result.c = target[windows.start * S::LANES..windows.end * S::LANES].as_mut_ptr();
            if matches!(self.call.epilogue.residual, Residual::Output) {
                finish.residual = result.c;
            }
            result.finish = Some(finish);
            macro_rules! select {
                ($($count:literal)*) => {
                    match windows.len() {
                        $($count => {
                            let sums = self.windows::<S, $count>(s, image, [top, left], taps, weights);
                            // SAFETY: the piece of the row has this number of vectors; the lengths of bias
                            // and residual were checked at the call.
                            unsafe { store::<S, $count, 1>(s, &result, sums) }
                        })*
                        count => unreachable!("{count} windows"),
                    }
                };
            }
            select!(1 2 3 4 5 6 7 8);
        }
        if !self.call.epilogue.activation.is_cheap() {
            let exist = S::LANES.min(self.call.conv.shape.in_channels - block * S::LANES);
            activate_pixels(
                self.call.conv.isa,
                self.call.epilogue.activation,
                [exist, S::LANES],
                target,
            );
        }
    }

    /// Returns the sums of `N` adjacent windows of an image over these columns of taps, which all of them
    /// have inside of it. The first window starts at row and column `first` of the padded image; `weights`
    /// has one vector for each tap.
    #[inline(always)]
    fn windows<S: Simd, const N: usize>(
        &self,
        s: S,
        image: &[f32],
        first: [usize; 2],
        taps: &Range<usize>,
        weights: &[f32],
    ) -> [[S::V; 1]; N] {
        let window = &self.call.conv.shape.window;
        let [height, width] = window.kernel;
        let [right, step] = [window.dilation[1] * S::LANES, window.stride[1] * S::LANES];
        let mut sums = [[s.zero()]; N];
        if taps.is_empty() {
            return sums;
        }
        let column = first[1] + taps.start * window.dilation[1] - window.pad_begin[1];
        for ky in 0..height {
            let line = (first[0] + ky * window.dilation[0]).wrapping_sub(window.pad_begin[0]);
            if line >= self.call.size[0] {
                continue;
            }
            let pixel = image[(line * self.call.size[1] + column) * S::LANES..].as_ptr();
            let factor = weights[(ky * width + taps.start) * S::LANES..].as_ptr();
            // SAFETY: there is a vector of weights for each tap; the line is one of the image, and so are the
            // columns that the windows read with these taps (`pieces`, whose numbers do not overflow:
            // `Window::check`).
            unsafe {
                // Frequent counts have their own code: a loop would be mispredicted at every piece.
                match taps.len() {
                    2 => {
                        unroll!(@ kx 2, { sums = tap(s, pixel.add(kx * right), step, factor.add(kx * S::LANES), sums); }, 0 1);
                    }
                    3 => {
                        unroll!(@ kx 3, { sums = tap(s, pixel.add(kx * right), step, factor.add(kx * S::LANES), sums); }, 0 1 2);
                    }
                    count => {
                        for kx in 0..count {
                            sums = tap(s, pixel.add(kx * right), step, factor.add(kx * S::LANES), sums);
                        }
                    }
                }
            }
        }
        sums
    }
}

/// Adds one tap of adjacent windows, whose pixels are `step` apart.
///
/// # Safety
/// A vector is readable at the factor and at each of the pixels.
#[inline(always)]
unsafe fn tap<S: Simd, const N: usize>(
    s: S,
    pixel: *const f32,
    step: usize,
    factor: *const f32,
    mut sums: [[S::V; 1]; N],
) -> [[S::V; 1]; N] {
    // SAFETY: promised by the caller.
    unsafe {
        let factor = s.load(factor);
        unroll!(i below N => { sums[i][0] = s.fma(s.load(pixel.add(i * step)), factor, sums[i][0]); });
    }
    sums
}
