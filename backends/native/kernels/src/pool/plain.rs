//! Pooling in the plain layout, with vectors along the rows.

use std::ops::Range;

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
        let dilation = call.shape.window.dilation;
        for row in range {
            let (plane, y) = (row / output_height, row % output_height);
            let image = &call.x[plane * height * width..][..height * width];
            line.fill(start);
            let (count, first) = call.taps(0, y);
            for ky in 0..count {
                combine(s, line, &image[(first + ky * dilation[0]) * width..][..width], f);
            }
            // SAFETY: the length of the result was checked; rows are disjoint, each belongs to one thread.
            let target = unsafe { call.y.part(row * output_width, output_width) };
            if call.shape.window.stride[1] == 1 {
                target.fill(start);
                call.shifts(|windows, pixels| combine(s, &mut target[windows], &line[pixels], f));
            } else {
                for (target, taps) in target.iter_mut().zip(&call.columns) {
                    let pixels = line[taps.first.min(width)..]
                        .iter()
                        .step_by(dilation[1])
                        .take(taps.count);
                    *target = pixels.fold(start, |sum, pixel| one(sum, *pixel));
                }
            }
            if call.shape.pooling != Pooling::Max {
                let rows_in_mean = call.divisor(0, y) as f32;
                for (target, taps) in target.iter_mut().zip(&call.columns) {
                    *target /= rows_in_mean * taps.divisor;
                }
            }
        }
    }
}

impl Call<'_> {
    /// For each tap of a window that moves by one pixel: passes the windows in which it is inside of the
    /// image, and their pixels.
    #[inline(always)]
    fn shifts(&self, mut told: impl FnMut(Range<usize>, Range<usize>)) {
        let window = &self.shape.window;
        let (width, windows) = (self.size[1], self.output[1]);
        let (pad, dilation) = (window.pad_begin[1], window.dilation[1]);
        // Taps before `first` and from `end` on are outside in every window.
        let first = pad.saturating_sub(windows - 1).div_ceil(dilation);
        let end = window.kernel[1].min(width.saturating_add(pad).div_ceil(dilation));
        for tap in first..end {
            let offset = tap.saturating_mul(dilation);
            let range = pad.saturating_sub(offset)..windows.min(width.saturating_add(pad) - offset);
            if !range.is_empty() {
                let pixel = range.start + offset - pad;
                told(range.clone(), pixel..pixel + range.len());
            }
        }
    }
}

/// Replaces each value of `to` by that of `f` for it and the one of `from`.
#[inline(always)]
fn combine<S: Simd>(s: S, to: &mut [f32], from: &[f32], f: impl Fn(S::V, S::V) -> S::V) {
    let (mut vectors, mut others) = (to.chunks_exact_mut(S::LANES), from.chunks_exact(S::LANES));
    for (to, from) in (&mut vectors).zip(&mut others) {
        // SAFETY: both chunks have a whole vector.
        unsafe { s.store(to.as_mut_ptr(), f(s.load(to.as_ptr()), s.load(from.as_ptr()))) }
    }
    let (to, from) = (vectors.into_remainder(), others.remainder());
    let count = to.len().min(from.len());
    // SAFETY: both have `count` values, fewer than a vector.
    unsafe {
        let value = f(s.load_n(to.as_ptr(), count), s.load_n(from.as_ptr(), count));
        s.store_n(to.as_mut_ptr(), value, count);
    }
}
