//! The padded part of an image that a few rows of windows read.

use std::ops::Range;

use super::shape::Window;
use crate::Pool;
use crate::memory::Shared;

/// An image as planes of `size` pixels of `block` channels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Image<'a> {
    pub data: &'a [f32],
    pub size: [usize; 2],
    /// The rows and columns before the first window.
    pub skip: [usize; 2],
    /// The distance of planes in elements.
    pub plane: usize,
    pub block: usize,
}

/// The location of the values that the windows of a strip read; distances in elements.
#[derive(Clone, Copy, Debug)]
pub(super) struct StripView {
    /// The first tap of the first window of the first row, in the first block.
    pub start: *const f32,
    pub row: usize,
    pub plane: usize,
}

/// Returns the size in pixels of a padded strip that `rows` × `columns` windows read.
pub(super) fn size(window: &Window, rows: usize, columns: usize) -> [usize; 2] {
    [
        (rows - 1) * window.stride[0] + window.extent(0),
        (columns - 1) * window.stride[1] + window.extent(1),
    ]
}

impl Image<'_> {
    /// Returns the location in the image itself, for windows that stay inside of it.
    pub fn seen(&self, window: &Window, first_row: usize, blocks: &Range<usize>) -> StripView {
        let row = self.size[1] * self.block;
        let first = self.skip[0] + first_row * window.stride[0];
        let at = blocks.start * self.plane + first * row + self.skip[1] * self.block;
        StripView {
            start: self.data[at..].as_ptr(),
            row,
            plane: self.plane,
        }
    }

    /// Copies the pixels of `blocks` that `rows` × `columns` windows read into `target`, with zeros outside
    /// of the image.
    pub fn copy_padded(
        &self,
        window: &Window,
        rows: Range<usize>,
        columns: usize,
        blocks: &Range<usize>,
        target: &mut [f32],
    ) -> StripView {
        let [height, width] = size(window, rows.len(), columns);
        let row_len = width * self.block;
        let seen = StripView {
            start: target.as_ptr(),
            row: row_len,
            plane: height * row_len,
        };
        let left = (window.pad_begin[1] * self.block).min(row_len);
        let skipped = self.skip[1].min(self.size[1]);
        let copied = ((self.size[1] - skipped) * self.block).min(row_len - left);
        let top = self.skip[0] + rows.start * window.stride[0];
        for (plane, target) in blocks.clone().zip(target.chunks_exact_mut(seen.plane)) {
            for (y, target) in target.chunks_exact_mut(row_len).enumerate() {
                let source = (top + y)
                    .checked_sub(window.pad_begin[0])
                    .filter(|y| *y < self.size[0]);
                let Some(source) = source else {
                    target.fill(0.0);
                    continue;
                };
                let at = plane * self.plane + (source * self.size[1] + skipped) * self.block;
                target[..left].fill(0.0);
                target[left..left + copied].copy_from_slice(&self.data[at..at + copied]);
                target[left + copied..].fill(0.0);
            }
        }
        seen
    }
}

/// Copies the pixels that windows of a single tap read: one of every `stride`, of planes of `size` to planes
/// of `output`.
#[allow(clippy::too_many_arguments)]
pub(super) fn subsample(
    pool: &Pool,
    stride: [usize; 2],
    block: usize,
    planes: usize,
    size: [usize; 2],
    x: &[f32],
    output: [usize; 2],
    target: &mut [f32],
) {
    let [from, to] = [size, output].map(|[h, w]| h * w * block);
    let target = Shared::new(target);
    pool.split(planes, 1, |range| {
        for plane in range {
            // SAFETY: planes are disjoint, each is one thread's.
            let target = unsafe { target.part(plane * to, to) };
            for (y, row) in target.chunks_exact_mut(output[1] * block).enumerate() {
                let source = &x[plane * from + y * stride[0] * size[1] * block..][..size[1] * block];
                for (pixel, source) in row.chunks_exact_mut(block).zip(source.chunks(stride[1] * block)) {
                    pixel.copy_from_slice(&source[..block]);
                }
            }
        }
    });
}
