//! Estimates whether Winograd's filtering is faster than the direct convolution, and with which tile.

use super::{Winograd, WinogradTile};
use crate::Pool;
use crate::conv::shape::ConvShape;

/// The cost of transforming a value, in multiplications.
const TRANSFORM: f64 = 20.0;
/// The time to read a weight from the L3 cache, in multiplications. That number of tiles hides it;
/// `EXPOSED_LATENCY` always remains.
const WEIGHT_LATENCY: f64 = 10.0;
const EXPOSED_LATENCY: f64 = 6.0;
/// The required speedup, because it costs accuracy and memory.
const MIN_SPEEDUP: f64 = 1.1;

impl Winograd {
    /// Returns the tile with which `batch` images of `size` take the least time, if it is clearly less than
    /// that of the direct convolution.
    ///
    /// Times are estimated in multiplications: of the direct convolution, or of products, transforms and
    /// reading the weights, fitted to measurements (`benches/convolutions.rs`), for one thread: the tiles
    /// round differently, so that another choice for another number of threads would give other bits. With
    /// fewer channels than a vector has lanes, the direct convolution is chosen, which is exact for small
    /// integers.
    pub fn choose(pool: &Pool, shape: &ConvShape, batch: usize, size: [usize; 2]) -> Option<WinogradTile> {
        let lanes = pool.isa().lanes();
        let output = shape.window.output(size).ok()?;
        if !Self::fits(shape) || shape.in_channels < lanes || shape.out_channels < lanes {
            return None;
        }
        let [ins, outs] = [shape.in_channels, shape.out_channels.next_multiple_of(lanes)].map(|n| n as f64);
        let direct = 9.0 * ins * outs * (batch * output[0] * output[1]) as f64;
        let time = |tile: WinogradTile| {
            let side = tile.results();
            let tiles = (batch * output[0].div_ceil(side) * output[1].div_ceil(side)) as f64;
            let products = (tile.products() * tile.products()) as f64;
            let weights = ins * outs * (tiles.max(WEIGHT_LATENCY) + EXPOSED_LATENCY);
            products * (weights + TRANSFORM * tiles * (ins + outs))
        };
        [WinogradTile::Two, WinogradTile::Four]
            .into_iter()
            .min_by(|a, b| time(*a).total_cmp(&time(*b)))
            .filter(|tile| time(*tile) * MIN_SPEEDUP < direct)
    }
}
