//! One plane of a depthwise convolution: where its pixels, weights and results are.

use std::ops::Range;

use super::super::tiles::finish;
use super::Call;
use crate::elementwise::activate_pixels;
use crate::epilogue::Residual;
use crate::gemm::finish::store;
use crate::gemm::prefetch::Prefetch;
use crate::gemm::tile::{Tile, Walk};
use crate::simd::Simd;

/// One plane of an image and of the result.
pub(super) struct Plane<'a> {
    pub call: &'a Call<'a>,
    image: &'a [f32],
    /// One vector for each tap.
    pub weights: &'a [f32],
    /// The first channel, and the number of channels that exist.
    channels: [usize; 2],
    /// The position in the result.
    first: usize,
}

impl<'a> Plane<'a> {
    /// The plane with this number.
    pub fn new(call: &'a Call<'a>, plane: usize) -> Self {
        let Call {
            conv, size, output, ..
        } = *call;
        let lanes = conv.isa.lanes();
        let block = plane % conv.shape.in_channels.div_ceil(lanes);
        let taps = conv.shape.window.kernel[0] * conv.shape.window.kernel[1];
        let len = size[0] * size[1] * lanes;
        Self {
            call,
            image: &call.x[plane * len..][..len],
            weights: &conv.weights[block * taps * lanes..][..taps * lanes],
            channels: [block * lanes, lanes.min(conv.shape.in_channels - block * lanes)],
            first: plane * output[0] * output[1] * lanes,
        }
    }

    /// The pixels of a line of the image.
    #[inline(always)]
    pub fn line(&self, line: usize) -> &'a [f32] {
        let len = self.call.size[1] * self.call.conv.isa.lanes();
        &self.image[line * len..][..len]
    }

    /// Stores the sums of `N` windows of a row from this column on, after the other operations, except for
    /// activations that need [`Self::activate`].
    #[inline(always)]
    pub fn store<S: Simd, const N: usize>(&self, s: S, [row, column]: [usize; 2], sums: [[S::V; 1]; N]) {
        let Call {
            output, epilogue, y, ..
        } = *self.call;
        assert!(
            row < output[0] && column + N <= output[1],
            "windows outside of the plane"
        );
        let at = self.first + (row * output[1] + column) * S::LANES;
        let mut finish = finish(epilogue, self.channels[0], at);
        if matches!(epilogue.residual, Residual::Output) {
            finish.residual = y.at(at);
        }
        let tile = Tile {
            rows: N,
            vectors: 1,
            x: self.image.as_ptr(),
            row_stride: S::LANES,
            walk: &Walk::along(0),
            w: self.weights.as_ptr(),
            w_second: None,
            c: y.at(at),
            c_row: S::LANES,
            c_vector: 0,
            columns: self.channels[1],
            fill: true,
            resume: false,
            finish: Some(finish),
            ahead: Prefetch::NONE,
        };
        // SAFETY: the plane has these windows, as asserted; the lengths of the result, bias and residual were
        // checked at the call, and each row belongs to one thread.
        unsafe { store::<S, N, 1>(s, &tile, sums) }
    }

    /// Applies an activation that takes a second pass over the stored results of these rows.
    #[inline(always)]
    pub fn activate(&self, rows: Range<usize>) {
        let Call {
            conv,
            output,
            epilogue,
            y,
            ..
        } = *self.call;
        if epilogue.activation.is_cheap() {
            return;
        }
        let lanes = conv.isa.lanes();
        let row = output[1] * lanes;
        // SAFETY: rows are disjoint, each is one thread's.
        let target = unsafe { y.part(self.first + rows.start * row, rows.len() * row) };
        activate_pixels(conv.isa, epilogue.activation, [self.channels[1], lanes], target);
    }
}
