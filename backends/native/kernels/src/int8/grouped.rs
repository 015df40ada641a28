//! Grouped convolutions of bytes: panels of adjacent windows are gathered and multiplied by the weights of a
//! group.

use std::ops::Range;

use super::finish::one_of;
use super::pack::Rows;
use super::tile::{MAX_ROWS, Tile};
use super::{ByteImages, Bytes, Dot, MAX_WIDTH, Target, requantize};
use crate::Pool;
use crate::conv::ConvShape;
use crate::error::Result;
use crate::gemm::prefetch::Prefetch;
use crate::memory::{Buffer, Shared};

/// A grouped convolution with packed weights.
#[derive(Clone, Debug)]
pub(super) struct Grouped {
    pub dot: Dot,
    pub shape: ConvShape,
    weights: Rows<'static>,
    zero: Vec<i32>,
}

impl Grouped {
    /// Packs `len` weights and zero points, whose numbers were checked.
    pub fn new(pool: &Pool, dot: Dot, shape: ConvShape, weights: Bytes, len: usize, zero: &[i32]) -> Self {
        let k = len / shape.out_channels;
        Self {
            dot,
            shape,
            weights: Rows::new(pool, weights, shape.out_channels, k, true).kept(),
            zero: zero.to_vec(),
        }
    }

    /// Computes the result as the target states; all tensors are in the plain layout, and their lengths are
    /// checked.
    pub fn run(
        &self,
        pool: &Pool,
        images: &ByteImages,
        output: [usize; 2],
        bias: Option<&[i32]>,
        y: Target,
    ) -> Result<()> {
        match y {
            Target::Sums(y) => self.sums(pool, images, output, bias, y),
            Target::Bytes { y, scale, zero } => {
                let extents = [images.batch, self.shape.out_channels, output[0] * output[1]];
                let mut sums = Buffer::zeroed(extents.iter().product());
                self.sums(pool, images, output, bias, &mut sums);
                return requantize(pool, extents, &sums, scale, zero, y);
            }
        }
        Ok(())
    }

    fn sums(
        &self,
        pool: &Pool,
        images: &ByteImages,
        output: [usize; 2],
        bias: Option<&[i32]>,
        y: &mut [i32],
    ) {
        let pixels = output[0] * output[1];
        let width = self.dot.width();
        let panels = pixels.div_ceil(width);
        let call = Call {
            conv: self,
            size: images.size,
            output,
            x: images.x,
            x_zero: images.zero,
            bias,
            y: Shared::new(y),
        };
        pool.split(images.batch * self.shape.groups * panels, 1, |range| {
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
    }
}

pub(super) struct Call<'a> {
    pub conv: &'a Grouped,
    pub size: [usize; 2],
    pub output: [usize; 2],
    pub x: Bytes<'a>,
    pub x_zero: i32,
    bias: Option<&'a [i32]>,
    y: Shared<'a, i32>,
}

impl Call<'_> {
    /// Computes some windows of one group of one image.
    fn panel(&self, image: usize, group: usize, columns: Range<usize>, panel: &mut [i8]) {
        let shape = &self.conv.shape;
        let dot = self.conv.dot;
        let (ins, outs) = (
            shape.in_channels / shape.groups,
            shape.out_channels / shape.groups,
        );
        let pixels = self.output[0] * self.output[1];
        let mut column_sums = [0; MAX_WIDTH];
        let first = image * shape.in_channels + group * ins;
        let k = self.gather(first, ins, columns.clone(), panel, &mut column_sums);
        let x_zero = self.x_zero.wrapping_sub(i32::from(self.x.flip_to_signed()));
        let tiles = outs.div_ceil(dot.rows());
        for tile in 0..tiles {
            let part = crate::thread::share(outs, tiles, tile);
            let rows = group * outs + part.start..group * outs + part.end;
            let mut sums = [0; MAX_ROWS * MAX_WIDTH];
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
                // SAFETY: panels and channels are disjoint, each belongs to one thread.
                let target = unsafe { self.y.part(at, columns.len()) };
                for ((target, sum), column_sum) in target.iter_mut().zip(sums).zip(column_sums) {
                    *target = correct.apply(*sum, column_sum, x_zero).wrapping_add(bias);
                }
            }
        }
    }
}

/// Multiplies some rows by a panel; the result has rows of `width` sums.
fn multiply(dot: Dot, a: &Rows, rows: Range<usize>, panel: &[i8], sums: &mut [i32]) {
    assert!(rows.len() <= dot.rows() && sums.len() >= rows.len() * dot.width());
    assert!(panel.len() >= a.quads * 4 * dot.width() && a.data().len() >= rows.end * a.quads * 4);
    let tile = Tile {
        rows: rows.len(),
        a: a.data()[rows.start * a.quads * 4..].as_ptr(),
        a_row: a.quads * 4,
        taps: &[0],
        quads: a.quads,
        b: panel.as_ptr(),
        panels: 0,
        ahead: Prefetch::NONE,
        c: sums.as_mut_ptr(),
    };
    // SAFETY: the lengths were asserted above.
    unsafe { dot.run(&tile) }
}

/// Converts a sum of products of bits to one of values: `Σ(a-z)(b-w) = Σab - w·Σa - z·Σb + k·z·w`.
#[derive(Clone, Copy)]
struct Correction {
    k: usize,
    a_sum: i32,
    a_zero: i32,
}

impl Correction {
    fn apply(self, sum: i32, b_sum: i32, b_zero: i32) -> i32 {
        let both = (self.k as i32).wrapping_mul(self.a_zero).wrapping_mul(b_zero);
        sum.wrapping_sub(b_zero.wrapping_mul(self.a_sum))
            .wrapping_sub(self.a_zero.wrapping_mul(b_sum))
            .wrapping_add(both)
    }
}
