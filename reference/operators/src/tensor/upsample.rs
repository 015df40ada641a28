//! Upsample — enlarges a tensor; deprecated from version 10 on in favour of Resize.
//!
//! Version 1 has two scales, of height and width, and the modes `nearest` and `bilinear`; version 7 a scale for each axis and
//! the modes `nearest` and `linear`; version 9 takes the scales as an input. An extent is ⌊extent · scale⌋, computed in float.
//! Reading: none says where a position lies in the input or which neighbour is nearest; it is `asymmetric` and `floor` in the
//! terms of Resize 11, as in Resize 10 and in the official cases.

use super::coordinates::ResizedAxis;
use super::resampling::{Filter, resample};
use super::resize::{by_scales, plain_sampling};
use crate::frame::Change::{First, Semantics, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};

pub const OP: OpDef = op(
    "Upsample",
    &[
        v(1, First, upsample_1),
        v(7, Semantics, |call| {
            upsample(call, &call.floats("scales")?, "linear")
        }),
        v(9, Semantics, upsample_9),
        v(10, Wording, upsample_9),
    ],
);

fn upsample_1(call: &Call<'_>) -> Result<Outputs, OpError> {
    upsample(
        call,
        &[1.0, 1.0, call.float("height_scale")?, call.float("width_scale")?],
        "bilinear",
    )
}

fn upsample_9(call: &Call<'_>) -> Result<Outputs, OpError> {
    upsample(call, &call.tensor(1)?.to_vec::<f32>()?, "linear")
}

/// `linear` is how the version calls the mode that is not `nearest`.
fn upsample(call: &Call<'_>, scales: &[f32], linear: &str) -> Result<Outputs, OpError> {
    let filter = match call.string("mode")? {
        "nearest" => Filter::Nearest(f64::floor),
        mode if mode == linear => Filter::Linear,
        mode => return Err(OpError::invalid(format!("`mode` is {mode:?}"))),
    };
    if let Some(scale) = scales.iter().find(|&&scale| scale < 1.0) {
        return Err(OpError::invalid(format!("a scale of {scale} does not enlarge")));
    }
    let shape = call.tensor(0)?.shape();
    if scales.len() != shape.len() {
        return Err(OpError::invalid(format!(
            "{} scales for shape {shape:?}",
            scales.len()
        )));
    }
    let axes = shape
        .iter()
        .zip(scales)
        .map(|(&extent, &scale)| by_scales(extent, scale, (0.0, 1.0)));
    let axes = axes.collect::<Result<Vec<ResizedAxis>, _>>()?;
    one(resample(call, &axes, &plain_sampling(filter))?)
}
