//! The output extents of Resize and Upsample.

use crate::error::{Problem, invalid};
use crate::size::MAX_ELEMENTS;

/// `floor(extent · region · scale)`, computed in f32 as in onnx's shape inference and ONNX Runtime. The
/// scales of exporters are quotients of extents; 13 · 1.9230769 is 25 in f32 and less in f64.
pub fn scaled_extent(extent: usize, scale: f32, (start, end): (f64, f64)) -> Result<usize, Problem> {
    let scaled = (extent as f32 * (end - start) as f32 * scale).floor();
    let fits = scale > 0.0 && scale.is_finite() && (0.0..MAX_ELEMENTS as f32).contains(&scaled);
    if fits {
        Ok(scaled as usize)
    } else {
        invalid(format!("an extent of {extent} cannot be scaled by {scale}"))
    }
}

/// Returns the common ratio of sizes to extents that the policy for the aspect ratio selects.
pub fn common_ratio(policy: &str, ratios: &[(usize, usize)]) -> Result<Option<(usize, usize)>, Problem> {
    let ratios = ratios.iter().copied();
    // Compares a / b with c / d by their cross products, exactly.
    let compare = |&(a, b): &(usize, usize), &(c, d): &(usize, usize)| {
        (a as u128 * d as u128).cmp(&(c as u128 * b as u128))
    };
    match policy {
        "stretch" | "" => Ok(None),
        "not_larger" => Ok(ratios.min_by(compare)),
        "not_smaller" => Ok(ratios.max_by(compare)),
        other => invalid(format!("unknown keep_aspect_ratio_policy `{other}`")),
    }
}

/// `extent · up / down` rounded to the nearest integer, ties up.
pub fn rounded(extent: usize, (up, down): (usize, usize)) -> Result<usize, Problem> {
    let doubled = 2 * extent as u128 * up as u128 + down as u128;
    let scaled = doubled.checked_div(2 * down as u128);
    let scaled = scaled.and_then(|scaled| usize::try_from(scaled).ok());
    scaled.ok_or_else(|| Problem::Invalid(format!("an extent of {extent} cannot be scaled by {up} / {down}")))
}
