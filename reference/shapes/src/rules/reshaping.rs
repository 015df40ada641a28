//! Operators that keep or repeat elements: Reshape, Flatten, Squeeze, Unsqueeze, Expand, Tile, Transpose.
//!
//! Reshape before `allowzero` copies an extent where the list has 0. An extent that is computed and is not
//! a number is taken to be no such 0.

use super::arithmetic::{source, with};
use super::rearranged::rearranged;
use super::{Row, row};
use crate::call::{Call, MAX_RANK, one};
use crate::extent::Expr;
use crate::fact::{Content, Fact, Shape};
use crate::finding::{Outcome, Stop, conflict, known, parameter};

pub(super) const ROWS: &[Row] = &[
    row("Reshape", 1, reshape),
    row("Flatten", 1, flatten),
    row("Squeeze", 1, squeeze),
    row("Unsqueeze", 1, unsqueeze),
    row("Expand", 8, expand),
    row("Tile", 1, tile_1),
    row("Tile", 6, tile),
    row("Transpose", 1, transpose),
];

/// The elements of the first input in row-major order, as those of a tensor of another shape.
pub(super) fn moved(call: &mut Call<'_, '_>, shape: Shape) -> Fact {
    let content = call
        .tensor(0)
        .map(|tensor| tensor.content.clone())
        .unwrap_or_default();
    let content = match content {
        Content::Constant(tensor) => {
            let extents: Option<Vec<usize>> = shape
                .iter()
                .map(|extent| usize::try_from(extent.constant()?).ok())
                .collect();
            let reshaped = extents.and_then(|extents| tensor.reshape(&extents).ok());
            reshaped.map_or(Content::Unknown, Content::Constant)
        }
        other => other,
    };
    with(shape, content)
}

/// The extents that an input or an attribute lists. If only their number is known, each is unknown.
pub(super) fn listed(call: &mut Call<'_, '_>, at: usize, attribute: &str) -> Outcome<Vec<Option<Expr>>> {
    if call.schema.attribute(attribute).is_some() {
        let list = call.ints(attribute).ok_or(Stop::Unknown)?;
        return Ok(list.into_iter().map(|extent| Some(extent.into())).collect());
    }
    match call.list(at) {
        Ok(list) if list.len() <= MAX_RANK => Ok(list.into_iter().map(Some).collect()),
        Ok(_) => Err(Stop::Unknown),
        Err(_) => Ok(vec![None; call.known_length(at)?]),
    }
}

fn reshape(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let list = listed(call, 1, "shape")?;
    let from = call.shape(0).ok();
    let keeps_zero = call.flag("allowzero");
    if let ([None], Some(from)) = (list.as_slice(), &from) {
        // The only extent is the number of elements.
        let total = call.product(from);
        return Ok(vec![moved(call, vec![total])]);
    }
    let mut shape = Vec::with_capacity(list.len());
    let mut inferred = None;
    for (at, wanted) in list.into_iter().enumerate() {
        let Some(wanted) = wanted else {
            shape.push(call.unknown());
            continue;
        };
        let extent = match wanted.constant() {
            Some(-1) if inferred.is_some() => return parameter("-1 occurs twice in the shape"),
            Some(-1) => {
                inferred = Some(at);
                Expr::from(1)
            }
            Some(0) if !keeps_zero => match from.as_ref().map(|from| from.get(at)) {
                Some(Some(extent)) => extent.clone(),
                Some(None) => return parameter(format!("0 at position {at} of the shape copies no extent")),
                None => call.unknown(),
            },
            Some(extent @ ..0) => return parameter(format!("{extent} in the shape is no extent")),
            Some(_) => wanted,
            None if call.state.symbols.bounds(&wanted).0 >= 0 => wanted,
            None => call.unknown(),
        };
        shape.push(extent);
    }
    let Some(from) = from else {
        if let Some(at) = inferred {
            shape[at] = call.unknown();
        }
        return Ok(vec![moved(call, shape)]);
    };
    let (total, rest) = (call.product(&from), call.product(&shape));
    match inferred {
        Some(at) => {
            if rest.is(0) {
                return conflict("-1 in the shape is ambiguous beside an extent of 0");
            }
            shape[at] = call.multiple(&total, &rest, "the number of elements")?;
        }
        None => drop(call.equal(&total, &rest, "numbers of elements")?),
    }
    let shape = shape.iter().map(|extent| call.simple(extent)).collect();
    Ok(vec![moved(call, shape)])
}

fn flatten(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let shape = call.shape(0)?;
    let axis = call.int("axis").ok_or(Stop::Unknown)?;
    let at = if axis < 0 {
        axis.saturating_add(shape.len() as i64)
    } else {
        axis
    };
    let Some((before, after)) = usize::try_from(at).ok().and_then(|at| shape.split_at_checked(at)) else {
        return parameter(format!("axis {axis} is outside of rank {}", shape.len()));
    };
    let shape = vec![call.product(before), call.product(after)];
    Ok(vec![moved(call, shape)])
}

fn squeeze(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let shape = call.shape(0)?;
    let listed = match call.numbers_of("axes", 1) {
        Ok(listed) => listed,
        Err(Stop::Unknown) => {
            let count = call.known_length(1)?;
            let rest = call.unknowns(shape.len().saturating_sub(count));
            return Ok(vec![moved(call, rest)]);
        }
        Err(stop) => return Err(stop),
    };
    let Some(listed) = listed else {
        // All of extent 1 are removed, so each must be known to be one or not.
        let mut kept = Vec::new();
        for extent in shape {
            match extent.constant() {
                Some(1) => {}
                None if call.state.symbols.bounds(&extent).0 <= 1 => return Err(Stop::Unknown),
                _ => kept.push(extent),
            }
        }
        return Ok(vec![moved(call, kept)]);
    };
    let axes = call.axes(&listed, shape.len())?;
    for &at in &axes {
        if let Some(extent) = shape[at].constant().filter(|&extent| extent != 1) {
            return parameter(format!(
                "axis {at} has the extent {extent}, but only 1 can be removed"
            ));
        }
        call.equal(&shape[at], &1.into(), "removed extent and 1,")?;
    }
    let kept = shape.into_iter().enumerate().filter(|(at, _)| !axes.contains(at));
    let kept = kept.map(|(_, extent)| extent).collect();
    Ok(vec![moved(call, kept)])
}

fn unsqueeze(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let shape = call.shape(0)?;
    let listed = match call.numbers_of("axes", 1) {
        Ok(listed) => listed.ok_or(Stop::Unknown)?,
        Err(Stop::Unknown) => {
            let count = call.known_length(1)?;
            let result = call.unknowns(shape.len() + count);
            return Ok(vec![moved(call, result)]);
        }
        Err(stop) => return Err(stop),
    };
    let axes = call.axes(&listed, shape.len() + listed.len())?;
    let rank = shape.len() + axes.len();
    let mut rest = shape.into_iter();
    let extent = |at| {
        if axes.contains(&at) {
            Some(1.into())
        } else {
            rest.next()
        }
    };
    let result: Shape = (0..rank).filter_map(extent).collect();
    Ok(vec![moved(call, result)])
}

fn expand(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let shape = call.shape(0)?;
    let list = listed(call, 1, "")?;
    if list.iter().all(Option::is_some) {
        let wanted: Shape = list.into_iter().flatten().collect();
        if let Some(extent) = wanted
            .iter()
            .filter_map(Expr::constant)
            .find(|&extent| extent < 0)
        {
            return parameter(format!("{extent} in the shape is no extent"));
        }
        let result = call.broadcast(&[shape.clone(), wanted])?;
        let content = repeated(call, &shape, &result).unwrap_or_default();
        return Ok(vec![with(result, content)]);
    }
    // An extent above 1 stays.
    let mut result = call.unknowns(shape.len().max(list.len()));
    for (known, extent) in result.iter_mut().rev().zip(shape.iter().rev()) {
        if call.state.symbols.bounds(extent).0 > 1 {
            *known = extent.clone();
        }
    }
    one(result)
}

/// The elements of the first input where it is expanded.
fn repeated(call: &mut Call<'_, '_>, from: &[Expr], to: &[Expr]) -> Option<Content> {
    let count = call.is_short(to)?;
    let list = call.list(0).ok()?;
    let element = |position| list.get(source(position, to, from)?).cloned();
    (0..count)
        .map(element)
        .collect::<Option<_>>()
        .map(Content::Integers)
}

/// Tile-1: the axis and the count are inputs of the tensor's own type.
fn tile_1(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let mut shape = call.shape(0)?;
    match (call.reals(1).as_deref(), call.reals(2).as_deref()) {
        (Ok(&[times]), Ok(&[axis])) if times >= 0.0 && times.fract() == 0.0 => {
            let at = call.axis(axis as i64, shape.len())?;
            shape[at] = call.mul(&shape[at].clone(), &(times as i64).into());
            one(shape)
        }
        _ => {
            let open = call.unknowns(shape.len());
            one(open)
        }
    }
}

fn tile(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let shape = call.shape(0)?;
    if let Some(length) = known(call.length(1))? {
        call.equal(
            &length,
            &(shape.len() as i64).into(),
            "number of repeats and rank",
        )?;
    }
    let Ok(repeats) = call.list(1) else {
        let open = call.unknowns(shape.len());
        return one(open);
    };
    if let Some(times) = repeats.iter().filter_map(Expr::constant).find(|&times| times < 0) {
        return parameter(format!("{times} is no number of repeats"));
    }
    let result: Shape = shape
        .iter()
        .zip(&repeats)
        .map(|(extent, times)| call.mul(extent, times))
        .collect();
    let content = match (call.list(0), repeats.as_slice()) {
        (Ok(list), [times]) if call.is_short(&result).is_some() => {
            let times = times.constant().and_then(|times| usize::try_from(times).ok());
            times.map_or(Content::Unknown, |times| {
                Content::Integers(vec![list; times].concat())
            })
        }
        _ => Content::Unknown,
    };
    Ok(vec![with(result, content)])
}

fn transpose(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let shape = call.shape(0)?;
    let Some(order) = call.ints("perm") else {
        let reversed = (0..shape.len()).rev().collect();
        return Ok(vec![permuted(call, &shape, reversed)]);
    };
    if order.len() != shape.len() {
        let (count, rank) = (order.len(), shape.len());
        return parameter(format!("`perm` has {count} entries for a tensor of rank {rank}"));
    }
    let axes = call.axes(&order, shape.len())?;
    Ok(vec![permuted(call, &shape, axes)])
}

/// The axes in this order.
fn permuted(call: &mut Call<'_, '_>, shape: &[Expr], axes: Vec<usize>) -> Fact {
    let result: Shape = axes.iter().map(|&at| shape[at].clone()).collect();
    let content = rearranged(call, &result, |index| {
        let mut from = vec![0; index.len()];
        axes.iter().zip(index).for_each(|(&axis, &at)| from[axis] = at);
        from
    });
    with(result, content.unwrap_or_default())
}
