//! Winograd's minimal filtering for 3 × 3 windows of stride 1.
//!
//! A tile of `m × m` results is computed from `(m + 2)²` products for each pair of channels instead of
//! `9·m²`: 4 times fewer for `m = 4`, 2.25 times for `m = 2`. The cost is accuracy (a few bits are lost, more
//! with the larger tile) and memory (weights grow 4 or 1.8 times). The caller decides whether to use it; it
//! is a separate type and never chosen implicitly. [`Winograd::choose`] estimates whether it is faster.

mod call;
mod choice;
mod image;
mod result;
mod transform;
mod weights;

use call::Call;

use super::direct::check_operands;
use super::shape::ConvShape;
use crate::epilogue::Epilogue;
use crate::error::{Result, ensure, need};
use crate::memory::{ALIGNMENT, Buffer, Shared};
use crate::{Isa, Pool};

/// The size of a tile's result along each axis.
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
    /// For each product, at distance [`product_stride`]: `[output block][channel][c]`.
    weights: Buffer<f32>,
}

impl Winograd {
    /// Whether the convolution is supported.
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

    /// The size in bytes.
    pub fn bytes(&self) -> usize {
        self.weights.len() * size_of::<f32>()
    }

    /// Like [`super::Convolution::run`], with image and result in the blocked layout.
    pub fn run(
        &self,
        pool: &Pool,
        batch: usize,
        size: [usize; 2],
        x: &[f32],
        epilogue: &Epilogue,
        y: &mut [f32],
    ) -> Result<()> {
        let lanes = self.isa.lanes();
        let in_blocks = self.shape.in_channels.div_ceil(lanes);
        let out_blocks = self.shape.out_channels.div_ceil(lanes);
        let (output, _) = check_operands(
            ["winograd", "winograd: image", "winograd: result"],
            &self.shape,
            [lanes; 2],
            batch,
            size,
            [x.len(), y.len()],
            epilogue,
        )?;
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
        call.run(pool, batch);
        Ok(())
    }
}

/// Returns the distance of the products of a tile, each of which has `len` elements: an odd number of vectors
/// of the widest type.
///
/// Transforms access one vector of every product at a time. At distances of 4 KiB all of them would map to
/// one set of the L1 cache.
fn product_stride(len: usize) -> usize {
    const LINE: usize = ALIGNMENT / size_of::<f32>();
    (len.div_ceil(LINE) | 1) * LINE
}
