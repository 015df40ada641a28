//! Where Winograd's filtering takes less time than the direct way, and with which tile.

use super::call::by_products;
use super::{Winograd, WinogradTile};
use crate::Pool;
use crate::conv::shape::ConvShape;

/// What carrying a value into the space of products or out of it takes, in multiplications.
const TRANSFORM: f64 = 20.0;
/// The time in which a weight comes from the third cache, in multiplications: it has to be worth that many tiles, and
/// as much again is left over.
const ARRIVAL: f64 = 10.0;
const ARRIVAL_LEFT: f64 = 6.0;
/// How much faster it must be: it costs accuracy and memory.
const GAIN: f64 = 1.1;

impl Winograd {
    /// The tile with which `batch` images of `size` take the least time, if it is clearly less than the direct way.
    ///
    /// Times are estimated in multiplications: the direct way's; or those of products, transforms, and the weights' way
    /// through the caches, fitted to measurements (`benches/convolutions.rs`). Fewer channels than a vector are left
    /// to the direct way, which is exact for small whole numbers.
    pub fn choose(pool: &Pool, shape: &ConvShape, batch: usize, size: [usize; 2]) -> Option<WinogradTile> {
        let lanes = pool.isa().lanes();
        let output = shape.window.output(size).ok()?;
        if !Self::fits(shape) || shape.in_channels < lanes || shape.out_channels < lanes {
            return None;
        }
        let [ins, outs] = [shape.in_channels, shape.out_channels.next_multiple_of(lanes)].map(|n| n as f64);
        let threads = pool.threads() as f64;
        let direct = 9.0 * ins * outs * (batch * output[0] * output[1]) as f64 / threads;
        let time = |tile: WinogradTile| {
            let side = tile.results();
            let tiles = batch * output[0].div_ceil(side) * output[1].div_ceil(side);
            // Threads have parts of the products, or parts of the tiles.
            let parts = if by_products(shape, tiles) {
                [threads, 1.0]
            } else {
                [1.0, threads]
            };
            let tiles = tiles as f64 / parts[1];
            let products = (tile.products() * tile.products()) as f64 / parts[0];
            let weights = ins * outs * (tiles.max(ARRIVAL) + ARRIVAL_LEFT);
            products * (weights + TRANSFORM * tiles * (ins + outs))
        };
        [WinogradTile::Two, WinogradTile::Four]
            .into_iter()
            .min_by(|a, b| time(*a).total_cmp(&time(*b)))
            .filter(|tile| time(*tile) * GAIN < direct)
    }
}
