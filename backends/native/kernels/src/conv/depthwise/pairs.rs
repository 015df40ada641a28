//! The windows of two rows of a plane together, which share lines of the image: each pixel is loaded once for
//! both. A piece of a row that reaches outside of the image loads zeros there, so that no window is alone.

use std::ops::Range;

use super::super::shape::Window;
use super::Call;
use super::plane::Plane;
use crate::Isa;
use crate::gemm::tile::unroll;
use crate::simd::{Kernel, Simd};
use crate::thread::share;

/// Whether two rows are computed together: with few taps, reading the image and writing the result take most
/// of the time, and rows that do not share most of their lines gain nothing.
pub(super) fn pay(window: &Window) -> bool {
    window.dilation[0] == 1 && window.stride[0] == 1 && window.kernel[1] > 3
}

/// The maximum number of windows of a row that are computed together. With those of two rows, the sums, their
/// pixels and two weights fit into the registers.
fn batch(isa: Isa) -> usize {
    (isa.sums() / 3).min(8)
}

/// Adjacent windows of a row that are computed together.
pub(super) struct Piece {
    windows: Range<usize>,
    /// The first column of their taps in the image; a wrapped number if padding is before it.
    column: usize,
    /// Whether all of their taps along a line are inside of the image.
    inside: bool,
}

/// Divides a row of `columns` windows over an image of this width into pieces.
pub(super) fn pieces(isa: Isa, window: &Window, width: usize, columns: usize) -> Vec<Piece> {
    let count = columns.div_ceil(batch(isa));
    let pieces = (0..count).map(|index| {
        let windows = share(columns, count, index);
        let column = (windows.start * window.stride[1]).wrapping_sub(window.pad_begin[1]);
        let extent = (windows.len() - 1) * window.stride[1] + window.extent(1);
        Piece {
            inside: column < width && extent <= width - column,
            column,
            windows,
        }
    });
    pieces.collect()
}

/// The sums of `N` adjacent windows in each of `R` rows.
type Sums<V, const R: usize, const N: usize> = [[[V; 1]; N]; R];

/// A pixel outside of the image.
#[repr(align(64))]
struct Outside([f32; 16]);
static OUTSIDE: Outside = Outside([0.0; 16]);

/// Some pairs of rows, numbered over all planes; the last one of a plane can be a single row.
pub(super) struct Pairs<'a> {
    pub call: &'a Call<'a>,
    /// The pieces of each row.
    pub pieces: &'a [Piece],
    pub range: Range<usize>,
}

impl Kernel for Pairs<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let output = self.call.output;
        let per_plane = output[0].div_ceil(2);
        for pair in self.range {
            let plane = Plane::new(self.call, pair / per_plane);
            let row = pair % per_plane * 2;
            let rows = row..(row + 2).min(output[0]);
            for piece in self.pieces {
                macro_rules! select {
                    ($($count:literal)*) => {
                        match (rows.len(), piece.windows.len()) {
                            $((1, $count) => compute::<S, 1, $count>(s, &plane, row, piece),
                              (2, $count) => compute::<S, 2, $count>(s, &plane, row, piece),)*
                            shape => unreachable!("a piece of {shape:?}"),
                        }
                    };
                }
                select!(1 2 3 4 5 6 7 8);
            }
            plane.activate(rows);
        }
    }
}

/// Computes the `N` windows of a piece in each of `R` rows of a plane from this one on.
#[inline(always)]
fn compute<S: Simd, const R: usize, const N: usize>(s: S, plane: &Plane, row: usize, piece: &Piece) {
    if const { R * N > S::ISA.sums() } {
        unreachable!("a piece of {R} × {N}");
    }
    let sums = if piece.inside {
        sums::<S, R, N, true>(s, plane, row, piece.column)
    } else {
        sums::<S, R, N, false>(s, plane, row, piece.column)
    };
    for (index, sums) in sums.into_iter().enumerate() {
        plane.store(s, [row + index, piece.windows.start], sums);
    }
}

/// Returns the sums of windows with stride and dilation 1 down, whose taps start at this column of the image.
/// Each sum has the order of the taps; lines outside of the image are left out.
#[inline(always)]
fn sums<S: Simd, const R: usize, const N: usize, const INSIDE: bool>(
    s: S,
    plane: &Plane,
    row: usize,
    column: usize,
) -> Sums<S::V, R, N> {
    let window = &plane.call.conv.shape.window;
    let size = plane.call.size;
    let [height, width] = window.kernel;
    let top = row.wrapping_sub(window.pad_begin[0]);
    let weights = |line: usize| plane.weights[line * width * S::LANES..][..width * S::LANES].as_ptr();
    let mut sums = [[[s.zero()]; N]; R];
    for line in 0..height + R - 1 {
        let y = top.wrapping_add(line);
        if y >= size[0] {
            continue;
        }
        let pixels = &plane.image[y * size[1] * S::LANES..][..size[1] * S::LANES];
        let second = R > 1 && line > 0;
        // SAFETY: with `INSIDE`, the taps of all windows are inside of the line; there is a vector of weights
        // for each tap.
        unsafe {
            if line < height && second {
                let weights = [weights(line), weights(line - 1)];
                add_line::<S, R, N, INSIDE, true, true>(s, window, pixels, column, weights, &mut sums);
            } else if line < height {
                let weights = [weights(line); 2];
                add_line::<S, R, N, INSIDE, true, false>(s, window, pixels, column, weights, &mut sums);
            } else {
                let weights = [weights(line - 1); 2];
                add_line::<S, R, N, INSIDE, false, true>(s, window, pixels, column, weights, &mut sums);
            }
        }
    }
    sums
}

/// Adds the taps of one line of the image to the sums of the first row, the second, or both.
///
/// # Safety
/// A vector of weights is readable for each tap of a line. With `INSIDE`, the line has all taps of `N`
/// windows that start at `column`; otherwise taps outside of it are zeros.
#[inline(always)]
unsafe fn add_line<
    S: Simd,
    const R: usize,
    const N: usize,
    const INSIDE: bool,
    const FIRST: bool,
    const SECOND: bool,
>(
    s: S,
    window: &Window,
    pixels: &[f32],
    column: usize,
    [first, second]: [*const f32; 2],
    sums: &mut Sums<S::V, R, N>,
) {
    let ([_, right], [_, step]) = (window.dilation, window.stride);
    let width = pixels.len() / S::LANES;
    macro_rules! tap {
        ($kx:expr) => {{
            let kx: usize = $kx;
            let weights = [s.load(first.add(kx * S::LANES)), s.load(second.add(kx * S::LANES))];
            let column = column.wrapping_add(kx * right);
            unroll!(i below N => {
                let column = column.wrapping_add(i * step);
                let pixel = if INSIDE || column < width {
                    pixels.as_ptr().add(column * S::LANES)
                } else {
                    OUTSIDE.0.as_ptr()
                };
                let pixel = s.load(pixel);
                if FIRST {
                    sums[0][i][0] = s.fma(pixel, weights[0], sums[0][i][0]);
                }
                if SECOND {
                    sums[R - 1][i][0] = s.fma(pixel, weights[1], sums[R - 1][i][0]);
                }
            });
        }};
    }
    // SAFETY: promised by the caller.
    unsafe {
        // The frequent count has its own code: a loop would be mispredicted at every line.
        match window.kernel[1] {
            5 => {
                tap!(0);
                tap!(1);
                tap!(2);
                tap!(3);
                tap!(4);
            }
            count => {
                for kx in 0..count {
                    tap!(kx);
                }
            }
        }
    }
}
