//! Resize and Upsample.

use onnx_model::AttributeValue;

use super::{Row, row};
use crate::call::{Call, one};
use crate::extent::{Expr, Operation};
use crate::fact::{Fact, Shape};
use crate::finding::{Outcome, Stop, conflict, known, parameter};

pub(super) const ROWS: &[Row] = &[
    row("Resize", 10, |call| {
        let scales = call.reals(1).ok();
        by_scales(call, scales, 1)
    }),
    row("Resize", 11, resize),
    row("Upsample", 1, |call| {
        let scales = ["height_scale", "width_scale"].map(|name| float(call, name));
        let scales = scales[0]
            .zip(scales[1])
            .map(|(rows, columns)| vec![1.0, 1.0, rows, columns]);
        by_scales(call, scales, 1)
    }),
    row("Upsample", 7, |call| {
        let scales = match call.attribute("scales") {
            Some(AttributeValue::Floats(scales)) => {
                Some(scales.iter().map(|&scale| f64::from(scale)).collect())
            }
            _ => None,
        };
        by_scales(call, scales, 1)
    }),
    row("Upsample", 9, |call| {
        let scales = call.reals(1).ok();
        by_scales(call, scales, 1)
    }),
];

fn float(call: &Call<'_, '_>, name: &str) -> Option<f64> {
    match call.attribute(name)? {
        AttributeValue::Float(value) => Some(f64::from(*value)),
        _ => None,
    }
}

/// ⌊extent · scale⌋, computed in float.
fn scaled(call: &mut Call<'_, '_>, extent: &Expr, scale: f64) -> Outcome<Expr> {
    let scale = scale as f32;
    if !(scale > 0.0 && scale.is_finite()) {
        return parameter(format!("a scale is {scale}"));
    }
    Ok(call.apply(
        Operation::Scaled,
        [extent.clone(), i64::from(scale.to_bits()).into()],
    ))
}

/// The part of each axis that is resized: all of it, except in the mode that crops. `None` if it is not
/// known.
fn regions(call: &Call<'_, '_>, axes: usize) -> Option<Vec<f32>> {
    if call.text("coordinate_transformation_mode").as_deref() != Some("tf_crop_and_resize") {
        return Some(vec![1.0; axes]);
    }
    let ends = call.reals(1).ok().filter(|ends| ends.len() == 2 * axes)?;
    let (starts, ends) = ends.split_at(axes);
    let pairs = starts.iter().zip(ends);
    Some(pairs.map(|(start, end)| (end - start) as f32).collect())
}

/// ⌊extent · region · scale⌋, computed in float.
fn cropped(call: &mut Call<'_, '_>, extent: &Expr, scale: f64, region: f32) -> Outcome<Expr> {
    if region == 1.0 {
        return scaled(call, extent, scale);
    }
    let resized = extent
        .constant()
        .map(|extent| (extent as f32 * region * scale as f32).floor());
    match resized.filter(|resized| (0.0..9e15).contains(resized)) {
        Some(resized) => Ok((resized as i64).into()),
        None => Ok(call.unknown()),
    }
}

/// One scale for each axis. `at` is the input of the scales.
fn by_scales(call: &mut Call<'_, '_>, scales: Option<Vec<f64>>, at: usize) -> Outcome<Vec<Fact>> {
    let shape = call.shape(0)?;
    let Some(scales) = scales else {
        if call.schema.inputs.len() > at
            && let Some(length) = known(call.length(at))?
        {
            call.equal(&length, &(shape.len() as i64).into(), "number of scales and rank")?;
        }
        let open = call.unknowns(shape.len());
        return one(open);
    };
    if scales.len() != shape.len() {
        return conflict(format!(
            "{} scales are given for rank {}",
            scales.len(),
            shape.len()
        ));
    }
    let resized: Outcome<Shape> = shape
        .iter()
        .zip(&scales)
        .map(|(extent, &scale)| scaled(call, extent, scale))
        .collect();
    one(resized?)
}

/// Resize-11: scales or sizes; a region of interest counts in one mode.
fn resize(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let shape = call.shape(0)?;
    let all = || (0..shape.len() as i64).collect();
    let axes = call
        .attribute("axes")
        .and_then(|_| call.ints("axes"))
        .unwrap_or_else(all);
    let axes = call.axes(&axes, shape.len())?;
    let empty = |call: &mut Call<'_, '_>, at: usize| -> Outcome<bool> {
        let length = known(call.length(at))?;
        Ok(!call.given(at) || length.is_some_and(|length| length.is(0)))
    };
    let (no_scales, no_sizes) = (empty(call, 2)?, empty(call, 3)?);
    let open = |call: &mut Call<'_, '_>, shape: &Shape| {
        let mut open = shape.clone();
        axes.iter().for_each(|&at| open[at] = call.unknown());
        open
    };
    if no_scales && no_sizes {
        return parameter("neither scales nor sizes are given");
    }
    let mut is_set = |at: usize| -> Outcome<bool> {
        let length = known(call.length(at))?;
        Ok(call.given(at)
            && length
                .and_then(|length| length.constant())
                .is_some_and(|length| length > 0))
    };
    if is_set(2)? && is_set(3)? {
        return parameter("both scales and sizes are given");
    }
    let given = if no_sizes { 2 } else { 3 };
    if let Some(length) = known(call.length(given))?
        && length.constant().is_some()
    {
        call.equal(
            &length,
            &(axes.len() as i64).into(),
            "number of scales or sizes and of axes",
        )?;
    }
    let mut result = shape.clone();
    if no_sizes {
        let (scales, regions) = match (call.reals(2), regions(call, axes.len())) {
            (Ok(scales), Some(regions)) if scales.len() == axes.len() => (scales, regions),
            _ => return one(open(call, &shape)),
        };
        for ((&at, scale), region) in axes.iter().zip(scales).zip(regions) {
            result[at] = cropped(call, &shape[at], scale, region)?;
        }
        return one(result);
    }
    let Ok(sizes) = call.list(3) else {
        return one(open(call, &shape));
    };
    if sizes.len() != axes.len() {
        return Err(Stop::Unknown);
    }
    match call.text("keep_aspect_ratio_policy").as_deref() {
        None | Some("stretch") => axes.iter().zip(sizes).for_each(|(&at, size)| result[at] = size),
        Some(policy) => match kept_ratio(&shape, &axes, &sizes, policy == "not_larger") {
            Some(extents) => axes
                .iter()
                .zip(extents)
                .for_each(|(&at, extent)| result[at] = extent.into()),
            None => result = open(call, &shape),
        },
    }
    one(result)
}

/// All extents times the least or greatest ratio, to the nearest integer, halves up.
fn kept_ratio(shape: &Shape, axes: &[usize], sizes: &[Expr], least: bool) -> Option<Vec<i64>> {
    let extents: Vec<i64> = axes
        .iter()
        .map(|&at| shape[at].constant())
        .collect::<Option<_>>()?;
    let sizes: Vec<i64> = sizes.iter().map(Expr::constant).collect::<Option<_>>()?;
    let ratios = sizes
        .iter()
        .copied()
        .zip(extents.iter().copied())
        .filter(|&(_, from)| from > 0);
    let compare = |a: &(i64, i64), b: &(i64, i64)| {
        (i128::from(a.0) * i128::from(b.1)).cmp(&(i128::from(b.0) * i128::from(a.1)))
    };
    let (up, down) = if least {
        ratios.min_by(compare)?
    } else {
        ratios.max_by(compare)?
    };
    let rounded = |&extent: &i64| {
        let doubled = i128::from(extent).checked_mul(i128::from(up))?.checked_mul(2)?;
        let doubled = doubled.checked_add(i128::from(down))?;
        i64::try_from(doubled.div_euclid(2 * i128::from(down))).ok()
    };
    extents.iter().map(rounded).collect()
}
