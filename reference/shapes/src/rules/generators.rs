//! Operators that make tensors from extents, attributes or nothing.

use onnx_model::AttributeValue;
use onnx_tensor::{DType, Tensor};

use super::arithmetic::with;
use super::elementwise::same;
use super::{Row, row};
use crate::call::{Call, one};
use crate::extent::{Expr, Operation};
use crate::fact::{Content, Fact, extent_of, integers, reals};
use crate::finding::{Outcome, Stop, parameter};

pub(super) const ROWS: &[Row] = &[
    row("Constant", 1, constant),
    row("ConstantOfShape", 9, constant_of_shape),
    row("Range", 11, range),
    row("RandomNormal", 1, by_attribute),
    row("RandomUniform", 1, by_attribute),
    row("RandomNormalLike", 1, same),
    row("RandomUniformLike", 1, same),
    row("Bernoulli", 15, same),
    row("EyeLike", 9, |call| one(call.ranked::<2>(0)?.to_vec())),
    row("Multinomial", 7, |call| {
        let [batch, _] = call.ranked::<2>(0)?;
        let samples = call.int("sample_size").ok_or(Stop::Unknown)?;
        one(vec![batch, samples.into()])
    }),
    row("Shape", 1, shape),
    row("Size", 1, size),
];

fn constant(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let mut given = call.schema.attributes.iter();
    let value = given
        .find_map(|attribute| call.attribute(attribute.name))
        .ok_or(Stop::Unknown)?;
    let tensor = match value {
        AttributeValue::Tensor(tensor) => tensor.clone(),
        AttributeValue::Int(value) => Tensor::scalar(*value),
        AttributeValue::Float(value) => Tensor::scalar(*value),
        AttributeValue::Ints(values) => Tensor::vector(values.clone()),
        AttributeValue::Floats(values) => Tensor::vector(values.clone()),
        AttributeValue::String(_) => return one(Vec::new()),
        AttributeValue::Strings(values) => return one(vec![extent_of(values.len())]),
        AttributeValue::Sparse(sparse) => {
            return one(sparse.shape.iter().map(|&extent| extent_of(extent)).collect());
        }
        _ => return Err(Stop::Unknown),
    };
    Ok(vec![Fact::constant(tensor)])
}

fn constant_of_shape(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let listed = super::reshaping::listed(call, 0, "")?;
    let mut shape = Vec::with_capacity(listed.len());
    for extent in listed {
        match extent.as_ref().map(|extent| (extent, extent.constant())) {
            Some((_, Some(extent @ ..0))) => return parameter(format!("{extent} in the shape is no extent")),
            Some((extent, _)) => shape.push(extent.clone()),
            None => shape.push(call.unknown()),
        }
    }
    if let Some(count) = call.count("value").filter(|&count| count != 1) {
        return parameter(format!("`value` has {count} elements, expected 1"));
    }
    let content = match (call.is_short(&shape), call.attribute("value")) {
        (Some(count), Some(AttributeValue::Tensor(value))) => {
            let filled = |list: Vec<i64>| list.first().map(|&value| vec![Expr::from(value); count]);
            let whole = integers(value).and_then(filled).map(Content::Integers);
            let real = || {
                reals(value).and_then(|list| list.first().map(|&value| Content::Reals(vec![value; count])))
            };
            whole.or_else(real).unwrap_or_default()
        }
        (Some(count), None) => Content::Reals(vec![0.0; count]),
        _ => Content::Unknown,
    };
    Ok(vec![with(shape, content)])
}

/// ⌈(limit − start) / delta⌉ elements, or none. Without a delta it is 1.
/// A bound is a scalar, or a list of one element: the function body of AffineGrid-20 has such lists.
pub(super) fn range(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    for at in 0..3 {
        match call.rank(at) {
            None | Some(0) => {}
            Some(1) => {
                let length = call.length(at)?;
                call.equal(&length, &1.into(), "elements of a bound and 1,")?;
            }
            Some(rank) => return call.wrong_rank(at, rank, "0 (a scalar)"),
        }
    }
    if matches!(call.dtype(0), Some(DType::Float | DType::Double)) {
        return real_range(call);
    }
    let delta = if call.given(2) { call.only(2) } else { Ok(1.into()) };
    let (Ok(start), Ok(limit), Ok(delta)) = (call.only(0), call.only(1), delta) else {
        let count = call.unknown();
        return one(vec![count]);
    };
    let count = match delta.constant() {
        Some(0) => return parameter("`delta` is 0"),
        Some(delta @ 1..) => {
            let distance = call.sub(&limit, &start);
            call.ceil_div(&distance, delta)
        }
        Some(delta @ ..0) => {
            let distance = call.sub(&start, &limit);
            call.ceil_div(&distance, delta.checked_neg().ok_or(Stop::Unknown)?)
        }
        None => call.unknown(),
    };
    let count = call.apply(Operation::Max, [count, 0.into()]);
    let content = match (call.is_short(std::slice::from_ref(&count)), delta.constant()) {
        (Some(count), Some(delta)) => {
            let element = |at: usize| start.plus(&delta.checked_mul(i64::try_from(at).ok()?)?.into());
            let list: Option<Vec<Expr>> = (0..count).map(element).collect();
            list.map_or(Content::Unknown, Content::Integers)
        }
        _ => Content::Unknown,
    };
    Ok(vec![with(vec![count], content)])
}

/// The count is computed in the type of the bounds.
fn real_range(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let single = call.dtype(0) == Some(DType::Float);
    let round = |value: f64| if single { f64::from(value as f32) } else { value };
    let delta = if call.given(2) {
        call.reals(2)
    } else {
        Ok(vec![1.0])
    };
    let count = match (
        call.reals(0).as_deref(),
        call.reals(1).as_deref(),
        delta.as_deref(),
    ) {
        (Ok(&[start]), Ok(&[limit]), Ok(&[delta])) => {
            let steps = round(round(limit - start) / delta).ceil();
            if steps.is_finite() && steps < 9e15 {
                (steps.max(0.0) as i64).into()
            } else {
                call.unknown()
            }
        }
        _ => call.unknown(),
    };
    one(vec![count])
}

/// The attribute `shape`.
fn by_attribute(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let shape = call.ints("shape").ok_or(Stop::Unknown)?;
    match shape.iter().find(|&&extent| extent < 0) {
        Some(extent) => parameter(format!("{extent} in `shape` is no extent")),
        None => one(shape.into_iter().map(Expr::from).collect()),
    }
}

/// Shape: the extents from `start` to `end`, which are clamped.
fn shape(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let shape = call.shape(0)?;
    let rank = shape.len() as i64;
    let clamped = |at: i64| {
        let at = if at < 0 { at.saturating_add(rank) } else { at };
        at.clamp(0, rank) as usize
    };
    let start = clamped(call.int("start").unwrap_or(0));
    let end = clamped(call.int("end").unwrap_or(rank));
    let extents = shape.get(start..end.max(start)).unwrap_or_default().to_vec();
    Ok(vec![with(
        vec![extent_of(extents.len())],
        Content::Integers(extents),
    )])
}

fn size(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let Ok(shape) = call.shape(0) else {
        return one(Vec::new());
    };
    let total = call.product(&shape);
    Ok(vec![with(Vec::new(), Content::Integers(vec![total]))])
}
