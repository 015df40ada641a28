//! Pooling in the blocked layout: vectors along the channels of a block.

use std::ops::Range;

use super::{Call, Pooling};
use crate::simd::{Kernel, Simd};

/// Some rows of the result, of all planes counted through.
pub(super) struct Rows<'a> {
    pub call: &'a Call<'a>,
    pub range: Range<usize>,
}

impl Kernel for Rows<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        match self.call.shape.pooling {
            Pooling::Max => self.rows(s, f32::NEG_INFINITY, |a, b| s.max_nan(a, b), false),
            Pooling::Average { .. } => self.rows(s, 0.0, |a, b| s.add(a, b), true),
        }
    }
}

impl Rows<'_> {
    #[inline(always)]
    fn rows<S: Simd>(&self, s: S, start: f32, f: impl Fn(S::V, S::V) -> S::V, mean: bool) {
        let call = self.call;
        let window = &call.shape.window;
        let row_len = call.size[1] * S::LANES;
        for row in self.range.clone() {
            let (plane, y) = (row / call.output[0], row % call.output[0]);
            let (count_y, first_y) = call.taps(0, y);
            let image = &call.x[plane * call.size[0] * row_len..][..call.size[0] * row_len];
            for x in 0..call.output[1] {
                let (count_x, first_x) = call.taps(1, x);
                let mut folded = s.splat(start);
                for ky in 0..count_y {
                    let line = &image[(first_y + ky * window.dilation[0]) * row_len..][..row_len];
                    for kx in 0..count_x {
                        let pixel = &line[(first_x + kx * window.dilation[1]) * S::LANES..][..S::LANES];
                        // SAFETY: a whole vector.
                        folded = f(folded, unsafe { s.load(pixel.as_ptr()) });
                    }
                }
                if mean {
                    let divisor = call.divisor(0, y) * call.divisor(1, x);
                    folded = s.div(folded, s.splat(divisor as f32));
                }
                // SAFETY: the result's length was checked; rows are disjoint, each is one thread's.
                unsafe { s.store(call.y.at((row * call.output[1] + x) * S::LANES), folded) }
            }
        }
    }
}
