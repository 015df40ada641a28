//! Pooling in the plain layout, with vectors along the rows.

use super::{Call, Pooling, Rows};
use crate::simd::{Kernel, Simd};

/// Pools these rows.
pub(super) struct Plain<'a>(pub Rows<'a>);

impl Kernel for Plain<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        match self.0.call.shape.pooling {
            Pooling::Max => self.rows(
                s,
                f32::NEG_INFINITY,
                #[inline(always)]
                |a, b| s.max_nan(a, b),
                #[inline(always)]
                |a, b| if a.is_nan() || a > b { a } else { b },
            ),
            Pooling::Average { .. } => self.rows(
                s,
                0.0,
                #[inline(always)]
                |a, b| s.add(a, b),
                #[inline(always)]
                |a, b| a + b,
            ),
        }
    }
}

impl Plain<'_> {
    /// Combines the rows of a window into one line, then the pixels of the line in each window. `f` and `one`
    /// are the same function.
    #[inline(always)]
    fn rows<S: Simd>(
        self,
        s: S,
        start: f32,
        f: impl Fn(S::V, S::V) -> S::V + Copy,
        one: impl Fn(f32, f32) -> f32,
    ) {
        let Rows { call, range, line } = self.0;
        let ([height, width], [output_height, output_width]) = (call.size, call.output);
        let (window, shifts) = (&call.shape.window, &call.shifts);
        // Pixels outside of the image change no result.
        line.fill(start);
        let pixels = shifts.as_ref().map_or(0, |shifts| shifts.left);
        let pixels = pixels..pixels + width;
        for row in range {
            let (plane, y) = (row / output_height, row % output_height);
            let image = &call.x[plane * height * width..][..height * width];
            let (count, first) = call.taps(0, y);
            let rows = Lines {
                values: &image[(first * width).min(image.len())..],
                count,
                step: window.dilation[0] * width,
            };
            rows.combine(s, start, f, &mut line[pixels.clone()]);
            // SAFETY: the length of the result was checked; rows are disjoint, each belongs to one thread.
            let target = unsafe { call.y.part(row * output_width, output_width) };
            if let Some(shifts) = shifts {
                let taps = Lines {
                    values: &line[shifts.first..],
                    count: shifts.count,
                    step: window.dilation[1],
                };
                taps.combine(s, start, f, target);
            } else {
                for (target, taps) in target.iter_mut().zip(&call.columns) {
                    let pixels = line[taps.first.min(width)..]
                        .iter()
                        .step_by(window.dilation[1])
                        .take(taps.count);
                    *target = pixels.fold(start, |sum, pixel| one(sum, *pixel));
                }
            }
            if call.shape.pooling != Pooling::Max {
                let rows_in_mean = s.splat(call.divisor(0, y) as f32);
                divide(s, target, &call.divisors, rows_in_mean);
            }
        }
    }
}

/// The maximum number of pixels of padding in a line, besides three times the width of the image.
const MAX_PADDING: usize = 256;

/// The taps of windows that move by one pixel, in a line with pixels before and after the image.
pub(super) struct Shifts {
    /// The number of pixels before the image.
    left: usize,
    /// The place of the first window's first tap, of those that are inside of the image in any window, and
    /// their number.
    first: usize,
    count: usize,
    /// The number of pixels of the line.
    pub len: usize,
}

impl Call<'_> {
    /// `None` if windows move by more than one pixel, or if most of the line would be padding.
    pub(super) fn shifts(&self) -> Option<Shifts> {
        let window = &self.shape.window;
        let (width, windows) = (self.size[1], self.output[1]);
        let (pad, dilation) = (window.pad_begin[1], window.dilation[1]);
        // Taps before `start` and from `end` on are outside in every window.
        let start = pad.saturating_sub(windows - 1).div_ceil(dilation);
        let end = window.kernel[1].min(width.saturating_add(pad).div_ceil(dilation));
        let (left, count) = (pad.saturating_sub(start * dilation), end.saturating_sub(start));
        let first = (left + start * dilation).saturating_sub(pad);
        let read = first + windows + count.saturating_sub(1) * dilation;
        let len = read.max(left + width);
        (window.stride[1] == 1 && len <= 4 * width + MAX_PADDING).then_some(Shifts {
            left,
            first,
            count,
            len,
        })
    }
}

/// Lines of equal length, `step` apart.
struct Lines<'a> {
    values: &'a [f32],
    count: usize,
    step: usize,
}

impl Lines<'_> {
    /// Combines the lines, which are as long as the target, from `start` on.
    #[inline(always)]
    fn combine<S: Simd>(&self, s: S, start: f32, f: impl Fn(S::V, S::V) -> S::V, target: &mut [f32]) {
        let len = target.len();
        let reach = self.count.saturating_sub(1) * self.step + len;
        assert!(
            self.count == 0 || reach <= self.values.len(),
            "the lines are inside"
        );
        for at in (0..len).step_by(S::LANES) {
            let count = S::LANES.min(len - at);
            let mut folded = s.splat(start);
            for line in 0..self.count {
                let from = self.values.as_ptr().wrapping_add(line * self.step + at);
                // SAFETY: `count` values of each line are readable from `at` on.
                folded = f(folded, unsafe {
                    if count == S::LANES {
                        s.load(from)
                    } else {
                        s.load_n(from, count)
                    }
                });
            }
            // SAFETY: the target has `count` values from `at` on.
            unsafe { s.store_n(target.as_mut_ptr().add(at), folded, count) }
        }
    }
}

/// Divides each sum by `rows` and by the divisor of its column.
#[inline(always)]
fn divide<S: Simd>(s: S, sums: &mut [f32], divisors: &[f32], rows: S::V) {
    let len = sums.len().min(divisors.len());
    for at in (0..len).step_by(S::LANES) {
        let count = S::LANES.min(len - at);
        // SAFETY: both have `count` values from `at` on.
        unsafe {
            let sum = s.load_n(sums.as_ptr().add(at), count);
            let divisor = s.mul(rows, s.load_n(divisors.as_ptr().add(at), count));
            s.store_n(sums.as_mut_ptr().add(at), s.div(sum, divisor), count);
        }
    }
}
