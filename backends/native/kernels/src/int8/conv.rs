//! Convolutions of bytes: panels of neighbouring windows are gathered and multiplied with all weights.

use std::ops::Range;

use super::pack::Rows;
use super::product::{Correction, multiply, one_of};
use super::tile::MOST_ROWS;
use super::{Bytes, Dot};
use crate::Pool;
use crate::conv::ConvShape;
use crate::error::{Result, ensure, need, product};
use crate::memory::{Buffer, Shared};

/// The most columns of a tile.
pub(super) const MOST_WIDTH: usize = 32;

/// A convolution of bytes with its weights packed.
#[derive(Clone, Debug)]
pub struct Int8Convolution {
    pub(super) dot: Dot,
    pub(super) shape: ConvShape,
    weights: Rows,
    zero: Vec<i32>,
}

impl Int8Convolution {
    /// Packs `weights` (`[out][in / groups][ky][kx]`) with one zero point for all or one for each output channel.
    pub fn new(pool: &Pool, shape: ConvShape, weights: Bytes, zero: &[i32]) -> Result<Self> {
        Self::with_dot(Dot::of(pool.isa()), shape, weights, zero)
    }

    /// As [`Self::new`] for a given instruction set; fails if this processor has not got it.
    pub fn with_dot(dot: Dot, shape: ConvShape, weights: Bytes, zero: &[i32]) -> Result<Self> {
        dot.check()?;
        let len = shape.check()?;
        need("int8 convolution: weights", len, weights.len())?;
        ensure(
            zero.len() == 1 || zero.len() == shape.out_channels,
            "int8 convolution",
            || format!("{} zero points for {} channels", zero.len(), shape.out_channels),
        )?;
        let weights = Rows::new(weights, shape.out_channels, len / shape.out_channels);
        Ok(Self {
            dot,
            shape,
            weights,
            zero: zero.to_vec(),
        })
    }

    /// `y = (x - x_zero) * (weights - zero) + bias`, exact, wrapping at 32 bits; images plain: `x` is
    /// `[batch][in][height][width]` of `size`, `y` `[batch][out][rows][columns]`. Padding has the value `x_zero`.
    #[allow(clippy::too_many_arguments)]
    pub fn run(
        &self,
        pool: &Pool,
        batch: usize,
        size: [usize; 2],
        x: Bytes,
        x_zero: i32,
        bias: Option<&[i32]>,
        y: &mut [i32],
    ) -> Result<()> {
        let what = "int8 convolution";
        let output = self.shape.window.output(size)?;
        let pixels = product(what, &output)?;
        need(
            "int8 convolution: image",
            product(what, &[batch, self.shape.in_channels, size[0], size[1]])?,
            x.len(),
        )?;
        need(
            "int8 convolution: result",
            product(what, &[batch, self.shape.out_channels, pixels])?,
            y.len(),
        )?;
        need(
            "int8 convolution: bias",
            bias.map_or(0, |_| self.shape.out_channels),
            bias.map_or(0, <[i32]>::len),
        )?;
        let width = self.dot.width();
        let panels = pixels.div_ceil(width);
        let call = Call {
            conv: self,
            size,
            output,
            x,
            x_zero,
            bias,
            y: Shared::new(y),
        };
        pool.split(batch * self.shape.groups * panels, 1, |range| {
            let mut panel = Buffer::zeroed(self.weights.quads * 4 * width);
            for index in range {
                let (plane, part) = (index / panels, index % panels);
                let columns = part * width..(part * width + width).min(pixels);
                call.panel(
                    plane / self.shape.groups,
                    plane % self.shape.groups,
                    columns,
                    &mut panel,
                );
            }
        });
        Ok(())
    }
}

pub(super) struct Call<'a> {
    pub conv: &'a Int8Convolution,
    pub size: [usize; 2],
    pub output: [usize; 2],
    pub x: Bytes<'a>,
    pub x_zero: i32,
    bias: Option<&'a [i32]>,
    y: Shared<'a, i32>,
}

impl Call<'_> {
    /// Some windows of one group of one image.
    fn panel(&self, image: usize, group: usize, columns: Range<usize>, panel: &mut [i8]) {
        let shape = &self.conv.shape;
        let dot = self.conv.dot;
        let (ins, outs) = (
            shape.in_channels / shape.groups,
            shape.out_channels / shape.groups,
        );
        let pixels = self.output[0] * self.output[1];
        let mut column_sums = [0; MOST_WIDTH];
        let first = image * shape.in_channels + group * ins;
        let k = self.gather(first, ins, columns.clone(), panel, &mut column_sums);
        let x_zero = self.x_zero.wrapping_sub(i32::from(self.x.flip_to_signed()));
        let tiles = outs.div_ceil(dot.rows());
        for tile in 0..tiles {
            let part = crate::thread::share(outs, tiles, tile);
            let rows = group * outs + part.start..group * outs + part.end;
            let mut sums = [0; MOST_ROWS * MOST_WIDTH];
            multiply(dot, &self.conv.weights, rows.clone(), panel, &mut sums);
            for (out, sums) in rows.zip(sums.chunks_exact(dot.width())) {
                let a_zero = one_of(&self.conv.zero, out).wrapping_add(self.conv.weights.offset);
                let correct = Correction {
                    k,
                    a_sum: self.conv.weights.sums[out],
                    a_zero,
                };
                let bias = self.bias.map_or(0, |bias| bias[out]);
                let at = (image * shape.out_channels + out) * pixels + columns.start;
                // SAFETY: panels and channels are disjoint, each is one thread's.
                let target = unsafe { self.y.part(at, columns.len()) };
                for ((target, sum), column_sum) in target.iter_mut().zip(sums).zip(column_sums) {
                    *target = correct.apply(*sum, column_sum, x_zero).wrapping_add(bias);
                }
            }
        }
    }
}
