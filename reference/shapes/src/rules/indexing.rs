//! Operators that select or replace elements by position.

use super::arithmetic::with;
use super::{Row, row};
use crate::call::{Call, one};
use crate::extent::Expr;
use crate::fact::{Content, Fact, Shape};
use crate::finding::{Outcome, Stop, known, parameter, wrong_rank};

pub(super) const ROWS: &[Row] = &[
    row("Gather", 1, gather),
    row("GatherElements", 11, gather_elements),
    row("GatherND", 11, gather_nd),
    row("Scatter", 9, scatter_elements),
    row("ScatterElements", 11, scatter_elements),
    row("ScatterND", 11, scatter_nd),
    row("TensorScatter", 24, tensor_scatter),
    row("OneHot", 9, one_hot),
    row("TopK", 1, top_k),
    row("Unique", 11, unique),
    row("NonZero", 9, non_zero),
    row("Compress", 9, compress),
];

pub(super) fn negative(extent: &Expr) -> Expr {
    extent.scaled(-1).unwrap_or_default()
}

fn gather(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let data = call.at_least_rank(0, 1)?;
    let at = call.axis_attribute(data.len())?;
    call.indices(1, &negative(&data[at]), &data[at])?;
    let indices = call.shape(1)?;
    let content = picked(call, &data).unwrap_or_default();
    let shape = [&data[..at], &indices, &data[at + 1..]].concat();
    Ok(vec![with(shape, content)])
}

/// The elements of a vector at known positions.
fn picked(call: &mut Call<'_, '_>, data: &[Expr]) -> Option<Content> {
    let ([extent], Ok(list), Ok(positions)) = (data, call.list(0), call.numbers(1)) else {
        return None;
    };
    let extent = extent.constant()?;
    let element = |&at: &i64| {
        list.get(usize::try_from(if at < 0 { at + extent } else { at }).ok()?)
            .cloned()
    };
    positions
        .iter()
        .map(element)
        .collect::<Option<_>>()
        .map(Content::Integers)
}

fn gather_elements(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let indices = call.shape(1)?;
    if let Ok(data) = call.shape(0) {
        if data.len() != indices.len() {
            return wrong_rank(format!(
                "data of rank {} and indices of rank {} differ",
                data.len(),
                indices.len()
            ));
        }
        let at = call.axis_attribute(data.len())?;
        for other in (0..data.len()).filter(|other| *other != at) {
            call.at_least(
                &data[other],
                &indices[other],
                "an extent of the data beside the axis",
            )?;
        }
        call.indices(1, &negative(&data[at]), &data[at])?;
    }
    one(indices)
}

pub(super) fn gather_nd(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let (data, indices) = (call.at_least_rank(0, 1)?, call.at_least_rank(1, 1)?);
    let batch = usize::try_from(call.int("batch_dims").unwrap_or(0)).map_err(|_| Stop::Unknown)?;
    if batch >= data.len().min(indices.len()) {
        return parameter(format!(
            "`batch_dims` is {batch} for ranks {} and {}",
            data.len(),
            indices.len()
        ));
    }
    for at in 0..batch {
        call.equal(&data[at], &indices[at], "batch extents")?;
    }
    let width = indices[indices.len() - 1]
        .constant()
        .and_then(|width| usize::try_from(width).ok());
    let width = width.ok_or(Stop::Unknown)?;
    let Some(rest) = batch.checked_add(width).and_then(|covered| data.get(covered..)) else {
        return parameter(format!(
            "an index of {width} numbers is too long for data of rank {}",
            data.len()
        ));
    };
    tuples(call, &data[batch..batch + width])?;
    one([&indices[..indices.len() - 1], rest].concat())
}

/// The second input has tuples of indices, one number for each of these axes.
fn tuples(call: &mut Call<'_, '_>, extents: &[Expr]) -> Outcome<()> {
    let known = call.extremes(1, extents.len());
    for (known, extent) in known.into_iter().flatten().zip(extents) {
        call.has(1, known, &negative(extent), extent)?;
    }
    for extent in extents {
        call.drawn_within(1, &negative(extent), extent);
    }
    Ok(())
}

fn scatter_elements(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let data = call.at_least_rank(0, 1)?;
    let at = call.axis_attribute(data.len())?;
    let indices = call.shape(1).ok();
    if let (Some(indices), Ok(updates)) = (&indices, call.shape(2)) {
        call.same_shape(indices, &updates, "extents of indices and updates")?;
    }
    if let Some(indices) = indices {
        if indices.len() != data.len() {
            return wrong_rank(format!(
                "data of rank {} and indices of rank {} differ",
                data.len(),
                indices.len()
            ));
        }
        for other in (0..data.len()).filter(|other| *other != at) {
            call.at_least(
                &data[other],
                &indices[other],
                "an extent of the data beside the axis",
            )?;
        }
    }
    call.indices(1, &negative(&data[at]), &data[at])?;
    one(data)
}

fn scatter_nd(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let data = call.at_least_rank(0, 1)?;
    if let (Ok(indices), Ok(updates)) = (call.at_least_rank(1, 1), call.shape(2))
        && let Some(width) = indices[indices.len() - 1].constant()
    {
        let parts = usize::try_from(width)
            .ok()
            .and_then(|width| data.split_at_checked(width));
        let Some((indexed, rest)) = parts else {
            return parameter(format!(
                "an index of {width} numbers is too long for data of rank {}",
                data.len()
            ));
        };
        let expected = [&indices[..indices.len() - 1], rest].concat();
        call.same_shape(
            &updates,
            &expected,
            "extents of the updates and of what they replace,",
        )?;
        tuples(call, indexed)?;
    }
    one(data)
}

fn tensor_scatter(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let cache = call.shape(0)?;
    let at = call.axis_attribute(cache.len())?;
    if let Ok(update) = call.shape(1) {
        if update.len() != cache.len() {
            return wrong_rank(format!(
                "cache of rank {} and update of rank {} differ",
                cache.len(),
                update.len()
            ));
        }
        for other in (0..cache.len()).filter(|other| *other != at) {
            call.equal(&cache[other], &update[other], "extents beside the axis")?;
        }
        call.at_least(&cache[at], &update[at], "the extent of the cache")?;
    }
    if let Some(indices) = known(call.length(2))? {
        call.equal(&indices, &cache[0], "number of write indices and batch")?;
    }
    one(cache)
}

fn one_hot(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let mut shape = call.shape(0)?;
    if let Some(values) = known(call.length(2))? {
        call.equal(&values, &2.into(), "number of values and 2,")?;
    }
    let axis = call.int("axis").ok_or(Stop::Unknown)?;
    let at = call.axis(axis, shape.len() + 1)?;
    let depth = match (call.only(1), call.reals(1)) {
        (Ok(depth), _) => depth,
        (Err(stop @ Stop::Broken(..)), _) => return Err(stop),
        (_, Ok(depth)) if depth.len() == 1 => (depth[0].trunc() as i64).into(),
        _ => call.unknown(),
    };
    if let Some(depth @ ..0) = depth.constant() {
        return parameter(format!("`depth` is {depth}, expected at least 0"));
    }
    shape.insert(at, depth);
    one(shape)
}

fn top_k(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let mut shape = call.at_least_rank(0, 1)?;
    let at = call.axis_attribute(shape.len())?;
    let k = if call.schema.attribute("k").is_some() {
        call.int("k").ok_or(Stop::Unknown)?.into()
    } else {
        match call.only(1) {
            Ok(k) => k,
            Err(stop @ Stop::Broken(..)) => return Err(stop),
            Err(Stop::Unknown) => call.up_to(&shape[at]),
        }
    };
    call.at_least(&shape[at], &k, "the extent of the axis of `k` elements")?;
    shape[at] = k;
    Ok(vec![Fact::of(shape.clone()), Fact::of(shape)])
}

/// How many elements differ depends on the values. Without an axis, the result is a vector.
fn unique(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let shape = call.shape(0).ok();
    let axis = call.int("axis");
    let distinct = call.unknown();
    let (first, all) = match (shape, axis) {
        (Some(mut shape), Some(axis)) => {
            let at = call.axis(axis, shape.len())?;
            let all = std::mem::replace(&mut shape[at], distinct.clone());
            (Fact::of(shape), all)
        }
        (Some(shape), None) => (Fact::of(vec![distinct.clone()]), call.product(&shape)),
        (None, None) => (Fact::of(vec![distinct.clone()]), call.unknown()),
        (None, Some(_)) => (Fact::Unknown, call.unknown()),
    };
    let vector = |extent: &Expr| Fact::of(vec![extent.clone()]);
    Ok(vec![first, vector(&distinct), vector(&all), vector(&distinct)])
}

fn non_zero(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let shape = call.shape(0)?;
    let total = call.product(&shape);
    let count = match shape.len() {
        // A scalar has no position, and at most one.
        0 => call.state.symbols.unknown(0, 1),
        _ => call.up_to(&total),
    };
    one(vec![(shape.len() as i64).into(), count])
}

fn compress(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let shape = call.shape(0)?;
    if let Some([length]) = known(call.ranked::<1>(1))? {
        let extent = match call.int("axis") {
            Some(axis) => shape[call.axis(axis, shape.len())?].clone(),
            None => call.product(&shape),
        };
        call.at_least(&extent, &length, "the extent of what a condition selects from")?;
    }
    let selected = match call.numbers(1) {
        Ok(list) => Some(list.iter().filter(|&&keep| keep != 0).count() as i64),
        Err(Stop::Unknown) => None,
        Err(stop) => return Err(stop),
    };
    match call.int("axis") {
        Some(axis) => {
            let at = call.axis(axis, shape.len())?;
            let mut result: Shape = shape.clone();
            result[at] = match selected {
                Some(count) => count.into(),
                None => call.up_to(&shape[at]),
            };
            one(result)
        }
        None => {
            let total = call.product(&shape);
            let extent = match selected {
                Some(count) => count.into(),
                None => call.up_to(&total),
            };
            one(vec![extent])
        }
    }
}
