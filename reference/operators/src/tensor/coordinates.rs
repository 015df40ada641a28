//! Where a position along an axis of a resized tensor lies along that axis of the original: the coordinate transformation
//! modes of Resize.
//!
//! A scale is kept as a quotient of two numbers, so that one that comes of two extents is not rounded.
//! Readings: `length_resized` is what the text's equation `scale = length_resized / length_original` makes it, a fraction
//! where a scale was given, and not the extent that is rounded down from it: only so do all equations of the text hold
//! together, and the official cases with them. (ONNX Runtime takes the rounded extent in `align_corners`, so that the corners
//! meet whatever the scale, and in `pytorch_half_pixel`: 4 elements with the scale 0.375 are 1 element at position 0 there, at
//! 0.5 / 0.375 − 0.5 here and in onnx.reference.) `align_corners` to a length of 1 is position 0; an axis whose scale is 1 is not resized, which
//! matters for `tf_half_pixel_for_nn` alone.

use crate::frame::{Call, Deviation, OpError};

/// How one axis is resized.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct ResizedAxis {
    /// The extent of the input.
    pub from: usize,
    /// The extent of the output.
    pub to: usize,
    /// The scale is `scale.0 / scale.1`.
    pub scale: (f64, f64),
    /// Start and end of the region of interest, 0 and 1 at the ends of the axis.
    pub roi: (f64, f64),
}

impl ResizedAxis {
    /// An axis that stays as it is.
    pub(super) fn unchanged(extent: usize) -> Self {
        ResizedAxis {
            from: extent,
            to: extent,
            scale: (1.0, 1.0),
            roi: (0.0, 1.0),
        }
    }

    /// `length_resized` of the text: the extent of the output before it is rounded down.
    fn length_resized(&self) -> f64 {
        self.from as f64 * self.scale.0 / self.scale.1
    }
}

/// A coordinate transformation mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Transform {
    HalfPixel,
    HalfPixelSymmetric,
    PytorchHalfPixel,
    AlignCorners,
    Asymmetric,
    TfHalfPixelForNn,
    TfCropAndResize,
}

impl Transform {
    /// The modes of versions 13 and 18. `tf_half_pixel_for_nn`, which version 11 has, is a deviation.
    pub(super) fn named_13(call: &Call<'_>, name: &str) -> Result<Transform, OpError> {
        match name {
            "tf_half_pixel_for_nn" => {
                call.deviate(Deviation::TfHalfPixelForNn, Transform::unknown(name))?;
                Ok(Transform::TfHalfPixelForNn)
            }
            "half_pixel" => Ok(Transform::HalfPixel),
            "pytorch_half_pixel" => Ok(Transform::PytorchHalfPixel),
            "align_corners" => Ok(Transform::AlignCorners),
            "asymmetric" => Ok(Transform::Asymmetric),
            "tf_crop_and_resize" => Ok(Transform::TfCropAndResize),
            _ => Err(Transform::unknown(name)),
        }
    }

    fn unknown(name: &str) -> OpError {
        OpError::invalid(format!(
            "`coordinate_transformation_mode` is {name:?}, which this version does not know"
        ))
    }

    /// Version 11 has one more.
    pub(super) fn named_11(call: &Call<'_>, name: &str) -> Result<Transform, OpError> {
        if name == "tf_half_pixel_for_nn" {
            Ok(Transform::TfHalfPixelForNn)
        } else {
            Transform::named_13(call, name)
        }
    }

    /// Version 19 has another.
    pub(super) fn named_19(call: &Call<'_>, name: &str) -> Result<Transform, OpError> {
        if name == "half_pixel_symmetric" {
            Ok(Transform::HalfPixelSymmetric)
        } else {
            Transform::named_13(call, name)
        }
    }

    /// The coordinate in the original of position `at` of the resized axis; `None` where the extrapolation value is due.
    pub(super) fn original(self, at: usize, axis: &ResizedAxis) -> Option<f64> {
        let (x, (up, down)) = (at as f64, axis.scale);
        let half_pixel = (x + 0.5) * down / up - 0.5;
        let length = axis.length_resized();
        let coordinate = match self {
            Transform::TfCropAndResize => return cropped(x, axis),
            _ if up == down && axis.from == axis.to => x,
            Transform::HalfPixel => half_pixel,
            Transform::PytorchHalfPixel => {
                if length > 1.0 {
                    half_pixel
                } else {
                    0.0
                }
            }
            Transform::HalfPixelSymmetric => {
                axis.from as f64 / 2.0 * (1.0 - axis.to as f64 / length) + half_pixel
            }
            Transform::AlignCorners if length == 1.0 => 0.0,
            Transform::AlignCorners => x * (axis.from as f64 - 1.0) / (length - 1.0),
            Transform::Asymmetric => x * down / up,
            Transform::TfHalfPixelForNn => (x + 0.5) * down / up,
        };
        Some(coordinate)
    }
}

/// `tf_crop_and_resize`: the region of interest fills the resized axis.
fn cropped(x: f64, axis: &ResizedAxis) -> Option<f64> {
    let (start, end) = axis.roi;
    let (last, length) = (axis.from as f64 - 1.0, axis.length_resized());
    let coordinate = if length > 1.0 {
        start * last + x * (end - start) * last / (length - 1.0)
    } else {
        0.5 * (start + end) * last
    };
    (0.0..=last).contains(&coordinate).then_some(coordinate)
}
