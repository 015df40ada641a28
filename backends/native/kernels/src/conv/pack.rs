//! Convolution weights in the order in which the micro-kernel reads them.

use std::ops::Range;

use super::shape::ConvShape;
use crate::error::{Result, need};
use crate::gemm::tile::VECTORS;
use crate::memory::{Buffer, Shared};
use crate::{Isa, Pool};

/// The layout of the image that a convolution reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InputLayout {
    /// `[batch][channels][height][width]`, for the first layer.
    Plain,
    /// `[batch][⌈channels / c⌉][height][width][c]`.
    Blocked,
}

impl InputLayout {
    /// The number of adjacent channels.
    pub(crate) fn block(self, isa: Isa) -> usize {
        match self {
            Self::Plain => 1,
            Self::Blocked => isa.lanes(),
        }
    }
}

/// Output blocks that are computed together, and the input blocks that they read.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// The first output block.
    pub block: usize,
    /// The number of output blocks, which are the vectors of the tile.
    pub vectors: usize,
    /// The number of output channels in these blocks, without padding.
    pub channels: usize,
    /// The input channels; in a grouped convolution only those of the groups of these output channels.
    pub inputs: Range<usize>,
    /// The offset of the weights: `[input block][ky][kx][channel of block][vectors · c]`.
    pub weights: usize,
}

impl Part {
    /// Returns the blocks that contain the input channels.
    pub fn blocks(&self, block: usize) -> Range<usize> {
        self.inputs.start / block..self.inputs.end.div_ceil(block)
    }
}

/// Divides the output channels into parts of two vectors, or of one if that needs less work.
///
/// In a grouped convolution a part reads all input channels of its groups, with zeros as weights of the
/// others, so channels need no rearranging. Narrow parts have fewer groups.
pub(super) fn parts(shape: &ConvShape, isa: Isa) -> Vec<Part> {
    let wide = parts_of(shape, isa, VECTORS);
    if shape.groups == 1 {
        return wide;
    }
    let narrow = parts_of(shape, isa, 1);
    let cost = |parts: &[Part]| {
        parts
            .iter()
            .map(|part| part.inputs.len() * part.vectors)
            .sum::<usize>()
    };
    if cost(&narrow) < cost(&wide) { narrow } else { wide }
}

/// Divides the output channels into parts of `width` vectors.
fn parts_of(shape: &ConvShape, isa: Isa, width: usize) -> Vec<Part> {
    let lanes = isa.lanes();
    let (ins, outs) = (
        shape.in_channels / shape.groups,
        shape.out_channels / shape.groups,
    );
    let taps = shape.window.kernel[0] * shape.window.kernel[1];
    let mut weights = 0;
    (0..shape.out_channels.div_ceil(lanes))
        .step_by(width)
        .map(|block| {
            let first = block * lanes;
            let channels = (width * lanes).min(shape.out_channels - first);
            let groups = first / outs..(first + channels - 1) / outs + 1;
            let part = Part {
                block,
                vectors: channels.div_ceil(lanes),
                channels,
                inputs: groups.start * ins..groups.end * ins,
                weights,
            };
            weights += part.inputs.len() * taps * part.vectors * lanes;
            part
        })
        .collect()
}

/// Packs `weights` (`[out][in / groups][ky][kx]`) for `parts`.
pub(super) fn pack(
    pool: &Pool,
    shape: &ConvShape,
    layout: InputLayout,
    parts: &[Part],
    weights: &[f32],
) -> Result<Buffer<f32>> {
    need("convolution: weights", shape.check()?, weights.len())?;
    let lanes = pool.isa().lanes();
    let in_block = layout.block(pool.isa());
    let taps = shape.window.kernel[0] * shape.window.kernel[1];
    let len_of = |part: &Part| part.inputs.len() * taps * part.vectors * lanes;
    let mut packed = Buffer::zeroed(parts.last().map_or(0, |part| part.weights + len_of(part)));
    let shared = Shared::new(&mut packed);
    pool.split(parts.len(), 1, |range| {
        for part in &parts[range] {
            // SAFETY: the weights of parts do not overlap; each part is packed once.
            let target = unsafe { shared.part(part.weights, len_of(part)) };
            pack_part(shape, lanes, in_block, part, weights, target);
        }
    });
    Ok(packed)
}

fn pack_part(
    shape: &ConvShape,
    lanes: usize,
    in_block: usize,
    part: &Part,
    weights: &[f32],
    target: &mut [f32],
) {
    let (ins, outs) = (
        shape.in_channels / shape.groups,
        shape.out_channels / shape.groups,
    );
    let taps = shape.window.kernel[0] * shape.window.kernel[1];
    let width = part.vectors * lanes;
    // Block by block, so that the lines written for all columns stay in the L1 cache.
    for block in part.blocks(in_block) {
        // The range of the block that the inputs cover.
        let start = (block * in_block).max(part.inputs.start);
        let end = ((block + 1) * in_block).min(part.inputs.end);
        let target = &mut target[(start - part.inputs.start) * taps * width..];
        for column in 0..part.channels {
            let out = part.block * lanes + column;
            let first_in = out / outs * ins;
            // The channels of the block in this column's group.
            for channel in start.max(first_in)..end.min(first_in + ins) {
                let kernel = &weights[(out * ins + channel - first_in) * taps..][..taps];
                for (tap, weight) in kernel.iter().enumerate() {
                    let step = tap * (end - start) + channel - start;
                    target[step * width + column] = *weight;
                }
            }
        }
    }
}
