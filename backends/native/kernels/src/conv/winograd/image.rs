//! Transforms tiles of the image to the space of products.

use std::ops::Range;

use super::call::Call;
use super::transform::{LINE, image_line};
use super::{WinogradTile, product_stride};
use crate::memory::Shared;
use crate::simd::{Kernel, Simd};

pub(super) struct Transform<'a> {
    pub call: &'a Call<'a>,
    pub tiles: Range<usize>,
    /// The channel blocks of the image.
    pub blocks: Range<usize>,
    /// `[product][block][tile][c]` of all blocks, products [`product_stride`].
    pub target: Shared<'a, f32>,
}

impl Kernel for Transform<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        match self.call.conv.tile {
            WinogradTile::Two => self.tiles::<S, 4>(s, WinogradTile::Two),
            WinogradTile::Four => self.tiles::<S, 6>(s, WinogradTile::Four),
        }
    }
}

impl Transform<'_> {
    #[inline(always)]
    fn tiles<S: Simd, const N: usize>(&self, s: S, form: WinogradTile) {
        let call = self.call;
        let blocks = call.blocks[0];
        let plane = self.tiles.len() * S::LANES;
        let product_stride = product_stride(blocks * plane);
        let image_len = call.size[0] * call.size[1] * S::LANES;
        for block in self.blocks.clone() {
            for (index, tile) in self.tiles.clone().enumerate() {
                let (image, place) = call.place(tile);
                let x = &call.x[(image * blocks + block) * image_len..][..image_len];
                let to = block * plane + index * S::LANES;
                let target = self.target.at(to);
                let corner = [0, 1].map(|axis| {
                    (place[axis] * form.results()).wrapping_sub(call.conv.shape.window.pad_begin[axis])
                });
                // SAFETY: `target` is a vector of the first product, and `product_stride` the distance to
                // those of the others; blocks are disjoint, each belongs to one thread. The image has
                // complete pixels.
                unsafe {
                    if (0..2)
                        .all(|axis| corner[axis] < call.size[axis] && call.size[axis] - corner[axis] >= N)
                    {
                        let first = x.as_ptr().add((corner[0] * call.size[1] + corner[1]) * S::LANES);
                        let row = call.size[1] * S::LANES;
                        let pixel = |[y, x]: [usize; 2]| s.load(first.add(y * row + x * S::LANES));
                        transform::<S, N>(s, form, pixel, target, product_stride);
                    } else {
                        let pixel = |at: [usize; 2]| match inside(call.size, corner, at) {
                            Some(pixel) => s.load(x.as_ptr().add(pixel * S::LANES)),
                            None => s.zero(),
                        };
                        transform::<S, N>(s, form, pixel, target, product_stride);
                    }
                }
            }
        }
    }
}

/// Returns the pixel at a position of a tile, unless it is padding.
#[inline(always)]
fn inside(size: [usize; 2], corner: [usize; 2], at: [usize; 2]) -> Option<usize> {
    let [y, x] = [0, 1].map(|axis| corner[axis].wrapping_add(at[axis]));
    (y < size[0] && x < size[1]).then(|| y * size[1] + x)
}

/// Transforms one tile of one channel block.
///
/// # Safety
/// `target` is writable for a vector, and so are the positions `product_stride` elements further, for `N · N`
/// products.
#[inline(always)]
unsafe fn transform<S: Simd, const N: usize>(
    s: S,
    form: WinogradTile,
    pixel: impl Fn([usize; 2]) -> S::V,
    target: *mut f32,
    product_stride: usize,
) {
    let mut half = [[s.zero(); LINE]; LINE];
    for column in 0..N {
        let mut line = [s.zero(); LINE];
        for row in 0..N {
            line[row] = pixel([row, column]);
        }
        let line = image_line(s, form, line);
        for row in 0..N {
            half[row][column] = line[row];
        }
    }
    for row in 0..N {
        let line = image_line(s, form, half[row]);
        for column in 0..N {
            // SAFETY: promised by the caller.
            unsafe { s.store(target.add((row * N + column) * product_stride), line[column]) }
        }
    }
}
