//! Depthwise convolution: each channel separately, with vectors along the channels of a block.
//!
//! Windows read the image in place. [`rows`] computes rows one by one, [`pairs`] two rows together if windows
//! have many taps. Each sum has the order of the taps in both. [`plane`] has what both share.

mod pairs;
mod plane;
mod rows;

use super::direct::check_operands;
use super::shape::ConvShape;
use crate::epilogue::Epilogue;
use crate::error::{Result, ensure, need};
use crate::memory::{Buffer, Shared};
use crate::{Isa, Pool};
use pairs::Pairs;
use rows::Rows;

/// A depthwise convolution (as many groups as channels, one output each) with packed weights.
#[derive(Clone, Debug)]
pub struct Depthwise {
    isa: Isa,
    shape: ConvShape,
    /// `[block][ky][kx][c]`
    weights: Buffer<f32>,
}

impl Depthwise {
    /// Whether a convolution is depthwise.
    pub fn fits(shape: &ConvShape) -> bool {
        shape.groups == shape.in_channels && shape.out_channels == shape.in_channels
    }

    /// Packs `weights` (`[channel][1][ky][kx]`).
    pub fn new(pool: &Pool, shape: ConvShape, weights: &[f32]) -> Result<Self> {
        need("depthwise: weights", shape.check()?, weights.len())?;
        ensure(Self::fits(&shape), "depthwise", || {
            "not one input for each output channel".into()
        })?;
        let lanes = pool.isa().lanes();
        let taps = shape.window.kernel[0] * shape.window.kernel[1];
        let mut packed = Buffer::zeroed(shape.in_channels.next_multiple_of(lanes) * taps);
        for (channel, kernel) in weights.chunks_exact(taps).take(shape.in_channels).enumerate() {
            for (tap, weight) in kernel.iter().enumerate() {
                packed[(channel / lanes * taps + tap) * lanes + channel % lanes] = *weight;
            }
        }
        Ok(Self {
            isa: pool.isa(),
            shape,
            weights: packed,
        })
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
        let blocks = self.shape.in_channels.div_ceil(lanes);
        let (output, _) = check_operands(
            ["depthwise", "depthwise: image", "depthwise: result"],
            &self.shape,
            [lanes; 2],
            batch,
            size,
            [x.len(), y.len()],
            epilogue,
        )?;
        let call = Call {
            conv: self,
            size,
            output,
            x,
            epilogue,
            y: Shared::new(y),
        };
        let window = &self.shape.window;
        // Rows are cheap: the work of a thread should exceed the cost of waking it.
        let grain = |rows: usize| (4096 / (rows * output[1] * lanes)).max(1);
        if pairs::pay(window) {
            let pieces = &pairs::pieces(self.isa, window, size[1], output[1]);
            let call = &call;
            pool.split(batch * blocks * output[0].div_ceil(2), grain(2), |range| {
                self.isa.run(Pairs { call, pieces, range });
            });
        } else {
            let pieces = &rows::pieces(window, size[1], output[1]);
            let call = &call;
            pool.split(batch * blocks * output[0], grain(1), |range| {
                self.isa.run(Rows { call, pieces, range });
            });
        }
        Ok(())
    }
}

/// A call with checked arguments.
struct Call<'a> {
    conv: &'a Depthwise,
    size: [usize; 2],
    output: [usize; 2],
    x: &'a [f32],
    epilogue: &'a Epilogue<'a>,
    y: Shared<'a, f32>,
}
