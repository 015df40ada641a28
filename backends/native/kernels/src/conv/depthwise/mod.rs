//! Depthwise convolution: each channel separately, with vectors along the channels of a block.
//!
//! Windows read the image in place. [`sliding`] computes two rows of windows that slide by one or two pixels,
//! [`rows`] all others. Each sum has the order of the taps in both. [`plane`] has what both share.

mod plane;
mod rows;
mod sliding;

use std::ops::Range;

use super::direct::check_operands;
use super::shape::{ConvShape, Window};
use crate::epilogue::{Epilogue, Residual};
use crate::error::{Result, ensure, need};
use crate::memory::{Buffer, Shared};
use crate::{Isa, Pool};
use plane::Plane;
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
        let rows = RowKernel::new(self.isa, &self.shape.window, [size[1], output[1]], epilogue);
        // Rows are cheap: the work of a thread should exceed the cost of waking it.
        let grain = (4096 / (rows.step() * output[1] * lanes)).max(1);
        let per_plane = output[0].div_ceil(rows.step());
        pool.split(batch * blocks * per_plane, grain, |range| {
            for plane in range.start / per_plane..range.end.div_ceil(per_plane) {
                let first = plane * per_plane;
                let units = range.start.max(first) - first..(range.end - first).min(per_plane);
                let own = units.start * rows.step()..(units.end * rows.step()).min(output[0]);
                rows.run(&Plane::new(&call, plane), own);
            }
        });
        Ok(())
    }
}

/// How rows of windows are computed.
enum RowKernel {
    Sliding(sliding::Pieces),
    Rows(Vec<rows::Piece>),
}

impl RowKernel {
    /// For rows of `columns` windows over an image of this width.
    fn new(isa: Isa, window: &Window, [width, columns]: [usize; 2], epilogue: &Epilogue) -> Self {
        // Windows that are computed twice must not be added to the result twice.
        let stored = !matches!(epilogue.residual, Residual::Output);
        if stored && sliding::fits(window) {
            Self::Sliding(sliding::pieces(isa, window, columns))
        } else {
            Self::Rows(rows::pieces(window, width, columns))
        }
    }

    /// The number of rows that are computed together.
    fn step(&self) -> usize {
        match self {
            Self::Sliding(_) => 2,
            Self::Rows(_) => 1,
        }
    }

    /// Computes rows of the result of a plane, on this thread.
    fn run(&self, plane: &Plane, rows: Range<usize>) {
        let isa = plane.call.conv.isa;
        match self {
            Self::Sliding(pieces) => isa.run(sliding::Rows { plane, pieces, rows }),
            Self::Rows(pieces) => isa.run(Rows { plane, pieces, rows }),
        }
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
