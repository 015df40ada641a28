//! Convolutions, pooling and other operators on images, also with their channels last.

use onnx_schema::{AttributeSchema, DefaultValue};

use super::super::windows::{
    bias, causal_conv, conv_transpose, convolved, global_pool, image_and_filters, of_filters, pooled,
    positive,
};
use super::super::{Row, image, row};
use super::{single, vector};
use crate::call::{Call, one};
use crate::extent::Expr;
use crate::fact::{Fact, Shape};
use crate::finding::{Outcome, Stop, known, parameter};

pub(super) const ROWS: &[Row] = &[
    row("CausalConvWithState", 1, causal),
    row("ConvTransposeWithDynamicPads", 1, |call| {
        conv_transpose(call, 3, Some(2))
    }),
    row("CropAndResize", 1, crop_and_resize),
    row("FusedConv", 1, |call| conv(call, Layout::First)),
    row("GridSample", 1, image::grid_sample),
    row("GroupNorm", 1, |call| one(group_norm(call)?)),
    row("MaxpoolWithMask", 1, |call| {
        let x = call.at_least_rank(0, 3)?;
        one(pooled(call, &x)?)
    }),
    row("NhwcConv", 1, |call| conv(call, Layout::Last)),
    row("NhwcFusedConv", 1, |call| conv(call, Layout::Last)),
    row("NhwcMaxPool", 1, |call| {
        let x = call.at_least_rank(0, 3)?;
        let shape = pooled(call, &Layout::Last.to_first(x))?;
        one(Layout::Last.restored(shape))
    }),
    row("QLinearAveragePool", 1, |call| {
        single(call, &[1, 2, 3, 4])?;
        let (layout, x) = (Layout::of(call), call.at_least_rank(0, 3)?);
        let shape = pooled(call, &layout.to_first(x))?;
        one(layout.restored(shape))
    }),
    row("QLinearConv", 1, quantized_conv),
    row("QLinearGlobalAveragePool", 1, |call| {
        single(call, &[1, 2, 3, 4])?;
        let (layout, x) = (Layout::of(call), call.at_least_rank(0, 2)?);
        one(layout.restored(global_pool(&layout.to_first(x))))
    }),
    row("SkipGroupNorm", 1, skip_group_norm),
];

pub(in super::super) const STANDARD: &[Row] = &[row("EfficientNMS_TRT", 1, efficient_nms)];

/// Where the channels of an image are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Layout {
    First,
    Last,
}

impl Layout {
    /// By the attribute `channels_last`.
    fn of(call: &Call<'_, '_>) -> Layout {
        if call.flag("channels_last") {
            Layout::Last
        } else {
            Layout::First
        }
    }

    /// The extents with the channels as the second axis.
    fn to_first(self, mut shape: Shape) -> Shape {
        if self == Layout::Last {
            shape[1..].rotate_right(1);
        }
        shape
    }

    fn restored(self, mut shape: Shape) -> Shape {
        if self == Layout::Last {
            shape[1..].rotate_left(1);
        }
        shape
    }
}

/// The filters have the layout of ONNX; an addend has the extents of the result.
fn conv(call: &mut Call<'_, '_>, layout: Layout) -> Outcome<Vec<Fact>> {
    let (x, w) = image_and_filters(call, 1)?;
    let shape = convolved(call, (&layout.to_first(x), &w), Some(2))?;
    let shape = layout.restored(shape);
    match known(call.shape(3))? {
        Some(addend) => one(call.same_shape(&addend, &shape, "extents of the addend and of the result,")?),
        None => one(shape),
    }
}

/// Each filter may have a scale and a zero point.
fn quantized_conv(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let layout = Layout::of(call);
    let (x, w) = image_and_filters(call, 3)?;
    single(call, &[1, 2, 6, 7])?;
    of_filters(call, 3, &[4, 5])?;
    let shape = convolved(call, (&layout.to_first(x), &w), Some(8))?;
    one(layout.restored(shape))
}

/// As CausalConvWithState of ONNX, unless an attribute that ONNX does not have differs from its default.
fn causal(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let of_onnx = onnx_schema::versions("", call.schema.name).last();
    let mut beyond = of_onnx
        .into_iter()
        .flat_map(|schema| call.schema.attributes_beyond(schema));
    let is_default = |attribute: &AttributeSchema| match attribute.default {
        Some(DefaultValue::Int(value)) => call.int(attribute.name) == Some(value),
        _ => call.attribute(attribute.name).is_none(),
    };
    if beyond.all(is_default) {
        causal_conv(call)
    } else {
        Err(Stop::Unknown)
    }
}

/// One image of the given size for each region.
fn crop_and_resize(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let [images, channels, _, _] = call.ranked::<4>(0)?;
    let mut count = None;
    if let Some([regions, four]) = known(call.ranked::<2>(1))? {
        call.equal(&four, &4.into(), "numbers of a region and 4,")?;
        count = Some(regions);
    }
    if let Some(numbers) = known(call.length(2))? {
        count = Some(match count {
            Some(regions) => call.equal(&regions, &numbers, "regions and batch indices,")?,
            None => numbers,
        });
    }
    call.indices(2, &0.into(), &images)?;
    let sides = match known(call.list(3))? {
        Some(sides) if sides.len() == 2 => sides,
        Some(sides) => return parameter(format!("`crop_size` has {} elements, expected 2", sides.len())),
        None => call.unknowns(2),
    };
    for side in &sides {
        call.at_least(side, &1.into(), "a side of `crop_size`")?;
    }
    let count = count.unwrap_or_else(|| call.state.symbols.extent());
    one([&[count, channels][..], &sides].concat())
}

/// Scale and shift have one element for each channel.
fn group_norm(call: &mut Call<'_, '_>) -> Outcome<Shape> {
    let x = call.ranked::<4>(0)?.to_vec();
    let channels = channels(call, &x);
    let groups: Expr = positive(call, "groups")?.into();
    call.multiple(&channels, &groups, "channels of all groups")?;
    for at in [1, 2] {
        vector(call, at, &channels, "elements of a parameter and channels,")?;
    }
    Ok(x)
}

fn channels(call: &Call<'_, '_>, image: &[Expr]) -> Expr {
    image[if call.flag("channels_last") { 3 } else { 1 }].clone()
}

/// What is added broadcasts to the image, or has a number for each image and channel.
fn skip_group_norm(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let x = group_norm(call)?;
    let channels = channels(call, &x);
    match known(call.shape(3))? {
        None => {}
        Some(skip) if skip.len() == 2 => {
            let expected = [x[0].clone(), channels.clone()];
            call.broadcast_to(&expected, &skip)?;
        }
        Some(skip) => call.broadcast_to(&x, &skip)?,
    }
    bias(call, 4, &channels)?;
    Ok(vec![Fact::of(x.clone()), Fact::of(x)])
}

/// The number of boxes of each image, and as many boxes, scores and classes as there may be.
fn efficient_nms(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let [batch, boxes, _] = call.ranked::<3>(1)?;
    if let Some(shape) = known(call.at_least_rank(0, 3))? {
        call.equal(&shape[0], &batch, "batches of boxes and scores")?;
        call.equal(&shape[1], &boxes, "boxes and scores of a class,")?;
    }
    let most: Expr = positive(call, "max_output_boxes")?.into();
    let of_each = vec![batch.clone(), most.clone()];
    let corners = vec![batch.clone(), most, 4.into()];
    let count = vec![batch, 1.into()];
    Ok([count, corners, of_each.clone(), of_each].map(Fact::of).to_vec())
}
