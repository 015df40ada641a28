//! Transforms weights to the space of products.

use std::ops::Range;

use super::transform::weight_matrix;
use super::{WinogradTile, product_stride};
use crate::Pool;
use crate::conv::shape::ConvShape;
use crate::memory::{Buffer, Shared};
use crate::simd::{Kernel, Simd};

/// Returns for each product of a tile, at distance [`product_stride`], `[output block][channel][c]`.
pub(super) fn pack(pool: &Pool, shape: &ConvShape, tile: WinogradTile, weights: &[f32]) -> Buffer<f32> {
    let lanes = pool.isa().lanes();
    let blocks = shape.out_channels.div_ceil(lanes);
    let panel = product_stride(shape.in_channels * lanes);
    let product = product_stride(blocks * panel);
    let mut packed = Buffer::zeroed(tile.products() * tile.products() * product);
    let shared = Shared::new(&mut packed);
    pool.split(blocks, 1, |blocks| {
        pool.isa().run(Pack {
            shape,
            tile,
            blocks,
            weights,
            product,
            target: shared,
        });
    });
    packed
}

struct Pack<'a> {
    shape: &'a ConvShape,
    tile: WinogradTile,
    blocks: Range<usize>,
    weights: &'a [f32],
    product: usize,
    target: Shared<'a, f32>,
}

/// The number of filters that are transformed together.
const BATCH: usize = 8;

type Group = [f64; BATCH];

impl Kernel for Pack<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let channels =
            self.blocks.start * S::LANES..(self.blocks.end * S::LANES).min(self.shape.out_channels);
        for first in channels.clone().step_by(BATCH) {
            let outs = first..(first + BATCH).min(channels.end);
            match self.tile {
                WinogradTile::Two => self.filters::<4>(outs, S::LANES),
                WinogradTile::Four => self.filters::<6>(outs, S::LANES),
            }
        }
    }
}

impl Pack<'_> {
    /// Transforms some output channels of one block for every input channel, in f64, rounded once.
    #[inline(always)]
    fn filters<const N: usize>(&self, outs: Range<usize>, lanes: usize) {
        let ins = self.shape.in_channels;
        let matrix: [[f64; 3]; N] = weight_matrix(self.tile);
        let first = outs.start / lanes * product_stride(ins * lanes) + outs.start % lanes;
        for channel in 0..ins {
            let mut taps = [[0.0; BATCH]; 9];
            for (i, out) in outs.clone().enumerate() {
                let filter = out * ins + channel;
                for (tap, weight) in taps.iter_mut().zip(&self.weights[filter * 9..][..9]) {
                    tap[i] = f64::from(*weight);
                }
            }
            for (i, down) in matrix.iter().enumerate() {
                let line: [Group; 3] =
                    std::array::from_fn(|x| dot(down, [taps[x], taps[3 + x], taps[6 + x]]));
                for (j, across) in matrix.iter().enumerate() {
                    let values = dot(across, line);
                    let at = (i * N + j) * self.product + first + channel * lanes;
                    // SAFETY: lanes of different output channels are disjoint, and each belongs to one
                    // thread.
                    let target = unsafe { self.target.part(at, outs.len()) };
                    for (target, value) in target.iter_mut().zip(values) {
                        *target = value as f32;
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn dot(factors: &[f64; 3], values: [Group; 3]) -> Group {
    std::array::from_fn(|i| factors[0] * values[0][i] + factors[1] * values[1][i] + factors[2] * values[2][i])
}
