//! Sampling at computed coordinates: interpolation whose weights depend on a rounded coordinate.
//!
//! A coordinate of an axis of extent L is computed with a few roundings of numbers up to L: an absolute
//! error of 4u·L. The terms of a region that begins far outside, and a place before its reflection, are
//! many extents large (`extents`), and so is their error. The slope of the interpolant is at most twice the
//! greatest magnitude (linear), or four times (cubic). So each axis adds 8u·L·max|x| (16 for cubic), and the
//! weighted sum of 2 or 4 neighbours a γ.
//!
//! The nearest neighbour of an exact position is one element: the rule of the operator decides at a tie. A
//! position of GridSample with an error of less than half an element on each axis has at most two neighbours
//! on each: those at the ends of its interval. The scales and regions of Resize say the extents of the result
//! as well, so that errors in them have no bound.

use ndarray::{ArrayD, Axis, Zip};
use onnx_model::{Attribute, AttributeValue};
use onnx_operators::frame::OpError;
use onnx_tensor::{Array, DType, Tensor};

use super::{Entry, entry};
use crate::neighbourhood::largest_near;
use crate::precision::{Growth, gamma, growth, several};
use crate::query::reals;
use crate::{Query, Radius, Sets, Span};

pub(super) const RULES: &[Entry] = &[
    entry("GridSample", |query| interpolated(query, &["nearest"])),
    entry("Resize", |query| interpolated(query, &["nearest"])),
    entry("Upsample", |query| interpolated(query, &["nearest"])),
];

/// Elements are copied together with their errors: the operator runs on the radii of its first input;
/// scales and grids are unchanged.
fn copied(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    if query.inputs_exact() || query.unknown_input().is_some() {
        return super::exact::decides(query);
    }
    if !query.errors.iter().skip(1).all(Radius::is_exact) {
        return match query.call.schema().name {
            "GridSample" => nearest(query),
            _ => super::exact::decides(query),
        };
    }
    let moved = query.evaluate(|index, _| {
        let error = query.error(index).filter(|_| index == 0)?;
        Some(Tensor::from(error))
    })?;
    let radius = moved.into_iter().next().flatten().and_then(|moved| reals(&moved));
    let radius = radius.map(|radius| Radius::within(radius.into_owned(), "moved from the inputs"));
    Ok(vec![radius.unwrap_or_else(|| {
        Radius::unknown("the output is not a numeric tensor")
    })])
}

fn interpolated(query: &Query<'_>, exact_modes: &[&str]) -> Result<Vec<Radius>, OpError> {
    let mode = query.call.optional_string("mode")?.unwrap_or("nearest");
    if exact_modes.contains(&mode) {
        return copied(query);
    }
    if let Some(unknown) = query.unknown_input() {
        return Ok(vec![unknown.clone(); query.outputs.len()]);
    }
    let (Some(x), Some(y)) = (query.input(0), query.output(0).and_then(reals)) else {
        return super::exact::decides(query);
    };
    if query.unit(0) == 0.0 && growth() != Growth::Worst {
        return next_to_whole(query, &x);
    }
    if query.unit(0) == 0.0 {
        // Integers are interpolated as reals and converted back: some backends round, others truncate.
        return Ok(vec![
            Radius::unknown("interpolated integers");
            query.outputs.len()
        ]);
    }
    if growth() != Growth::Worst {
        return ordinary(query, &finite(&x), &y, mode.contains("cubic"));
    }
    let error = query.errors.first().and_then(|radius| radius.array(x.shape()));
    let carried = error.map_or(0.0, |error| error.iter().copied().fold(0.0, f64::max));
    let (unit, greatest) = (
        query.unit(0),
        x.iter().fold(0.0, |most: f64, x| most.max(x.abs())),
    );
    let steep = if mode.contains("cubic") { 4.0 } else { 2.0 };
    let axes: Vec<f64> = x
        .shape()
        .iter()
        .zip(y.shape())
        .map(|(&a, &b)| a.max(b) as f64)
        .collect();
    let coordinates: f64 = axes
        .iter()
        .skip(2.min(axes.len().saturating_sub(1)))
        .map(|extent| 4.0 * unit * extent * extents(query) * steep)
        .sum();
    let weights = gamma(steep * 2.0 * axes.len() as f64 + 4.0, unit) * steep;
    let amount = greatest * (coordinates + weights) + carried * steep;
    Ok(vec![Radius::within(
        ArrayD::from_elem(y.raw_dim(), amount),
        "coordinates and weights of an interpolation",
    )])
}

/// The error of a cubic coefficient in units of roundoff: the terms of its polynomial, ((a·x − 5a)·x + 8a)·x
/// − 4a, are up to 6, and cancel (measured on ONNX Runtime and tract: up to 8).
const COEFFICIENTS: f64 = 8.0;

/// The error of an ordinary implementation on exact operands. A coordinate has an error of u·L, which moves
/// the result by the slope at its place: the greatest difference between neighbours there. The weighted sum
/// has the roundings of its terms. A cubic coefficient has an error that does not depend on its size
/// ([`COEFFICIENTS`]).
fn ordinary(query: &Query<'_>, x: &Array<f64>, y: &Array<f64>, cubic: bool) -> Result<Vec<Radius>, OpError> {
    let steep = if cubic { 1.5 } else { 1.0 };
    // The axes of images and channels are not interpolated.
    let is_sampled =
        |axis: &usize| *axis >= 2 || x.ndim() <= 2 || y.len_of(Axis(*axis)) != x.len_of(Axis(*axis));
    let is_rounded = |axis: &usize| !has_exact_coordinates(query, x.shape(), y.shape(), *axis);
    let axes: Vec<usize> = (0..x.ndim()).filter(is_sampled).filter(is_rounded).collect();
    let mut radius = along(query, x, &axes, several(4.0), steep)?;
    if cubic {
        let axes = (0..x.ndim()).filter(is_sampled);
        radius += &(around(query, x, axes) * (COEFFICIENTS * query.unit(0)));
    }
    Ok(vec![Radius::within(
        radius,
        "coordinates and weights of an interpolation",
    )])
}

/// The elements that a cubic interpolation reads beyond the two of a linear one, with one for a coordinate
/// that is rounded across an element.
const BEYOND: usize = 2;

/// The largest magnitude around each sample: a linear interpolation of the largest ones near each element.
/// With `antialias` the largest of all, because a sample reads more elements.
fn around(query: &Query<'_>, x: &Array<f64>, axes: impl Iterator<Item = usize>) -> ArrayD<f64> {
    let schema = query.call.schema();
    let linear = match (schema.name, schema.since) {
        ("GridSample", ..20) => "bilinear",
        _ => "linear",
    };
    let mut attributes = query.call.given_attributes().to_vec();
    let modes = attributes.iter_mut().filter(|attribute| attribute.name == "mode");
    modes.for_each(|mode| mode.value = AttributeValue::String(linear.into()));
    let near = largest_near(x, axes, BEYOND);
    let replaced = |index, _: &Tensor| (index == 0).then(|| Tensor::from(near.clone()));
    let outputs = query.evaluate_with(&attributes, replaced).ok();
    let first = outputs.and_then(|outputs| outputs.into_iter().next().flatten());
    let sampled = first.as_ref().and_then(reals).map(|array| array.mapv(f64::abs));
    let is_antialiased = query.call.optional_int("antialias").ok().flatten() == Some(1);
    sampled.filter(|_| !is_antialiased).unwrap_or_else(|| {
        let greatest = x.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        ArrayD::from_elem(query.output(0).map_or(&[][..], Tensor::shape), greatest)
    })
}

/// The elements with the greatest finite magnitude in the place of those that are not finite: a result
/// without them has the error of the others.
pub(super) fn finite(x: &Array<f64>) -> Array<f64> {
    let magnitudes = x.iter().map(|x| x.abs()).filter(|x| x.is_finite());
    let greatest = magnitudes.fold(0.0, f64::max);
    x.mapv(|x| if x.is_finite() { x } else { greatest }).into_shared()
}

/// Whether Resize or Upsample divides the coordinates of an axis by a power of two, and adds halves at most:
/// they are exact in float.
fn has_exact_coordinates(query: &Query<'_>, x: &[usize], y: &[usize], axis: usize) -> bool {
    let schema = query.call.schema();
    let is_exact = match query.call.optional_string("coordinate_transformation_mode") {
        Ok(Some(mode)) => matches!(mode, "half_pixel" | "pytorch_half_pixel" | "asymmetric"),
        _ => matches!(schema.name, "Resize" | "Upsample"),
    };
    let named = (1..=2).filter(|index| schema.input(*index).is_some_and(|formal| formal.name == "scales"));
    let mut given = named
        .filter_map(|index| query.input(index))
        .filter(|scales| !scales.is_empty());
    let scale = match given.next() {
        Some(scales) if scales.len() == x.len() => scales.iter().nth(axis).copied(),
        Some(_) => None,
        None => Some(y[axis] as f64 / x[axis].max(1) as f64),
    };
    is_exact
        && schema.name != "GridSample"
        && scale.is_some_and(|scale| scale > 0.0 && scale.log2().fract() == 0.0)
}

/// Interpolated integers: an ordinary implementation interpolates in float, and where the real result is a
/// whole number up to its error there, the conversion may give the next one.
fn next_to_whole(query: &Query<'_>, x: &Array<f64>) -> Result<Vec<Radius>, OpError> {
    const ROUNDINGS: f64 = 8.0;
    let unit = crate::precision::unit(DType::Float).unwrap_or(0.0);
    let greatest = x.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let extents: f64 = x.shape().iter().skip(2).map(|extent| *extent as f64).sum();
    let off = unit * greatest * (extents + ROUNDINGS);
    let real = query.evaluate_with(query.call.given_attributes(), |index, _| {
        (index == 0).then(|| Tensor::from(x.clone()))
    })?;
    let real = real.into_iter().next().flatten();
    let missing = || OpError::invalid("the output is not a numeric tensor");
    let real = real.as_ref().and_then(reals).ok_or_else(missing)?;
    let radius = real.mapv(|value| f64::from(u8::from((value - value.round()).abs() <= off)));
    Ok(vec![Radius::within(
        radius,
        "conversions of interpolated numbers",
    )])
}

/// The error of ordinary samples of input 0 at coordinates of these axes: u·L times the slope there, times
/// `steep`, and `roundings` of the weighted sum.
pub(super) fn along(
    query: &Query<'_>,
    x: &Array<f64>,
    axes: &[usize],
    roundings: f64,
    steep: f64,
) -> Result<ArrayD<f64>, OpError> {
    let unit = query.unit(0);
    let own = query.call.given_attributes();
    let sampled = |values: ArrayD<f64>, attributes: &[Attribute]| -> Result<ArrayD<f64>, OpError> {
        let replaced = |index, _: &Tensor| (index == 0).then(|| Tensor::from(values.clone().into_shared()));
        let outputs = query.evaluate_with(attributes, replaced)?;
        let first = outputs.into_iter().next().flatten();
        let array = first.as_ref().and_then(reals).map(|array| array.mapv(f64::abs));
        array.ok_or_else(|| OpError::invalid("the output is not a numeric tensor"))
    };
    let extents = extents(query);
    let mut radius = sampled(x.mapv(f64::abs), own)? * (roundings * unit * steep);
    let (extended, is_inside) = (extended(query), sampled(ArrayD::ones(x.raw_dim()), own)?);
    for axis in axes.iter().map(|axis| Axis(*axis)) {
        let extent = x.len_of(axis);
        if extent < 2 {
            continue;
        }
        let slope = sampled(slopes(x, axis), &extended)?;
        Zip::from(&mut radius)
            .and(&slope)
            .and(&is_inside)
            .for_each(|radius, slope, weight| {
                if *weight != 0.0 {
                    *radius = radius.hypot(unit * extent as f64 * extents * steep * slope);
                }
            });
    }
    Ok(radius)
}

/// The greatest magnitude of the terms of a coordinate, in extents of its axis: those of a region cancel
/// (Resize, `tf_crop_and_resize`), and those of a place outside are reflected (GridSample, `reflection`).
fn extents(query: &Query<'_>) -> f64 {
    let is = |name: &str, value: &str| query.call.optional_string(name).ok().flatten() == Some(value);
    let greatest = |index: usize| {
        let values = query.input(index).map(|values| values.to_owned());
        let values = values.into_iter().flatten().map(f64::abs);
        values.filter(|value| value.is_finite()).fold(0.0, f64::max)
    };
    let extents = match query.call.schema().name {
        "Resize" if is("coordinate_transformation_mode", "tf_crop_and_resize") => 2.0 * greatest(1),
        "GridSample" if is("padding_mode", "reflection") => (greatest(1) + 1.0) / 2.0,
        _ => 1.0,
    };
    extents.max(1.0)
}

/// The attributes with the slope of the last elements beyond them, where `padding_mode` has zeros: the values
/// fall to zero there.
fn extended(query: &Query<'_>) -> Vec<Attribute> {
    let own = query.call.given_attributes();
    let mut attributes = own.to_vec();
    if query.call.schema().attribute("padding_mode").is_none() {
        return attributes;
    }
    attributes.retain(|attribute| attribute.name != "padding_mode");
    let is_padded = |attribute: &&Attribute| {
        let is_zeros = matches!(&attribute.value, AttributeValue::String(mode) if mode == b"zeros");
        attribute.name == "padding_mode" && !is_zeros
    };
    let border = || Attribute {
        name: "padding_mode".to_owned(),
        value: AttributeValue::String(b"border".to_vec()),
    };
    attributes.extend(own.iter().find(is_padded).cloned().or_else(|| Some(border())));
    attributes
}

/// For each element, the greatest difference between neighbours along `axis` among it and the elements next
/// to it; at an end also its magnitude, which is the difference from padding with zeros.
pub(super) fn slopes(x: &Array<f64>, axis: Axis) -> ArrayD<f64> {
    let mut slopes = ArrayD::zeros(x.raw_dim());
    Zip::from(slopes.lanes_mut(axis))
        .and(x.lanes(axis))
        .for_each(|mut slopes, x| {
            let last = x.len() - 1;
            let step = |at: usize| match at {
                0 => x[0].abs(),
                at if at > last => x[last].abs(),
                at => (x[at] - x[at - 1]).abs(),
            };
            for (at, slope) in slopes.iter_mut().enumerate() {
                let around = at.saturating_sub(1)..=(at + 2).min(last + 1);
                *slope = around.map(step).fold(0.0, f64::max);
            }
        });
    slopes
}

/// GridSample of the nearest element, with errors in the grid: the elements at all corners of the interval of
/// a position.
fn nearest(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let missing = || OpError::invalid("the operands are not numeric tensors");
    let (x, grid) = query.input(0).zip(query.input(1)).ok_or_else(missing)?;
    let (x_error, error) = query.error(0).zip(query.error(1)).ok_or_else(missing)?;
    let center = query.output(0).and_then(reals).ok_or_else(missing)?.into_owned();
    let axes = grid.shape().last().copied().unwrap_or(0);
    let unit = query
        .call
        .dtype(1)
        .ok()
        .and_then(crate::precision::unit)
        .unwrap_or(0.0);
    // Three roundings on the way to a position, of numbers up to |g| + 1 in units of the grid.
    let reach = ndarray::Zip::from(&grid)
        .and(&error)
        .map_collect(|g, error| error + 4.0 * unit * (g.abs() + 2.0));
    let corners = (0..1_usize << axes.min(8)).map(|corner| {
        let mut moved = grid.to_owned().into_owned();
        for (place, (g, reach)) in moved.iter_mut().zip(&reach).enumerate() {
            *g += if corner >> (place % axes.max(1)) & 1 == 0 {
                -reach
            } else {
                *reach
            };
        }
        moved
    });
    let sample = |values: &ArrayD<f64>, grid: &ArrayD<f64>| {
        let outputs = query.evaluate_with(query.call.given_attributes(), |index, _| match index {
            0 => Some(Tensor::from(values.clone().into_shared())),
            _ => Some(Tensor::from(grid.clone().into_shared())),
        })?;
        let first = outputs.into_iter().next().flatten();
        first
            .as_ref()
            .and_then(reals)
            .map(|array| array.into_owned())
            .ok_or_else(missing)
    };
    let (values, errors) = (x.to_owned().into_owned(), x_error.into_owned());
    let mut found: Vec<Vec<Span>> = vec![Vec::new(); center.len()];
    for corner in corners {
        let (values, errors) = (sample(&values, &corner)?, sample(&errors, &corner)?);
        for (spans, (value, error)) in found.iter_mut().zip(values.iter().zip(&errors)) {
            let span = Span {
                low: value - error,
                high: value + error,
            };
            if !spans.contains(&span) {
                spans.push(span);
            }
        }
    }
    let wide = wide(&reach, x.shape(), center.shape());
    let (mut sets, mut radius) = (Sets::default(), wide);
    for (place, (spans, (center, radius))) in
        found.into_iter().zip(center.iter().zip(&mut radius)).enumerate()
    {
        match &spans[..] {
            [one] => *radius += (one.high - center).max(center - one.low),
            _ if *radius == 0.0 => sets.insert(place, spans),
            _ => {}
        }
    }
    Ok(vec![Radius::among(
        &center,
        &radius,
        sets,
        "neighbours of a position",
    )])
}

/// Infinite for the elements of the result whose position may be off by half an element or more, 0 for all
/// others. The grid has an axis of coordinates where the result has one of channels.
fn wide(reach: &ArrayD<f64>, x: &[usize], result: &[usize]) -> ArrayD<f64> {
    let axes = reach.shape().last().copied().unwrap_or(0);
    let extents: Vec<usize> = x.iter().skip(2).rev().copied().collect();
    let positions: Vec<bool> = reach
        .iter()
        .collect::<Vec<_>>()
        .chunks(axes.max(1))
        .map(|reach| {
            let off = |(reach, extent): (&&f64, &usize)| **reach * *extent as f64 / 2.0;
            !reach.iter().zip(&extents).map(off).all(|off| off < 0.5)
        })
        .collect();
    let plane: usize = result.iter().skip(2).product();
    let channels = result.get(1).copied().unwrap_or(1);
    ArrayD::from_shape_fn(result, |at| {
        let inner = (2..result.len()).fold(0, |flat, axis| flat * result[axis] + at[axis]);
        let open = positions.get(at[0] * plane + inner).copied().unwrap_or(true) && channels > 0;
        if open { f64::INFINITY } else { 0.0 }
    })
}
