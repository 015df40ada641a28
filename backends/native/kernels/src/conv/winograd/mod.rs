//! Winograd's minimal filtering for 3 × 3 windows of stride 1.
//!
//! A tile of `m × m` results is computed from `(m + 2)²` products for each pair of channels instead of `9·m²`: 4 times
//! fewer for `m = 4`, 2.25 times for `m = 2`. The price is accuracy (a few more bits are lost, more with the
//! larger tile) and memory (weights grow 4 or 1.8 times). Whether it may be used is the caller's decision: it is a
//! type of its own, never chosen behind the back. Whether it pays, [`Winograd::choose`] estimates.

mod choice;
mod image;
mod result;
mod transform;
mod weights;

use std::ops::Range;

use super::direct::check_epilogue;
use super::shape::ConvShape;
use crate::epilogue::Epilogue;
use crate::error::{Result, ensure, need, product};
use crate::gemm::tile::{self, Tile, VECTORS, Walk};
use crate::memory::{ALIGNMENT, Buffer, Shared};
use crate::{Isa, Pool, scratch};

/// Results of a tile along each axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WinogradTile {
    /// F(2, 3): 2 × 2 results from 4 × 4 products.
    Two,
    /// F(4, 3): 4 × 4 results from 6 × 6 products.
    Four,
}

impl WinogradTile {
    fn results(self) -> usize {
        match self {
            Self::Two => 2,
            Self::Four => 4,
        }
    }

    fn products(self) -> usize {
        self.results() + 2
    }
}

/// A 3 × 3 convolution of stride 1 with transformed weights.
#[derive(Clone, Debug)]
pub struct Winograd {
    isa: Isa,
    shape: ConvShape,
    tile: WinogradTile,
    /// For each product, [`apart`] from the last: `[output block][channel][c]`.
    weights: Buffer<f32>,
}

/// Elements of transformed image and sums that a thread works on at a time.
const ROOM: usize = 384 * 1024;

impl Winograd {
    /// Whether a convolution is of this kind.
    pub fn fits(shape: &ConvShape) -> bool {
        let window = &shape.window;
        window.kernel == [3; 2] && window.stride == [1; 2] && window.dilation == [1; 2] && shape.groups == 1
    }

    /// Transforms and packs `weights` (`[out][in][3][3]`).
    pub fn new(pool: &Pool, shape: ConvShape, tile: WinogradTile, weights: &[f32]) -> Result<Self> {
        need("winograd: weights", shape.check()?, weights.len())?;
        ensure(Self::fits(&shape), "winograd", || {
            "only 3 × 3 windows of stride 1 in one group".into()
        })?;
        let weights = weights::pack(pool, &shape, tile, weights);
        Ok(Self {
            isa: pool.isa(),
            shape,
            tile,
            weights,
        })
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.weights.len() * size_of::<f32>()
    }

    /// As [`super::Convolution::run`], image and result blocked.
    pub fn run(
        &self,
        pool: &Pool,
        batch: usize,
        size: [usize; 2],
        x: &[f32],
        epilogue: &Epilogue,
        y: &mut [f32],
    ) -> Result<()> {
        let output = self.shape.window.output(size)?;
        let lanes = self.isa.lanes();
        let in_blocks = self.shape.in_channels.div_ceil(lanes);
        let out_blocks = self.shape.out_channels.div_ceil(lanes);
        need(
            "winograd: image",
            product("winograd", &[batch, in_blocks, lanes, size[0], size[1]])?,
            x.len(),
        )?;
        let len = product("winograd", &[batch, out_blocks, lanes, output[0], output[1]])?;
        need("winograd: result", len, y.len())?;
        check_epilogue(epilogue, self.shape.out_channels, len)?;
        let side = self.tile.results();
        let call = Call {
            conv: self,
            size,
            output,
            tiles: [output[0].div_ceil(side), output[1].div_ceil(side)],
            blocks: [in_blocks, out_blocks],
            x,
            epilogue,
            y: Shared::new(y),
        };
        let tiles = batch * call.tiles[0] * call.tiles[1];
        // As many tiles at a time as fit the cache, in whole rows of the micro-kernel.
        let products = self.tile.products() * self.tile.products();
        let per_tile = products * (in_blocks + out_blocks) * lanes;
        let rows = tile::rows(self.isa, 1, lanes);
        let most = (ROOM / per_tile / rows).max(2) * rows;
        pool.split(tiles, 1, |range| {
            let chunks = range.len().div_ceil(most);
            let chunk = range.len().div_ceil(chunks);
            let room = [in_blocks, out_blocks].map(|blocks| products * apart(blocks * chunk * lanes));
            scratch::with(room[0] + room[1], |memory| {
                for start in range.clone().step_by(chunk) {
                    call.chunk(start..(start + chunk).min(range.end), memory);
                }
            });
        });
        Ok(())
    }
}

/// The distance of the products of a tile, each of which has `len` elements: an odd number of vectors of the widest kind.
///
/// Transforms touch one vector of every product at a time. At distances of 4 KiB all of them would fall into one set of
/// the first cache.
fn apart(len: usize) -> usize {
    const LINE: usize = ALIGNMENT / size_of::<f32>();
    (len.div_ceil(LINE) | 1) * LINE
}

struct Call<'a> {
    conv: &'a Winograd,
    size: [usize; 2],
    output: [usize; 2],
    /// Tiles down and across.
    tiles: [usize; 2],
    /// Blocks of channels of image and result.
    blocks: [usize; 2],
    x: &'a [f32],
    epilogue: &'a Epilogue<'a>,
    y: Shared<'a, f32>,
}

impl Call<'_> {
    /// Some tiles, counted through all images: the image transformed, products summed over channels, results
    /// transformed back.
    fn chunk(&self, tiles: Range<usize>, memory: &mut [f32]) {
        let (isa, side) = (self.conv.isa, self.conv.tile.products());
        let lanes = isa.lanes();
        let room = self
            .blocks
            .map(|blocks| side * side * apart(blocks * tiles.len() * lanes));
        let (image, rest) = memory.split_at_mut(room[0]);
        let sums = &mut rest[..room[1]];
        isa.run(image::Transform {
            call: self,
            tiles: tiles.clone(),
            target: image,
        });
        self.products(tiles.len(), image, sums);
        isa.run(result::Transform {
            call: self,
            tiles,
            sums,
        });
    }

    fn products(&self, tiles: usize, image: &[f32], sums: &mut [f32]) {
        let isa = self.conv.isa;
        let lanes = isa.lanes();
        let plane = tiles * lanes;
        let walk = Walk {
            end: self.conv.shape.in_channels - (self.blocks[0] - 1) * lanes,
            ..Walk::whole([(self.blocks[0], plane), (1, 0), (1, 0)], lanes)
        };
        // Few tiles pass over the weights of a vector at once, which come from afar; more have two vectors each.
        let vectors = if tiles <= tile::rows(isa, 1, lanes) {
            1
        } else {
            VECTORS
        };
        let shares = tiles.div_ceil(tile::rows(isa, vectors, lanes));
        let panel = apart(self.conv.shape.in_channels * lanes);
        let products = self.conv.tile.products() * self.conv.tile.products();
        let weights_apart = self.conv.weights.len() / products;
        let sums = Shared::new(sums);
        for index in 0..products {
            let x = &image[index * apart(self.blocks[0] * plane)..];
            let of_product = index * apart(self.blocks[1] * plane);
            let weights = &self.conv.weights[index * weights_apart..];
            for block in (0..self.blocks[1]).step_by(vectors) {
                let vectors = vectors.min(self.blocks[1] - block);
                for share in 0..shares {
                    let share = crate::thread::share(tiles, shares, share);
                    let tile = Tile {
                        rows: share.len(),
                        vectors,
                        x: x[share.start * lanes..].as_ptr(),
                        row_stride: lanes,
                        walk: &walk,
                        w: weights[block * panel..].as_ptr(),
                        w_second: Some(panel),
                        c: sums.at(of_product + block * plane + share.start * lanes),
                        c_row: lanes,
                        c_vector: plane,
                        columns: vectors * lanes,
                        fill: false,
                        resume: false,
                        finish: None,
                    };
                    // SAFETY: the walk stays in this product's planes of the transformed image, weights are packed for
                    // it, and the sums' planes are this thread's own.
                    unsafe { tile.run(isa) }
                }
            }
        }
    }

    /// The image of a tile, and its place there, down and across.
    fn place(&self, tile: usize) -> (usize, [usize; 2]) {
        let per_image = self.tiles[0] * self.tiles[1];
        let of_image = tile % per_image;
        (
            tile / per_image,
            [of_image / self.tiles[1], of_image % self.tiles[1]],
        )
    }
}
