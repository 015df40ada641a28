//! Resize — samples a tensor anew along its axes: nearest, linear or cubic.
//!
//! Versions: 10 knows `nearest` and `linear` and does not say where positions lie (reading: `asymmetric` and `floor`, as in
//! its official cases); 11 adds `cubic`, sizes, regions of interest, coordinate transformation and nearest modes; 13 makes
//! inputs optional and drops `tf_half_pixel_for_nn`; 18 adds `antialias`, `axes` and aspect policies; 19 adds
//! `half_pixel_symmetric`.
//!
//! Readings: where scales are given, they are the scale of the coordinates, not the quotient of the extents, which the text
//! says and the official cases contradict; likewise the common scale of an aspect policy. An extent is ⌊extent · scale⌋ with
//! the product in float, as onnx's shape inference computes it; a region of interest takes part in it only in
//! `tf_crop_and_resize`. Antialiasing counts samples outside as the outermost element, like every filter without
//! `exclude_outside`. Naming an axis twice is undefined.

use onnx_tensor::{Real, dispatch};

use super::coordinates::{ResizedAxis, Transform};
use super::resampling::{Filter, Sampling, resample};
use crate::frame::Change::{First, Semantics};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::{axes, layout};

pub const OP: OpDef = op(
    "Resize",
    &[
        v(10, First, resize_10),
        v(11, Semantics, |call| {
            resize(call, Transform::named_11, &Extras::NONE)
        }),
        v(13, Semantics, |call| {
            resize(call, Transform::named_13, &Extras::NONE)
        }),
        v(18, Semantics, |call| {
            resize(call, Transform::named_13, &Extras::read(call)?)
        }),
        v(19, Semantics, |call| {
            resize(call, Transform::named_19, &Extras::read(call)?)
        }),
    ],
);

fn resize_10(call: &Call<'_>) -> Result<Outputs, OpError> {
    let filter = match call.string("mode")? {
        "nearest" => Filter::Nearest(f64::floor),
        "linear" => Filter::Linear,
        mode => return Err(OpError::invalid(format!("`mode` is {mode:?}"))),
    };
    let scales = call.tensor(1)?.to_vec::<f32>()?;
    let shape = call.tensor(0)?.shape();
    if scales.len() != shape.len() {
        return Err(OpError::invalid(format!(
            "{} scales for shape {shape:?}",
            scales.len()
        )));
    }
    let axes = shape
        .iter()
        .zip(&scales)
        .map(|(&extent, &scale)| by_scales(extent, scale, (0.0, 1.0)));
    one(resample(
        call,
        &axes.collect::<Result<Vec<_>, _>>()?,
        &plain_sampling(filter),
    )?)
}

/// What there was before version 11.
pub(super) fn plain_sampling(filter: Filter) -> Sampling {
    Sampling {
        filter,
        transform: Transform::Asymmetric,
        antialias: false,
        exclude_outside: false,
        extrapolation: 0.0,
    }
}

/// What sizes mean for the aspect ratio.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Policy {
    Stretch,
    NotLarger,
    NotSmaller,
}

/// The attributes that came with version 18.
struct Extras {
    axes: Option<Vec<i64>>,
    antialias: bool,
    policy: Policy,
}

impl Extras {
    const NONE: Extras = Extras {
        axes: None,
        antialias: false,
        policy: Policy::Stretch,
    };

    fn read(call: &Call<'_>) -> Result<Extras, OpError> {
        let policy = match call.string("keep_aspect_ratio_policy")? {
            "stretch" => Policy::Stretch,
            "not_larger" => Policy::NotLarger,
            "not_smaller" => Policy::NotSmaller,
            other => {
                return Err(OpError::invalid(format!(
                    "`keep_aspect_ratio_policy` is {other:?}"
                )));
            }
        };
        Ok(Extras {
            axes: call.optional_ints("axes")?,
            antialias: call.flag("antialias")?,
            policy,
        })
    }
}

fn resize(
    call: &Call<'_>,
    transform: fn(&str) -> Result<Transform, OpError>,
    extras: &Extras,
) -> Result<Outputs, OpError> {
    let sampling = Sampling {
        filter: filter(call)?,
        transform: transform(call.string("coordinate_transformation_mode")?)?,
        antialias: extras.antialias,
        exclude_outside: call.flag("exclude_outside")?,
        extrapolation: call.float("extrapolation_value")?,
    };
    let shape = call.tensor(0)?.shape();
    let chosen = chosen_axes(extras.axes.as_deref(), shape.len())?;
    let extents: Vec<usize> = chosen.iter().map(|&axis| shape[axis]).collect();
    let rois = match sampling.transform {
        Transform::TfCropAndResize => regions(call, chosen.len())?,
        _ => vec![(0.0, 1.0); chosen.len()],
    };
    // An empty tensor stands for an input that is not given: version 11 has no other way.
    let scales = call.optional_tensor(2)?.filter(|scales| !scales.is_empty());
    let sizes = call.optional_integers(3)?.filter(|sizes| !sizes.is_empty());
    let resized = match (scales, sizes) {
        (Some(scales), None) => with_scales(&extents, &scales.to_vec()?, &rois)?,
        (None, Some(sizes)) => with_sizes(&extents, &layout::extents(&sizes)?, extras.policy, &rois)?,
        _ => {
            return Err(OpError::invalid(
                "one of `scales` and `sizes` must be given, and not both",
            ));
        }
    };
    let mut all: Vec<ResizedAxis> = shape
        .iter()
        .map(|&extent| ResizedAxis::unchanged(extent))
        .collect();
    for (&axis, resized) in chosen.iter().zip(resized) {
        all[axis] = resized;
    }
    one(resample(call, &all, &sampling)?)
}

fn filter(call: &Call<'_>) -> Result<Filter, OpError> {
    let round = match call.string("nearest_mode")? {
        "round_prefer_floor" => |x: f64| (x - 0.5).ceil(),
        "round_prefer_ceil" => |x: f64| (x + 0.5).floor(),
        "floor" => f64::floor,
        "ceil" => f64::ceil,
        mode => return Err(OpError::invalid(format!("`nearest_mode` is {mode:?}"))),
    };
    match call.string("mode")? {
        "nearest" => Ok(Filter::Nearest(round)),
        "linear" => Ok(Filter::Linear),
        "cubic" => Ok(Filter::Cubic(f64::from(call.float("cubic_coeff_a")?))),
        mode => Err(OpError::invalid(format!("`mode` is {mode:?}"))),
    }
}

fn chosen_axes(named: Option<&[i64]>, rank: usize) -> Result<Vec<usize>, OpError> {
    let Some(named) = named else {
        return Ok((0..rank).collect());
    };
    // Sorted axes show one that is named twice; the inputs follow the order in which they are named.
    axes::axes(named, rank)?;
    named.iter().map(|&axis| axes::axis(axis, rank)).collect()
}

/// Start and end for each of `count` axes.
fn regions(call: &Call<'_>, count: usize) -> Result<Vec<(f64, f64)>, OpError> {
    let roi = call.tensor(1)?;
    let values: Vec<f64> = dispatch!(float, roi.dtype(), T => {
        Ok::<_, OpError>(roi.array::<T>()?.iter().map(|value| value.to_f64()).collect())
    })?;
    if values.len() != 2 * count {
        return Err(OpError::invalid(format!(
            "{} numbers in `roi` for {count} axes",
            values.len()
        )));
    }
    let (starts, ends) = values.split_at(count);
    Ok(starts.iter().copied().zip(ends.iter().copied()).collect())
}

fn with_scales(extents: &[usize], scales: &[f32], rois: &[(f64, f64)]) -> Result<Vec<ResizedAxis>, OpError> {
    if scales.len() != extents.len() {
        return Err(OpError::invalid(format!(
            "{} scales for {} axes",
            scales.len(),
            extents.len()
        )));
    }
    let axes = extents.iter().zip(scales).zip(rois);
    axes.map(|((&extent, &scale), &roi)| by_scales(extent, scale, roi))
        .collect()
}

/// An axis whose extent is ⌊extent · (roi end − roi start) · scale⌋.
pub(super) fn by_scales(extent: usize, scale: f32, roi: (f64, f64)) -> Result<ResizedAxis, OpError> {
    let positive = scale > 0.0 && scale.is_finite();
    let target = (extent as f32 * (roi.1 - roi.0) as f32 * scale).floor();
    // 2^53 is far beyond every budget.
    if !positive || !(0.0..2_f32.powi(53)).contains(&target) {
        return Err(OpError::invalid(format!(
            "a scale of {scale} for an extent of {extent} and region {roi:?}"
        )));
    }
    Ok(ResizedAxis {
        from: extent,
        to: target as usize,
        scale: (f64::from(scale), 1.0),
        roi,
    })
}

fn with_sizes(
    extents: &[usize],
    sizes: &[usize],
    policy: Policy,
    rois: &[(f64, f64)],
) -> Result<Vec<ResizedAxis>, OpError> {
    if sizes.len() != extents.len() {
        return Err(OpError::invalid(format!(
            "{} sizes for {} axes",
            sizes.len(),
            extents.len()
        )));
    }
    if let Some(at) = extents
        .iter()
        .position(|&extent| extent == 0)
        .filter(|&at| sizes[at] != 0)
    {
        return Err(OpError::invalid(format!(
            "an extent of 0 cannot become {}",
            sizes[at]
        )));
    }
    let ratios = sizes.iter().copied().zip(extents.iter().copied());
    // a / b < c / d by their cross products: exact.
    let compare = |&(a, b): &(usize, usize), &(c, d): &(usize, usize)| {
        (a as u128 * d as u128).cmp(&(c as u128 * b as u128))
    };
    let common = match policy {
        Policy::Stretch => None,
        Policy::NotLarger => ratios.min_by(compare),
        Policy::NotSmaller => ratios.max_by(compare),
    };
    let axis = |((&from, &size), &roi): ((&usize, &usize), &(f64, f64))| {
        let (up, down) = common.unwrap_or((size, from));
        let to = common.map_or(Ok(size), |ratio| rounded(from, ratio))?;
        Ok(ResizedAxis {
            from,
            to,
            scale: (up as f64, down.max(1) as f64),
            roi,
        })
    };
    extents.iter().zip(sizes).zip(rois).map(axis).collect()
}

/// `extent · up / down` to the nearest integer, halves up.
fn rounded(extent: usize, (up, down): (usize, usize)) -> Result<usize, OpError> {
    let doubled = 2 * extent as u128 * up as u128 + down as u128;
    let result = doubled
        .checked_div(2 * down as u128)
        .and_then(|result| usize::try_from(result).ok());
    result.ok_or_else(|| OpError::invalid(format!("an extent of {extent} cannot be scaled by {up} / {down}")))
}
