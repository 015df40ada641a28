//! The stages of a Winograd convolution: image to products, products to sums, sums to result.

use std::ops::Range;

use super::{Winograd, image, product_stride, result};
use crate::epilogue::Epilogue;
use crate::gemm::prefetch::Prefetch;
use crate::gemm::tile::{self, Tile, VECTORS, Walk};
use crate::memory::Shared;
use crate::{Pool, scratch};

/// The number of elements of transformed image and sums that are processed at a time: they fit into the L2
/// cache.
const WORKING_SET: usize = 384 * 1024;

/// The parts of one call that do not depend on the thread.
pub(super) struct Call<'a> {
    pub conv: &'a Winograd,
    pub size: [usize; 2],
    pub output: [usize; 2],
    /// The number of tiles down and across.
    pub tiles: [usize; 2],
    /// The number of channel blocks of image and result.
    pub blocks: [usize; 2],
    pub x: &'a [f32],
    pub epilogue: &'a Epilogue<'a>,
    pub y: Shared<'a, f32>,
}

/// Whether threads share one set of few tiles and compute different products. Then each reads a part of the
/// weights, which are larger than the data that threads exchange. Otherwise each thread has its own tiles and
/// reads all weights.
pub(super) fn by_products(conv: &crate::conv::ConvShape, tiles: usize) -> bool {
    conv.in_channels * conv.out_channels > 2 * tiles * (conv.in_channels + conv.out_channels)
}

impl Call<'_> {
    pub fn run(&self, pool: &Pool, batch: usize) {
        let lanes = self.conv.isa.lanes();
        let tiles = batch * self.tiles[0] * self.tiles[1];
        // As many tiles at a time as fit into the cache, in complete rows of the micro-kernel.
        let per_tile = self.products() * (self.blocks[0] + self.blocks[1]) * lanes;
        let rows = tile::rows(self.conv.isa, 1, lanes);
        let max = (WORKING_SET / per_tile / rows).max(2) * rows;
        let all = |range: Range<usize>| {
            let chunks = range.len().div_ceil(max);
            let chunk = range.len().div_ceil(chunks);
            let room = self.room(chunk);
            scratch::with(room[0] + room[1], |memory| {
                for start in range.clone().step_by(chunk) {
                    self.chunk(pool, start..(start + chunk).min(range.end), memory);
                }
            });
        };
        if tiles <= max && by_products(&self.conv.shape, tiles) {
            all(0..tiles);
        } else {
            pool.split(tiles, 1, all);
        }
    }

    fn products(&self) -> usize {
        self.conv.tile.products() * self.conv.tile.products()
    }

    /// Returns the number of elements of the transformed image and of the sums of `tiles` tiles:
    /// `[product][block][tile][c]`, products [`product_stride`].
    fn room(&self, tiles: usize) -> [usize; 2] {
        self.blocks
            .map(|blocks| self.products() * product_stride(blocks * tiles * self.conv.isa.lanes()))
    }

    /// Computes some tiles, numbered over all images. Inside of a task of the pool this thread does all of
    /// it.
    fn chunk(&self, pool: &Pool, tiles: Range<usize>, memory: &mut [f32]) {
        let isa = self.conv.isa;
        let (image, sums) = memory.split_at_mut(self.room(tiles.len())[0]);
        let (image, sums) = (Shared::new(image), Shared::new(sums));
        pool.split(self.blocks[0], 1, |blocks| {
            isa.run(image::Transform {
                call: self,
                tiles: tiles.clone(),
                blocks,
                target: image,
            });
        });
        pool.split(self.products(), 1, |products| {
            products.for_each(|product| self.product(product, tiles.len(), image, sums));
        });
        pool.split(self.blocks[1], 1, |blocks| {
            isa.run(result::Transform {
                call: self,
                tiles: tiles.clone(),
                blocks,
                sums,
            });
        });
    }

    /// Computes one product of all tiles, summed over channels.
    fn product(&self, product: usize, tiles: usize, image: Shared<f32>, sums: Shared<f32>) {
        let isa = self.conv.isa;
        let lanes = isa.lanes();
        let plane = tiles * lanes;
        let ins = self.conv.shape.in_channels;
        let walk = Walk {
            end: ins - (self.blocks[0] - 1) * lanes,
            ..Walk::whole([(self.blocks[0], plane), (1, 0), (1, 0)], lanes)
        };
        // Few tiles use one vector of weights at a time, which come from memory; more tiles use two.
        let vectors = if tiles <= tile::rows(isa, 1, lanes) {
            1
        } else {
            VECTORS
        };
        let shares = tiles.div_ceil(tile::rows(isa, vectors, lanes));
        let panel = product_stride(ins * lanes);
        let weights = &self.conv.weights[product * (self.conv.weights.len() / self.products())..];
        let [x, c] = [
            image.at(product * product_stride(self.blocks[0] * plane)),
            sums.at(product * product_stride(self.blocks[1] * plane)),
        ];
        for block in (0..self.blocks[1]).step_by(vectors) {
            let vectors = vectors.min(self.blocks[1] - block);
            for index in 0..shares {
                let share = crate::thread::share(tiles, shares, index);
                let tile = Tile {
                    rows: share.len(),
                    vectors,
                    x: x.wrapping_add(share.start * lanes),
                    row_stride: lanes,
                    walk: &walk,
                    w: weights[block * panel..].as_ptr(),
                    w_second: Some(panel),
                    c: c.wrapping_add(block * plane + share.start * lanes),
                    c_row: lanes,
                    c_vector: plane,
                    columns: vectors * lanes,
                    fill: false,
                    resume: false,
                    finish: None,
                    ahead: Prefetch::share(
                        weights,
                        (block + vectors) * panel,
                        [vectors * lanes, ins],
                        [index, shares],
                        isa,
                    ),
                };
                // SAFETY: the walk stays in this product's planes of the transformed image, which no thread
                // writes now; weights are packed for it, and the planes of the sums belong to this thread.
                unsafe { tile.run(isa) }
            }
        }
    }

    /// Returns the image of a tile, and its position there, down and across.
    pub fn place(&self, tile: usize) -> (usize, [usize; 2]) {
        let per_image = self.tiles[0] * self.tiles[1];
        let of_image = tile % per_image;
        (
            tile / per_image,
            [of_image / self.tiles[1], of_image % self.tiles[1]],
        )
    }
}
