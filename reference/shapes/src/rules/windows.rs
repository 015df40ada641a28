//! Convolutions and pooling.

use super::quantization::single;
use super::{Row, row};
use crate::call::{Call, one};
use crate::extent::{Expr, Operation};
use crate::fact::{Fact, Shape};
use crate::finding::{Outcome, Stop, known, parameter, wrong_rank};

pub(super) const ROWS: &[Row] = &[
    row("Conv", 1, |call| conv(call, 1, Some(2))),
    row("ConvInteger", 10, |call| {
        single(call, &[2])?;
        of_filters(call, 1, &[3])?;
        conv(call, 1, None)
    }),
    row("QLinearConv", 10, |call| {
        single(call, &[1, 2, 6, 7])?;
        of_filters(call, 3, &[4, 5])?;
        conv(call, 3, Some(8))
    }),
    row("ConvTranspose", 1, |call| conv_transpose(call, 2, None)),
    row("DeformConv", 19, deform_conv),
    row("CausalConvWithState", 27, causal_conv),
    row("AveragePool", 1, pool),
    row("LpPool", 1, pool),
    row("MaxPool", 1, pool),
    row("GlobalAveragePool", 1, |call| {
        one(global_pool(&call.at_least_rank(0, 2)?))
    }),
    row("GlobalLpPool", 1, |call| {
        one(global_pool(&call.at_least_rank(0, 2)?))
    }),
    row("GlobalMaxPool", 1, |call| {
        one(global_pool(&call.at_least_rank(0, 2)?))
    }),
    row("MaxUnpool", 9, max_unpool),
    row("Col2Im", 18, super::blocks::col2im),
];

/// The windows along the spatial axes, from the attributes.
pub(super) struct Windows {
    pub strides: Vec<i64>,
    pub dilations: Vec<i64>,
    pub padding: Padding,
    ceil: bool,
}

pub(super) enum Padding {
    Explicit(Vec<i64>),
    Same,
}

impl Windows {
    pub fn read(call: &Call<'_, '_>, rank: usize) -> Outcome<Windows> {
        let entries = |name: &str, count: usize, least: i64| -> Outcome<Vec<i64>> {
            let Some(entries) = call.attribute(name).and_then(|_| call.ints(name)) else {
                return Ok(vec![least; count]);
            };
            if entries.len() != count {
                let found = entries.len();
                return parameter(format!(
                    "`{name}` has {found} entries, expected {count} for {rank} spatial axes"
                ));
            }
            match entries
                .iter()
                .find(|&&entry| entry < least || entry > i64::from(i32::MAX))
            {
                Some(entry) => parameter(format!(
                    "`{name}` has the entry {entry}, expected {least} to {}",
                    i32::MAX
                )),
                None => Ok(entries),
            }
        };
        let pads = entries("pads", 2 * rank, 0)?;
        let is_auto = call.text("auto_pad").is_some_and(|text| text != "NOTSET");
        if is_auto && pads.iter().any(|pad| *pad != 0) {
            return parameter("`auto_pad` and `pads` are mutually exclusive");
        }
        let padding = match call.text("auto_pad").as_deref() {
            None | Some("NOTSET") => Padding::Explicit(pads),
            Some("VALID") => Padding::Explicit(vec![0; 2 * rank]),
            Some("SAME_UPPER" | "SAME_LOWER") => Padding::Same,
            Some(other) => return parameter(format!("`auto_pad` is `{other}`")),
        };
        let valid = call.text("auto_pad").as_deref() == Some("VALID");
        Ok(Windows {
            strides: entries("strides", rank, 1)?,
            dilations: entries("dilations", rank, 1)?,
            padding,
            ceil: call.flag("ceil_mode") && !valid,
        })
    }

    /// The number of windows along an axis.
    fn count(&self, call: &mut Call<'_, '_>, at: usize, extent: &Expr, kernel: &Expr) -> Outcome<Expr> {
        let stride = self.strides[at];
        let Padding::Explicit(pads) = &self.padding else {
            return Ok(call.ceil_div(extent, stride));
        };
        let (begin, end) = (pads[at], pads[at + pads.len() / 2]);
        let span = span(call, kernel, self.dilations[at]);
        let padded = call.add(extent, &(begin + end).into());
        let room = call.sub(&padded, &span);
        let more = call.add(&room, &stride.into());
        if call.at_least(&more, &0.into(), "room for a window").is_err() {
            let (padded, span) = (call.shown(&padded), call.shown(&span));
            return parameter(format!(
                "a window of {span} is larger than the padded extent {padded}"
            ));
        }
        if self.ceil {
            let arguments = [extent.clone(), begin.into(), end.into(), span, stride.into()];
            return Ok(call.apply(Operation::CeilInside, arguments));
        }
        Ok(call.floor_div(&more, &stride.into()))
    }

    pub fn counts(&self, call: &mut Call<'_, '_>, extents: &[Expr], kernel: &[Expr]) -> Outcome<Shape> {
        let pairs = extents.iter().zip(kernel).enumerate();
        pairs
            .map(|(at, (extent, kernel))| self.count(call, at, extent, kernel))
            .collect()
    }
}

/// (kernel − 1) · dilation + 1.
fn span(call: &mut Call<'_, '_>, kernel: &Expr, dilation: i64) -> Expr {
    let steps = call.sub(kernel, &1.into());
    let steps = call.mul(&steps, &dilation.into());
    call.add(&steps, &1.into())
}

/// Image and filters of one rank with a batch and a channel axis.
pub(super) fn image_and_filters(call: &mut Call<'_, '_>, filters: usize) -> Outcome<(Shape, Shape)> {
    let x = call.at_least_rank(0, 3);
    let w = call.at_least_rank(filters, 3);
    let (x, w) = (x?, w?);
    if x.len() == w.len() {
        Ok((x, w))
    } else {
        wrong_rank(format!(
            "an image of rank {} and filters of rank {} differ",
            x.len(),
            w.len()
        ))
    }
}

/// The attribute `kernel_shape` must equal the extents of the filters.
fn agreeing_kernel(call: &mut Call<'_, '_>, kernel: &[Expr]) -> Outcome<()> {
    if call.attribute("kernel_shape").is_some()
        && let Some(stated) = call.ints("kernel_shape")
    {
        let stated: Shape = stated.into_iter().map(Expr::from).collect();
        call.same_shape(&stated, kernel, "extents of `kernel_shape` and the filters,")?;
    }
    Ok(())
}

/// A positive attribute: groups or heads.
pub(super) fn positive(call: &Call<'_, '_>, name: &str) -> Outcome<i64> {
    match call.int(name) {
        Some(value @ 1..) => Ok(value),
        Some(other) => parameter(format!("`{name}` is {other}")),
        None => Err(Stop::Unknown),
    }
}

/// A bias has one element for each channel of the result.
pub(super) fn bias(call: &mut Call<'_, '_>, at: usize, channels: &Expr) -> Outcome<()> {
    if call.given(at)
        && let Ok(length) = match call.ranked::<1>(at) {
            Err(stop @ Stop::Broken(..)) => return Err(stop),
            known => known,
        }
    {
        call.equal(
            &length[0],
            channels,
            "elements of the bias and channels of the result,",
        )?;
    }
    Ok(())
}

/// A scale or zero point of filters has one element, or one for each of them.
pub(super) fn of_filters(call: &mut Call<'_, '_>, filters: usize, inputs: &[usize]) -> Outcome<()> {
    let Some(filters) = known(call.at_least_rank(filters, 3))? else {
        return Ok(());
    };
    for &at in inputs {
        let Some(shape) = known(call.shape(at))? else {
            continue;
        };
        match (call.product(&shape).constant(), shape.as_slice()) {
            (None | Some(1), _) => {}
            (_, [count]) => drop(call.equal(count, &filters[0], "scales or zero points and filters,")?),
            _ => return call.wrong_rank(at, shape.len(), "1"),
        }
    }
    Ok(())
}

fn conv(call: &mut Call<'_, '_>, filters: usize, bias_at: Option<usize>) -> Outcome<Vec<Fact>> {
    let (x, w) = image_and_filters(call, filters)?;
    one(convolved(call, (&x, &w), bias_at)?)
}

/// The extents of a convolution of an image with its channels first.
pub(super) fn convolved(
    call: &mut Call<'_, '_>,
    (x, w): (&[Expr], &[Expr]),
    bias_at: Option<usize>,
) -> Outcome<Shape> {
    let groups = positive(call, "group")?.into();
    let channels = call.mul(&w[1], &groups);
    call.equal(&x[1], &channels, "channels of the image and of the filters,")?;
    call.multiple(&w[0], &groups, "filters of all groups")?;
    agreeing_kernel(call, &w[2..])?;
    if let Some(at) = bias_at {
        bias(call, at, &w[0])?;
    }
    let windows = Windows::read(call, x.len() - 2)?;
    let mut shape = vec![x[0].clone(), w[0].clone()];
    shape.extend(windows.counts(call, &x[2..], &w[2..])?);
    Ok(shape)
}

/// The bias and, if the node may have them as an input, the pads are at these inputs.
pub(super) fn conv_transpose(
    call: &mut Call<'_, '_>,
    bias_at: usize,
    pads_at: Option<usize>,
) -> Outcome<Vec<Fact>> {
    let (x, w) = image_and_filters(call, 1)?;
    let groups: Expr = positive(call, "group")?.into();
    call.equal(&x[1], &w[0], "channels of the image and filters,")?;
    call.multiple(&x[1], &groups, "channels of all groups")?;
    agreeing_kernel(call, &w[2..])?;
    let maps = call.mul(&w[1], &groups);
    bias(call, bias_at, &maps)?;
    let rank = x.len() - 2;
    let mut windows = Windows::read(call, rank)?;
    if let Some(at) = pads_at.filter(|&at| call.given(at)) {
        match known(call.numbers(at))? {
            Some(pads) if pads.len() == 2 * rank => windows.padding = Padding::Explicit(pads),
            Some(pads) => return parameter(format!("{} pads are given for {rank} axes", pads.len())),
            None => {
                let sides = call.unknowns(rank);
                return one([&[x[0].clone(), maps][..], &sides].concat());
            }
        }
    }
    let wanted = call
        .attribute("output_shape")
        .and_then(|_| call.ints("output_shape"));
    if let Some(wanted) = &wanted
        && wanted.len() != rank
        && wanted.len() != rank + 2
    {
        return parameter(format!(
            "`output_shape` has {} entries for {rank} spatial axes",
            wanted.len()
        ));
    }
    let extra = call
        .attribute("output_padding")
        .and_then(|_| call.ints("output_padding"));
    if let Some(extra) = extra.as_ref().filter(|extra| extra.len() != rank) {
        return parameter(format!(
            "`output_padding` has {} entries for {rank} spatial axes",
            extra.len()
        ));
    }
    let mut shape = vec![x[0].clone(), maps];
    for at in 0..rank {
        let (extent, kernel, stride) = (&x[at + 2], &w[at + 2], windows.strides[at]);
        if let Some(wanted) = &wanted {
            shape.push(wanted[wanted.len() - rank + at].into());
            continue;
        }
        let Padding::Explicit(pads) = &windows.padding else {
            shape.push(call.mul(extent, &stride.into()));
            continue;
        };
        let removed = pads[at].saturating_add(pads[at + rank]);
        let added = extra.as_ref().map_or(0, |extra| extra[at]);
        let steps = call.sub(extent, &1.into());
        let steps = call.mul(&steps, &stride.into());
        let span = span(call, kernel, windows.dilations[at]);
        let whole = call.add(&steps, &span);
        let result = call.add(&whole, &added.saturating_sub(removed).into());
        call.at_least(&result, &0.into(), "an extent of the result")?;
        shape.push(result);
    }
    one(shape)
}

fn deform_conv(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let (x, w) = image_and_filters(call, 1)?;
    let groups = positive(call, "group")?.into();
    let channels = call.mul(&w[1], &groups);
    call.equal(&x[1], &channels, "channels of the image and of the filters,")?;
    agreeing_kernel(call, &w[2..])?;
    bias(call, 3, &w[0])?;
    let windows = Windows::read(call, x.len() - 2)?;
    let mut shape = vec![x[0].clone(), w[0].clone()];
    shape.extend(windows.counts(call, &x[2..], &w[2..])?);
    if let Ok(offset) = call.shape(2) {
        if offset.len() != shape.len() {
            return call.wrong_rank(2, offset.len(), &shape.len().to_string());
        }
        let agreed = call.same_shape(
            &shape[2..],
            &offset[2..],
            "extents of the offsets and of the result,",
        )?;
        shape.splice(2.., agreed);
        offsets(call, (&x, &w), &shape, &offset)?;
    }
    one(shape)
}

/// An offset has two numbers for each element of a kernel and group; a mask has one.
fn offsets(
    call: &mut Call<'_, '_>,
    (x, w): (&[Expr], &[Expr]),
    result: &[Expr],
    offset: &[Expr],
) -> Outcome<()> {
    let groups: Expr = positive(call, "offset_group")?.into();
    call.equal(&offset[0], &x[0], "batches of the offsets and of the image,")?;
    call.multiple(&x[1], &groups, "channels of all groups of offsets")?;
    let taps = call.product(&w[2..]);
    let taps = call.mul(&taps, &groups);
    let numbers = call.mul(&taps, &(w.len() as i64 - 2).into());
    call.equal(
        &offset[1],
        &numbers,
        "channels of the offsets and numbers of all taps,",
    )?;
    if let Some(mask) = known(call.shape(4))? {
        let expected = [&[x[0].clone(), taps][..], &result[2..]].concat();
        call.same_shape(&mask, &expected, "extents of the mask and of the taps,")?;
    }
    Ok(())
}

/// The result has the extents of the input; the state has one position less than the kernel.
pub(super) fn causal_conv(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let [batch, channels, length] = call.ranked::<3>(0)?;
    let x = vec![batch.clone(), channels.clone(), length];
    let Some([kernels, depth, taps]) = known(call.ranked::<3>(1))? else {
        return one(x);
    };
    call.equal(&kernels, &channels, "kernels and channels")?;
    call.equal(&depth, &1.into(), "channels of a kernel and 1,")?;
    bias(call, 2, &channels)?;
    let taps = call.sub(&taps, &1.into());
    let state = vec![batch, channels, taps];
    if let Ok(past) = call.shape(3) {
        call.same_shape(&past, &state, "extents of the past and of the state,")?;
    }
    Ok(vec![Fact::of(x), Fact::of(state)])
}

fn pool(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let x = call.at_least_rank(0, 3)?;
    let shape = pooled(call, &x)?;
    // The second output of MaxPool has the positions.
    Ok(vec![Fact::of(shape); call.outputs().min(2)])
}

/// The extents of the windows of an image with its channels first.
pub(super) fn pooled(call: &mut Call<'_, '_>, x: &[Expr]) -> Outcome<Shape> {
    let kernel = call.ints("kernel_shape").ok_or(Stop::Unknown)?;
    let rank = x.len() - 2;
    if kernel.len() != rank {
        return parameter(format!(
            "`kernel_shape` has {} entries for {rank} spatial axes",
            kernel.len()
        ));
    }
    if let Some(extent) = kernel.iter().find(|&&extent| extent < 1) {
        return parameter(format!("`kernel_shape` has the entry {extent}"));
    }
    let kernel: Shape = kernel.into_iter().map(Expr::from).collect();
    let windows = Windows::read(call, rank)?;
    let mut shape = x[..2].to_vec();
    shape.extend(windows.counts(call, &x[2..], &kernel)?);
    Ok(shape)
}

/// The extents of an image, channels first, whose planes become one element.
pub(super) fn global_pool(x: &[Expr]) -> Shape {
    let mut shape = x[..2].to_vec();
    shape.resize(x.len(), 1.into());
    shape
}

/// The extents that pooling maps to those of the input, or those that are given.
fn max_unpool(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let x = call.at_least_rank(0, 3)?;
    if let Ok(indices) = call.shape(1) {
        call.same_shape(&x, &indices, "extents of the values and of their positions,")?;
    }
    let kernel = call.ints("kernel_shape").ok_or(Stop::Unknown)?;
    let rank = x.len() - 2;
    if kernel.len() != rank {
        return parameter(format!(
            "`kernel_shape` has {} entries for {rank} spatial axes",
            kernel.len()
        ));
    }
    let windows = Windows::read(call, rank)?;
    if call.given(2) {
        let listed = super::reshaping::listed(call, 2, "")?;
        if listed.len() != x.len() {
            return parameter(format!(
                "`output_shape` has {} extents for rank {}",
                listed.len(),
                x.len()
            ));
        }
        let extent = |extent: Option<Expr>| extent.unwrap_or_else(|| call.state.symbols.extent());
        return one(listed.into_iter().map(extent).collect());
    }
    let mut shape = x[..2].to_vec();
    for at in 0..rank {
        let pads = match &windows.padding {
            Padding::Explicit(pads) => pads[at] + pads[at + rank],
            Padding::Same => 0,
        };
        let steps = call.sub(&x[at + 2], &1.into());
        let steps = call.mul(&steps, &windows.strides[at].into());
        shape.push(call.add(&steps, &kernel[at].saturating_sub(pads).into()));
    }
    one(shape)
}
