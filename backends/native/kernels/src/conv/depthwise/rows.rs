//! Rows of windows one by one, for windows that do not slide: with larger strides or dilated taps.
//!
//! Taps outside of the image are skipped. Windows without such taps to the left or right are computed several
//! at a time, the few others one by one.

use std::ops::Range;

use super::super::shape::Window;
use super::plane::Plane;
use crate::gemm::tile::unroll;
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

/// Some rows of the result of a plane.
pub(super) struct Rows<'a> {
    pub plane: &'a Plane<'a>,
    /// The pieces of each row.
    pub pieces: &'a [Piece],
    pub rows: Range<usize>,
}

/// The number of windows of a piece that are computed together: enough sums to hide the latency of a
/// multiplication.
const BATCH: usize = 8;

impl Kernel for Rows<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let plane = self.plane;
        for row in self.rows {
            for Piece { windows, taps } in self.pieces {
                let first = [row, windows.start];
                macro_rules! select {
                    ($($count:literal)*) => {
                        match windows.len() {
                            $($count => plane.store(s, first, sums::<S, $count>(s, plane, first, taps)),)*
                            count => unreachable!("{count} windows"),
                        }
                    };
                }
                select!(1 2 3 4 5 6 7 8);
            }
            plane.activate(row..row + 1);
        }
    }
}

/// Returns the sums of `N` adjacent windows of a row over these columns of taps, which all of them have
/// inside of the image. The first of the windows is in this column.
#[inline(always)]
fn sums<S: Simd, const N: usize>(
    s: S,
    plane: &Plane,
    [row, column]: [usize; 2],
    taps: &Range<usize>,
) -> [[S::V; 1]; N] {
    let window = &plane.call.conv.shape.window;
    let size = plane.call.size;
    let [height, width] = window.kernel;
    let [right, step] = [window.dilation[1] * S::LANES, window.stride[1] * S::LANES];
    let mut sums = [[s.zero()]; N];
    if taps.is_empty() {
        return sums;
    }
    let column = column * window.stride[1] + taps.start * window.dilation[1] - window.pad_begin[1];
    for ky in 0..height {
        let line = (row * window.stride[0] + ky * window.dilation[0]).wrapping_sub(window.pad_begin[0]);
        if line >= size[0] {
            continue;
        }
        let pixel = plane.line(line)[column * S::LANES..].as_ptr();
        let factor = plane.weights[(ky * width + taps.start) * S::LANES..].as_ptr();
        // SAFETY: there is a vector of weights for each tap; the line is one of the image, and so are the
        // columns that the windows read with these taps (`pieces`, whose numbers do not overflow:
        // `Window::check`).
        unsafe {
            macro_rules! tap {
                ($kx:expr) => {
                    sums = tap(
                        s,
                        pixel.add($kx * right),
                        step,
                        factor.add($kx * S::LANES),
                        sums,
                    )
                };
            }
            // Frequent counts have their own code: a loop would be mispredicted at every piece.
            match taps.len() {
                2 => {
                    tap!(0);
                    tap!(1);
                }
                3 => {
                    tap!(0);
                    tap!(1);
                    tap!(2);
                }
                count => {
                    for kx in 0..count {
                        tap!(kx);
                    }
                }
            }
        }
    }
    sums
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
