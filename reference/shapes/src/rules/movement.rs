//! Operators that move values: Concat, Split, Slice, Pad, and blocks of images.

use super::arithmetic::with;
use super::elementwise::same;
use super::rearranged::{numbers, rearranged};
use super::{Row, row};
use crate::call::{Call, one};
use crate::constraint::Relation;
use crate::extent::{Expr, Operation};
use crate::fact::{Content, Fact, Shape};
use crate::finding::{Outcome, Stop, known, parameter};

pub(super) const ROWS: &[Row] = &[
    row("Concat", 1, concat),
    row("Split", 1, split_1),
    row("Split", 2, split),
    row("Slice", 1, slice),
    row("Pad", 1, pad),
    row("DepthToSpace", 1, |call| blocks(call, true)),
    row("SpaceToDepth", 1, |call| blocks(call, false)),
    row("CenterCropPad", 18, center_crop_pad),
    row("ReverseSequence", 10, reverse_sequence),
    row("Trilu", 14, |call| one(call.at_least_rank(0, 2)?)),
];

fn concat(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let (result, at) = concatenated(call, 0..call.inputs.len())?;
    let content = if at == 0 { joined(call) } else { None };
    Ok(vec![with(result, content.unwrap_or_default())])
}

/// The extents of these inputs behind each other, and the axis.
pub(super) fn concatenated(
    call: &mut Call<'_, '_>,
    inputs: impl Iterator<Item = usize>,
) -> Outcome<(Shape, usize)> {
    let known: Vec<Option<Shape>> = inputs.map(|at| call.shape(at).ok()).collect();
    let first = known.iter().flatten().next().cloned().ok_or(Stop::Unknown)?;
    // Version 1 has the default 1, which its schema does not state.
    let axis = call
        .int("axis")
        .or((call.since < 4).then_some(1))
        .ok_or(Stop::Unknown)?;
    let at = call.axis(axis, first.len())?;
    let (mut result, mut total) = (first, Expr::from(0));
    for shape in &known {
        let Some(shape) = shape else {
            total = call.unknown();
            continue;
        };
        if shape.len() != result.len() {
            let text = format!("ranks {} and {} differ", result.len(), shape.len());
            return crate::finding::wrong_rank(text);
        }
        for (other, extent) in shape.iter().enumerate().filter(|(other, _)| *other != at) {
            result[other] = call.equal(&result[other].clone(), extent, "extents beside the axis")?;
        }
        total = call.add(&total, &shape[at]);
    }
    if known.iter().any(Option::is_none) {
        total = call.unknown();
    }
    result[at] = call.simple(&total);
    Ok((result, at))
}

/// The elements of all inputs, of which at least some are known.
fn joined(call: &mut Call<'_, '_>) -> Option<Content> {
    let reals: Option<Vec<Vec<f64>>> = (0..call.inputs.len()).map(|at| call.reals(at).ok()).collect();
    if let Some(reals) = reals {
        let all = reals.concat();
        return (all.len() <= crate::fact::MAX_LIST).then_some(Content::Reals(all));
    }
    if !matches!(
        call.dtype(0),
        Some(onnx_tensor::DType::Int64 | onnx_tensor::DType::Int32)
    ) {
        return None;
    }
    let (mut list, mut some) = (Vec::new(), false);
    for at in 0..call.inputs.len() {
        if let Ok(part) = call.list(at) {
            some = true;
            list.extend(part);
            continue;
        }
        let shape = call.shape(at).ok()?;
        for _ in 0..call.is_short(&shape)? {
            list.push(call.state.symbols.unknown(i64::MIN, i64::MAX));
        }
    }
    (some && list.len() <= crate::fact::MAX_LIST).then_some(Content::Integers(list))
}

/// Split-1: the lengths are an attribute, or an input of the tensor's own type.
fn split_1(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let shape = call.shape(0)?;
    let at = call.axis_attribute(shape.len())?;
    if call.attribute("split").is_some() || !call.given(1) {
        return split(call);
    }
    let lengths = call.reals(1).ok();
    let parts = (0..call.outputs()).map(|part| {
        let mut shape = shape.clone();
        let length = lengths.as_ref().and_then(|lengths| lengths.get(part));
        shape[at] = match length {
            Some(&length) if length >= 0.0 => (length as i64).into(),
            _ => call.state.symbols.extent(),
        };
        Fact::of(shape)
    });
    Ok(parts.collect())
}

fn split(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let shape = call.shape(0)?;
    let at = call.axis_attribute(shape.len())?;
    let (extent, count) = (shape[at].clone(), call.outputs());
    let attribute = call.schema.attribute("split").is_some();
    let given = if attribute {
        call.attribute("split").is_some()
    } else {
        call.given(1)
    };
    if given && call.attribute("num_outputs").is_some() {
        return parameter("`split` and `num_outputs` are both given");
    }
    let lengths = if given {
        given_lengths(call, attribute, &extent)?
    } else {
        equal_lengths(call, &extent)?
    };
    if lengths.len() != count {
        return parameter(format!("{} lengths are given for {count} outputs", lengths.len()));
    }
    let list = if at == 0 && shape.len() == 1 {
        call.list(0).ok()
    } else {
        None
    };
    let mut start = Some(0);
    let mut parts = Vec::with_capacity(count);
    for length in lengths {
        let known = length.constant().and_then(|length| usize::try_from(length).ok());
        let end = start
            .zip(known)
            .and_then(|(start, length): (usize, usize)| start.checked_add(length));
        let part = start
            .zip(end)
            .and_then(|(start, end)| list.as_ref()?.get(start..end));
        let content = part.map_or(Content::Unknown, |part| Content::Integers(part.to_vec()));
        let mut shape = shape.clone();
        shape[at] = length;
        parts.push(with(shape, content));
        start = end;
    }
    Ok(parts)
}

fn given_lengths(call: &mut Call<'_, '_>, attribute: bool, extent: &Expr) -> Outcome<Vec<Expr>> {
    let lengths = if attribute {
        call.ints("split")
            .map(|list| list.into_iter().map(Expr::from).collect())
    } else {
        call.list(1).ok()
    };
    let lengths: Vec<Expr> = match lengths {
        Some(lengths) => lengths,
        None => return Ok(call.unknowns(call.outputs())),
    };
    if let Some(length) = lengths
        .iter()
        .filter_map(Expr::constant)
        .find(|&length| length < 0)
    {
        return parameter(format!("{length} is no length"));
    }
    let total = call.sum(&lengths);
    call.equal(&total, extent, "sum of lengths and extent")?;
    Ok(lengths)
}

/// Equal parts. With `num_outputs` the last one may be smaller.
fn equal_lengths(call: &mut Call<'_, '_>, extent: &Expr) -> Outcome<Vec<Expr>> {
    let count = call.outputs();
    let parts = i64::try_from(count).map_err(|_| Stop::Unknown)?;
    if call.schema.attribute("num_outputs").is_none() {
        let length = call.multiple(extent, &parts.into(), "an extent that is split into equal parts")?;
        return Ok(vec![length; count]);
    }
    match call.int("num_outputs") {
        Some(stated) if stated != parts => {
            return parameter(format!(
                "`num_outputs` is {stated}, but the node has {count} outputs"
            ));
        }
        Some(_) => {}
        None => return parameter("neither `split` nor `num_outputs` is given"),
    }
    let length = call.ceil_div(extent, parts);
    let before = call.mul(&length, &(parts - 1).into());
    let last = call.sub(extent, &before);
    call.at_least(&last, &0.into(), "the length of the last part")?;
    let mut lengths = vec![length; count.saturating_sub(1)];
    lengths.push(last);
    Ok(lengths)
}

/// An end that no extent exceeds.
const OPEN: i64 = i32::MAX as i64;

fn slice(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let shape = call.shape(0)?;
    let old = call.schema.attribute("starts").is_some();
    let list = |call: &mut Call<'_, '_>, at: usize, name: &str| -> Outcome<Vec<Option<Expr>>> {
        if old {
            let list = call.ints(name).ok_or(Stop::Unknown)?;
            Ok(list.into_iter().map(|value| Some(value.into())).collect())
        } else {
            super::reshaping::listed(call, at, "")
        }
    };
    let open = |call: &mut Call<'_, '_>| {
        let most = shape.clone();
        most.iter().map(|extent| call.up_to(extent)).collect::<Shape>()
    };
    let (Ok(starts), Ok(ends)) = (list(call, 1, "starts"), list(call, 2, "ends")) else {
        let open = open(call);
        return one(open);
    };
    let has_axes = if old {
        call.attribute("axes").is_some()
    } else {
        call.given(3)
    };
    let axes = match (has_axes, old) {
        (false, _) => Ok(Some((0..starts.len() as i64).collect())),
        (true, _) => call.numbers_of("axes", 3),
    };
    let Ok(Some(axes)) = axes else {
        let open = open(call);
        return one(open);
    };
    let steps = if !old && call.given(4) {
        list(call, 4, "").unwrap_or_else(|_| vec![None; starts.len()])
    } else {
        vec![Some(1.into()); starts.len()]
    };
    if [ends.len(), axes.len(), steps.len()] != [starts.len(); 3] {
        return parameter("starts, ends, axes and steps have different lengths");
    }
    let mut result = shape.clone();
    let axes = call.axes(&axes, shape.len())?;
    for (place, &at) in axes.iter().enumerate() {
        result[at] = match (&starts[place], &ends[place], &steps[place]) {
            (_, _, Some(step)) if step.is(0) => return parameter("a step is 0"),
            (Some(start), Some(end), Some(step)) => match named_by(call, &shape[at], [start, end, step]) {
                Some(count) => count,
                None => {
                    let arguments = [shape[at].clone(), start.clone(), end.clone(), step.clone()];
                    call.apply(Operation::Slice, arguments)
                }
            },
            _ => call.up_to(&shape[at]),
        };
    }
    let content = sliced_elements(call, &result, &axes, [&starts, &steps]).unwrap_or_default();
    Ok(vec![with(result, content)])
}

/// The number of elements that a slice names, where inputs are assumed to be long enough.
fn named_by(call: &mut Call<'_, '_>, extent: &Expr, [start, end, step]: [&Expr; 3]) -> Option<Expr> {
    if !call.state.assumes || !step.is(1) || extent.constant().is_some() {
        return None;
    }
    let (count, least) = match (start.constant()?, end.constant()?) {
        (start @ ..=-1, OPEN..) => (start.checked_neg()?, start.checked_neg()?),
        (start @ 0.., end @ 1..OPEN) if start < end => (end - start, end),
        _ => return None,
    };
    let relation = Relation::AtLeast(call.simple(extent), least.into());
    call.state.require(&call.cause, "elements of a slice", relation);
    Some(count.into())
}

/// The elements that a slice selects, if its bounds are numbers.
fn sliced_elements(
    call: &mut Call<'_, '_>,
    result: &[Expr],
    axes: &[usize],
    [starts, steps]: [&[Option<Expr>]; 2],
) -> Option<Content> {
    let shape = numbers(&call.shape(0).ok()?)?;
    let mut lines: Vec<(i64, i64)> = vec![(0, 1); shape.len()];
    for (place, &axis) in axes.iter().enumerate() {
        let number = |list: &[Option<Expr>]| list.get(place)?.as_ref()?.constant();
        let (start, step) = (number(starts)?, number(steps)?);
        let extent = *shape.get(axis)?;
        let front = if start < 0 {
            start.saturating_add(extent)
        } else {
            start
        };
        let first = match step {
            1.. => front.clamp(0, extent),
            _ => front.min(extent - 1).max(0),
        };
        *lines.get_mut(axis)? = (first, step);
    }
    rearranged(call, result, |index| {
        let along = |(at, (first, step)): (&i64, &(i64, i64))| first.saturating_add(at.saturating_mul(*step));
        index.iter().zip(&lines).map(along).collect()
    })
}

pub(super) fn pad(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let shape = call.shape(0)?;
    let name = if call.since == 1 { "paddings" } else { "pads" };
    let pads = if call.schema.attribute(name).is_some() {
        call.ints(name)
            .map(|list| list.into_iter().map(Expr::from).collect::<Vec<_>>())
    } else {
        call.list(1).ok()
    };
    let axes = if call.given(3) {
        call.numbers(3).ok()
    } else {
        Some((0..shape.len() as i64).collect())
    };
    let Some((pads, axes)) = pads.zip(axes) else {
        let open = call.unknowns(shape.len());
        return one(open);
    };
    if pads.len() != 2 * axes.len() {
        return parameter(format!("{} pads are given for {} axes", pads.len(), axes.len()));
    }
    let mut result = shape.clone();
    for (place, at) in call.axes(&axes, shape.len())?.into_iter().enumerate() {
        let pads = [&pads[place], &pads[place + axes.len()]];
        let mut left = shape[at].clone();
        for pad in pads {
            usual_source(call, &shape[at], pad);
            if let Some(removed) = pad.constant().filter(|pad| *pad < 0) {
                left = call.add(&left, &removed.into());
                call.at_least(&left, &0.into(), "what negative pads leave")?;
            }
        }
        let with_begin = call.add(&shape[at], pads[0]);
        result[at] = call.add(&with_begin, pads[1]);
        call.at_least(&result[at].clone(), &0.into(), "an extent with its pads")?;
    }
    one(result)
}

/// Elements that are repeated come from the tensor once: most implementations demand it.
fn usual_source(call: &mut Call<'_, '_>, extent: &Expr, pad: &Expr) {
    if call.state.symbols.bounds(pad).0 <= 0 {
        return;
    }
    let least = match call.text("mode").as_deref() {
        Some("reflect") => call.add(pad, &1.into()),
        Some("wrap") => pad.clone(),
        Some("edge") => 1.into(),
        _ => return,
    };
    let extent = call.simple(extent);
    if extent.constant().is_none() {
        call.prefer("an extent that is padded", extent, least);
    }
}

/// DepthToSpace and its inverse: channels by the elements of a block, rows and columns by its sides.
fn blocks(call: &mut Call<'_, '_>, to_space: bool) -> Outcome<Vec<Fact>> {
    let [images, channels, rows, columns] = call.ranked::<4>(0)?;
    let block = call.int("blocksize").ok_or(Stop::Unknown)?;
    if block < 1 {
        return parameter(format!("`blocksize` is {block}"));
    }
    let block = Expr::from(block);
    let square = call.mul(&block, &block);
    let shape = if to_space {
        vec![
            images,
            call.multiple(&channels, &square, "channels of blocks")?,
            call.mul(&rows, &block),
            call.mul(&columns, &block),
        ]
    } else {
        vec![
            images,
            call.mul(&channels, &square),
            call.multiple(&rows, &block, "rows of blocks")?,
            call.multiple(&columns, &block, "columns of blocks")?,
        ]
    };
    one(shape)
}

fn center_crop_pad(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let mut shape = call.shape(0)?;
    let axes = call
        .ints("axes")
        .unwrap_or_else(|| (0..shape.len() as i64).collect());
    let wanted = super::reshaping::listed(call, 1, "")?;
    if wanted.len() != axes.len() {
        return parameter(format!(
            "{} extents are given for {} axes",
            wanted.len(),
            axes.len()
        ));
    }
    for (at, wanted) in call.axes(&axes, shape.len())?.into_iter().zip(wanted) {
        shape[at] = wanted.unwrap_or_else(|| call.state.symbols.extent());
    }
    one(shape)
}

fn reverse_sequence(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let shape = call.at_least_rank(0, 2)?;
    let [batch, time] =
        [("batch_axis", 1), ("time_axis", 0)].map(|(name, usual)| call.int(name).unwrap_or(usual));
    if !matches!((batch, time), (0, 1) | (1, 0)) {
        return parameter(format!(
            "`batch_axis` {batch} and `time_axis` {time} must be 0 and 1"
        ));
    }
    let batch = call.axis(batch, shape.len())?;
    if let Some(length) = known(call.length(1))? {
        call.equal(&length, &shape[batch], "number of lengths and batch")?;
    }
    same(call)
}
