//! Pooling in the blocked layout, with vectors along the channels of a block.

use super::{Pooling, Rows};
use crate::simd::{Kernel, Simd};

/// Pools these rows.
pub(super) struct Blocked<'a>(pub Rows<'a>);

impl Kernel for Blocked<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        match self.0.call.shape.pooling {
            Pooling::Max => self.rows(
                s,
                f32::NEG_INFINITY,
                #[inline(always)]
                |a, b| s.max_nan(a, b),
            ),
            Pooling::Average { .. } => self.rows(
                s,
                0.0,
                #[inline(always)]
                |a, b| s.add(a, b),
            ),
        }
    }
}

impl Blocked<'_> {
    /// Combines the rows of a window into one line, then the pixels of the line in each window.
    #[inline(always)]
    fn rows<S: Simd>(self, s: S, start: f32, f: impl Fn(S::V, S::V) -> S::V) {
        let Rows { call, range, line } = self.0;
        let window = &call.shape.window;
        let row_len = call.size[1] * S::LANES;
        let mean = call.shape.pooling != Pooling::Max;
        for row in range {
            let (plane, y) = (row / call.output[0], row % call.output[0]);
            let (count_y, first_y) = call.taps(0, y);
            let image = &call.x[plane * call.size[0] * row_len..][..call.size[0] * row_len];
            let rows = &image[(first_y * row_len).min(image.len())..];
            let row_step = window.dilation[0] * row_len;
            for at in (0..row_len).step_by(S::LANES) {
                let mut folded = s.splat(start);
                for ky in 0..count_y {
                    let pixel = &rows[ky * row_step + at..][..S::LANES];
                    // SAFETY: a whole vector.
                    folded = f(folded, unsafe { s.load(pixel.as_ptr()) });
                }
                // SAFETY: a whole vector.
                unsafe { s.store(line[at..][..S::LANES].as_mut_ptr(), folded) }
            }
            let rows_in_mean = call.divisor(0, y) as f32;
            for (x, (taps, divisor)) in call.columns.iter().zip(&call.divisors).enumerate() {
                let mut folded = s.splat(start);
                for kx in 0..taps.count {
                    let pixel = &line[(taps.first + kx * window.dilation[1]) * S::LANES..][..S::LANES];
                    // SAFETY: a whole vector.
                    folded = f(folded, unsafe { s.load(pixel.as_ptr()) });
                }
                if mean {
                    folded = s.mul(folded, s.splat(1.0 / (rows_in_mean * divisor)));
                }
                // SAFETY: the length of the result was checked; rows are disjoint, each belongs to one
                // thread.
                unsafe { s.store(call.y.at_inside((row * call.output[1] + x) * S::LANES), folded) }
            }
        }
    }
}
