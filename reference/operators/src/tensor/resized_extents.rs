//! The extents of resized axes: from scales, or from sizes with an aspect ratio policy.
//!
//! Interpretation, for Resize and Upsample: an extent is ⌊extent · scale⌋ with the product in float
//! (question `resize-extent`); a region of interest affects it only in `tf_crop_and_resize` (otherwise the
//! region is 0 to 1).

use num_rational::BigRational;
use num_traits::ToPrimitive;

use super::coordinates::ResizedAxis;
use crate::frame::{Call, OpError, Reading};
use crate::shared::number::Number;

/// The attribute `keep_aspect_ratio_policy`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Policy {
    Stretch,
    NotLarger,
    NotSmaller,
}

/// The default region of interest.
pub(super) const WHOLE: (f64, f64) = (0.0, 1.0);

/// The axes of `extents`, each with a scale and a region.
pub(super) fn with_scales(
    call: &Call<'_>,
    extents: &[usize],
    scales: &[f32],
    rois: &[(f64, f64)],
) -> Result<Vec<ResizedAxis>, OpError> {
    if scales.len() != extents.len() {
        return Err(OpError::invalid(format!(
            "expected one scale for each axis, got {} scales for {} axes",
            scales.len(),
            extents.len()
        )));
    }
    let axes = extents.iter().zip(scales).zip(rois);
    axes.map(|((&extent, &scale), &roi)| by_scale(call, extent, scale, roi))
        .collect()
}

/// An axis whose extent is ⌊extent · (roi end − roi start) · scale⌋.
fn by_scale(call: &Call<'_>, extent: usize, scale: f32, roi: (f64, f64)) -> Result<ResizedAxis, OpError> {
    let positive = scale > 0.0 && scale.is_finite();
    let finite = scale.is_finite() && roi.0.is_finite() && roi.1.is_finite();
    let target = if call.takes(Reading::ResizeExtentReal) && finite {
        let of = BigRational::of;
        let product = of(extent as f64) * (of(roi.1) - of(roi.0)) * of(f64::from(scale));
        Number::floor(&product).to_f64().unwrap_or(f64::INFINITY)
    } else {
        f64::from((extent as f32 * (roi.1 - roi.0) as f32 * scale).floor())
    };
    // 2^53 exceeds every budget.
    if !positive || !(0.0..2_f64.powi(53)).contains(&target) {
        return Err(OpError::invalid(format!(
            "a scale of {scale} is invalid for an extent of {extent} and the region {roi:?}"
        )));
    }
    Ok(ResizedAxis {
        from: extent,
        to: target as usize,
        scale: (f64::from(scale), 1.0),
        whole_length: call.takes(Reading::ResizeLengthWhole),
        roi,
    })
}

/// The axes of `extents`, each with a size (interpreted by the policy) and a region.
pub(super) fn with_sizes(
    extents: &[usize],
    sizes: &[usize],
    policy: Policy,
    rois: &[(f64, f64)],
) -> Result<Vec<ResizedAxis>, OpError> {
    if sizes.len() != extents.len() {
        return Err(OpError::invalid(format!(
            "expected one size for each axis, got {} sizes for {} axes",
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
            "an extent of 0 cannot be resized to {}",
            sizes[at]
        )));
    }
    let ratios = sizes.iter().copied().zip(extents.iter().copied());
    // Compares a / b and c / d by their cross products, which is exact.
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
            whole_length: false,
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
