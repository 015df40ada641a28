//! The pattern: two grouped 1 × 1 convolutions with a channel shuffle and a depthwise convolution in between.

use native_kernels::conv::{ConvShape, Depthwise, Interleaved};

use super::order::{Order, take_turns};
use crate::ir::{Fused, Op};
use crate::kernels::{Device, shape_of};
use crate::ops::numbers::slice;
use crate::passes::pattern::Around;

/// A convolution of a unit.
pub struct Member {
    /// The position among the nodes.
    pub at: usize,
    pub shape: ConvShape,
    pub weights: Vec<f32>,
    pub bias: Option<Vec<f32>>,
}

/// The four nodes of a match.
pub struct Unit {
    pub first: Member,
    /// The position of the shuffle.
    pub shuffle: usize,
    pub depthwise: Member,
    pub second: Member,
    /// The order in which the groups of the second are interleaved, as channels after the shuffle.
    pub turns: Order,
    /// The same order as channels of the first.
    pub sources: Order,
}

/// Returns the unit that ends with this node, if kernels support its replacement.
pub fn find(around: &Around, at: usize, device: &Device) -> Option<Unit> {
    let second = member(around, at)?;
    let before = |at: usize| around.sole_producer(around.graph.nodes[at].input(0)?);
    let depthwise = member(around, before(at)?.0).filter(|found| Depthwise::fits(&found.shape))?;
    let (shuffle, node) = before(depthwise.at)?;
    let first = member(around, before(shuffle)?.0)?;
    let Op::Fused(Fused::Rearrange(moved)) = &node.op else {
        return None;
    };
    let channels = second.shape.in_channels;
    let whole = [
        first.shape.out_channels,
        depthwise.shape.out_channels,
        moved.len(),
    ] == [channels; 3];
    let adds = |found: &Member| around.graph.nodes[found.at].input(3).is_some();
    if !whole || node.inputs.len() != 1 || adds(&first) || adds(&depthwise) {
        return None;
    }
    let turns = take_turns(channels, second.shape.groups);
    let sources: Order = turns.iter().map(|&channel| moved[channel]).collect();
    let outs = take_turns(second.shape.out_channels, second.shape.groups);
    let fits = |shape: &ConvShape, outs: &[usize]| {
        shape.groups > 1 && Interleaved::fits(device.pool.isa(), shape, &groups_of(shape, outs))
    };
    (fits(&first.shape, &sources) && fits(&second.shape, &outs)).then_some(Unit {
        first,
        shuffle,
        depthwise,
        second,
        turns,
        sources,
    })
}

/// Returns the group of each output channel.
pub fn groups_of(shape: &ConvShape, outs: &[usize]) -> Vec<usize> {
    let each = (shape.out_channels / shape.groups).max(1);
    outs.iter().map(|out| out / each).collect()
}

/// Returns a convolution with known shapes and constant weights whose groups divide the channels.
fn member(around: &Around, at: usize) -> Option<Member> {
    let graph = around.graph;
    let node = graph.nodes.get(at)?;
    let Op::Fused(Fused::Convolution(inner)) = &node.op else {
        return None;
    };
    let [x, w] = [0, 1].map(|position| graph.shape_of(node.input(position)?));
    let shape = shape_of(&inner.operator, &x?, &w?).ok()??;
    let divides = |channels: usize| channels > 0 && channels.is_multiple_of(shape.groups);
    let sound = shape.groups > 0 && divides(shape.in_channels) && divides(shape.out_channels);
    let known = |position: usize, count: usize| {
        let values = slice::<f32>(graph.constant(node.input(position)?)?).ok()?;
        (values.len() == count).then(|| values.to_vec())
    };
    let taps = shape.window.kernel.iter().product::<usize>();
    let per_group = shape.in_channels / shape.groups.max(1);
    let weights = known(1, shape.out_channels.checked_mul(per_group)?.checked_mul(taps)?)?;
    let bias = match node.input(2) {
        Some(_) => Some(known(2, shape.out_channels)?),
        None => None,
    };
    sound.then_some(Member {
        at,
        shape,
        weights,
        bias,
    })
}
