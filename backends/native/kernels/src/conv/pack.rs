//! Convolution weights in the order of the micro-kernel's walk.

use std::ops::Range;

use super::shape::ConvShape;
use crate::error::{Result, need};
use crate::gemm::tile::VECTORS;
use crate::memory::{Buffer, Shared};
use crate::{Isa, Pool};

/// How the image that a convolution reads is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InputLayout {
    /// `[batch][channels][height][width]`, for the first layer.
    Plain,
    /// `[batch][⌈channels / c⌉][height][width][c]`.
    Blocked,
}

impl InputLayout {
    /// Channels that stand side by side.
    pub(crate) fn block(self, isa: Isa) -> usize {
        match self {
            Self::Plain => 1,
            Self::Blocked => isa.lanes(),
        }
    }
}

/// Output blocks that are computed together, and the input blocks that they need.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// The first output block.
    pub block: usize,
    /// Output blocks: vectors of the tile.
    pub vectors: usize,
    /// Output channels that exist in these blocks.
    pub channels: usize,
    /// Input channels; in a grouped convolution only those of the groups that these channels touch.
    pub inputs: Range<usize>,
    /// Where its weights begin: `[input block][ky][kx][channel of block][vectors · c]`.
    pub weights: usize,
}

impl Part {
    /// The blocks that the input channels lie in.
    pub fn blocks(&self, block: usize) -> Range<usize> {
        self.inputs.start / block..self.inputs.end.div_ceil(block)
    }
}

/// Cuts the output channels into parts of two vectors, or of one where that needs less work.
///
/// In a grouped convolution a part takes in all input channels of the groups it touches, with zeros as weights of
/// the others: channels need no rearranging. Narrow parts touch fewer groups.
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

/// Cuts the output channels into parts of so many vectors.
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
            // SAFETY: parts' weights follow one another without overlap; each is packed once.
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
    // Block by block, so that what is written to from all columns stays in the first cache.
    for block in part.blocks(in_block) {
        // The part of the block that the inputs reach into.
        let start = (block * in_block).max(part.inputs.start);
        let end = ((block + 1) * in_block).min(part.inputs.end);
        let target = &mut target[(start - part.inputs.start) * taps * width..];
        for column in 0..part.channels {
            let out = part.block * lanes + column;
            let first_in = out / outs * ins;
            // Of the block, the channels of this column's group.
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
