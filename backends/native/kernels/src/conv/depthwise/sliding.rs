//! Windows that slide by one or two pixels: two rows of them together, each pixel in a register.
//!
//! Adjacent windows share most of their pixels. A line of the image is loaded once for several windows and
//! for both rows; a load for each product would take as long as the product. A piece of a row that reaches
//! outside of the image loads zeros there, so that no window is alone.

use std::ops::Range;

use super::super::shape::Window;
use super::plane::Plane;
use crate::Isa;
use crate::gemm::tile::unroll;
use crate::simd::{Kernel, Simd};

/// Whether adjacent windows share pixels, and their taps are next to each other.
pub(super) fn fits(window: &Window) -> bool {
    let [down, right] = window.stride;
    window.dilation == [1; 2] && down == right && matches!(right, 1 | 2) && window.kernel[1] > right
}

/// The maximum number of windows of a row that are computed together, if they slide by this number of pixels.
const fn max_windows(stride: usize) -> usize {
    8 - stride
}

/// The maximum number of taps along a line that are added together.
const MAX_TAPS: usize = 7;
/// The maximum number of pixels that these windows read. With AVX-512, the sums of two rows, these pixels and
/// a weight fit into the registers.
const MAX_PIXELS: usize = 2 * (max_windows(2) - 1) + MAX_TAPS;

/// The pieces of each row: all have the same number of windows. The last two overlap, and compute the windows
/// that they share twice.
pub(super) struct Pieces {
    /// The first window of each.
    starts: Vec<usize>,
    windows: usize,
}

/// Divides a row of `columns` windows.
pub(super) fn pieces(isa: Isa, window: &Window, columns: usize) -> Pieces {
    // With 16 registers, sums of two rows and the pixels of three taps.
    let most = (isa.sums() / (2 + window.stride[1])).min(max_windows(window.stride[1]));
    let windows = columns.div_ceil(columns.div_ceil(most));
    let start = |index: usize| (index * windows).min(columns - windows);
    Pieces {
        starts: (0..columns.div_ceil(windows)).map(start).collect(),
        windows,
    }
}

/// The sums of `N` adjacent windows in each of two rows.
type Sums<V, const N: usize> = [[[V; 1]; N]; 2];

/// Some rows of the result of a plane; the last one can be alone.
pub(super) struct Rows<'a> {
    pub plane: &'a Plane<'a>,
    pub pieces: &'a Pieces,
    pub rows: Range<usize>,
}

impl Kernel for Rows<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        macro_rules! select {
            ($($count:literal)*) => {
                match (self.plane.call.conv.shape.window.stride[1], self.pieces.windows) {
                    $((1, $count) => self.all::<S, $count, 1>(s),
                      (2, $count) => self.all::<S, $count, 2>(s),)*
                    (_, count) => unreachable!("{count} windows"),
                }
            };
        }
        select!(1 2 3 4 5 6 7);
    }
}

impl Rows<'_> {
    #[inline(always)]
    fn all<S: Simd, const N: usize, const STRIDE: usize>(self, s: S) {
        if const { N > max_windows(STRIDE) } {
            unreachable!("{N} windows");
        }
        let Self { plane, pieces, rows } = self;
        for row in rows.clone().step_by(2) {
            let rows = row..(row + 2).min(rows.end);
            for &start in &pieces.starts {
                let [first, second] = sums::<S, N, STRIDE>(s, plane, &rows, start);
                plane.store(s, [row, start], first);
                if rows.len() > 1 {
                    plane.store(s, [row + 1, start], second);
                }
            }
            plane.activate(rows);
        }
    }
}

/// Returns the sums of `N` windows in one or two rows. Each sum has the order of the taps; lines outside of
/// the image are left out.
#[inline(always)]
fn sums<S: Simd, const N: usize, const STRIDE: usize>(
    s: S,
    plane: &Plane,
    rows: &Range<usize>,
    start: usize,
) -> Sums<S::V, N> {
    let window = &plane.call.conv.shape.window;
    let size = plane.call.size;
    let [height, width] = window.kernel;
    let top = (rows.start * STRIDE).wrapping_sub(window.pad_begin[0]);
    let column = (start * STRIDE).wrapping_sub(window.pad_begin[1]);
    let inside = column < size[1] && (N - 1) * STRIDE + width <= size[1] - column;
    let weights = |line: usize| &plane.weights[line * width * S::LANES..][..width * S::LANES];
    let mut sums = [[[s.zero()]; N]; 2];
    for line in 0..height + (rows.len() - 1) * STRIDE {
        let y = top.wrapping_add(line);
        if y >= size[0] {
            continue;
        }
        let pixels = plane.line(y);
        let first = (line < height).then(|| weights(line));
        let second = (rows.len() > 1 && line >= STRIDE).then(|| weights(line - STRIDE));
        let mut tap = 0;
        while tap < width {
            let at = column.wrapping_add(tap);
            macro_rules! add {
                ($count:literal) => {{
                    let pixels = load::<S, N, $count, STRIDE>(s, pixels, at, inside);
                    if let Some(weights) = first {
                        sums[0] =
                            add::<S, N, $count, STRIDE>(s, &pixels, &weights[tap * S::LANES..], sums[0]);
                    }
                    if let Some(weights) = second {
                        sums[1] =
                            add::<S, N, $count, STRIDE>(s, &pixels, &weights[tap * S::LANES..], sums[1]);
                    }
                    tap += $count;
                }};
            }
            match width - tap {
                7.. => add!(7),
                5.. => add!(5),
                3.. => add!(3),
                _ => add!(1),
            }
        }
    }
    sums
}

/// Loads the pixels of `N` windows with `K` taps, from this column of a line on; zeros outside of it.
#[inline(always)]
fn load<S: Simd, const N: usize, const K: usize, const STRIDE: usize>(
    s: S,
    line: &[f32],
    column: usize,
    inside: bool,
) -> [S::V; MAX_PIXELS] {
    let width = line.len() / S::LANES;
    let mut pixels = [s.zero(); MAX_PIXELS];
    macro_rules! each {
        ($i:ident => $body:block) => {
            unroll!(@ $i (N - 1) * STRIDE + K, $body, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
        };
    }
    if inside {
        let line = &line[column * S::LANES..][..((N - 1) * STRIDE + K) * S::LANES];
        each!(i => {
            // SAFETY: the slice has these vectors.
            pixels[i] = unsafe { s.load(line.as_ptr().add(i * S::LANES)) };
        });
    } else {
        each!(i => {
            let column = column.wrapping_add(i);
            if column < width {
                // SAFETY: the line has this pixel.
                pixels[i] = unsafe { s.load(line.as_ptr().add(column * S::LANES)) };
            }
        });
    }
    pixels
}

/// Adds `K` taps of a line to the sums of `N` windows.
#[inline(always)]
fn add<S: Simd, const N: usize, const K: usize, const STRIDE: usize>(
    s: S,
    pixels: &[S::V; MAX_PIXELS],
    weights: &[f32],
    mut sums: [[S::V; 1]; N],
) -> [[S::V; 1]; N] {
    let weights = &weights[..K * S::LANES];
    unroll!(@ tap K, {
        // SAFETY: the slice has a vector for each tap.
        let weight = unsafe { s.load(weights.as_ptr().add(tap * S::LANES)) };
        unroll!(@ i N, { sums[i][0] = s.fma(pixels[i * STRIDE + tap], weight, sums[i][0]); }, 0 1 2 3 4 5 6);
    }, 0 1 2 3 4 5 6);
    sums
}
