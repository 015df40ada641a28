//! The coordinate transformation modes of Resize: the position in the original of a position along a
//! resized axis.
//!
//! A scale is stored as a quotient of two numbers, so that the quotient of two extents is not rounded. For
//! nearest neighbours with a scale that the node sets, coordinates are computed in float, the type of the
//! scale, like extents: a coordinate selects one neighbour, and 3 / 0.6f is 5 in float and 4.9999998 in
//! real arithmetic. PyTorch, ONNX Runtime, tract and onnx.reference (with NumPy 2) compute in float
//! (question `resize-nearest`). Every other coordinate that selects a neighbour or weighs integers is a
//! rational number ([`Number`]); weights of floats are computed in double.
//!
//! Interpretation: `length_resized` (question `resize-length`) follows the text's equation `scale =
//! length_resized / length_original`: it is a fraction if a scale is set, not the extent that is rounded
//! down from it. Only then do all equations of the text and the official cases agree. (ONNX Runtime uses
//! the rounded extent in `align_corners`, so that the corners coincide for every scale, and in
//! `pytorch_half_pixel`: 4 elements with the scale 0.375 are 1 element at position 0 there, and at 0.5 /
//! 0.375 − 0.5 here and in onnx.reference.) `align_corners` to a length of 1 is position 0. An axis whose
//! scale is 1 is not resized, which matters only for `tf_half_pixel_for_nn`.

use crate::frame::{Call, Deviation, OpError};
use crate::shared::number::Number;

/// How one axis is resized.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct ResizedAxis {
    /// The extent of the input.
    pub from: usize,
    /// The extent of the output.
    pub to: usize,
    /// The scale is `scale.0 / scale.1`.
    pub scale: (f64, f64),
    /// Whether `length_resized` is the extent of the output also if a scale is set.
    pub whole_length: bool,
    /// Start and end of the region of interest; 0 and 1 are the ends of the axis.
    pub roi: (f64, f64),
}

impl ResizedAxis {
    /// An axis that is not resized.
    pub(super) fn unchanged(extent: usize) -> Self {
        ResizedAxis {
            from: extent,
            to: extent,
            scale: (1.0, 1.0),
            whole_length: false,
            roi: (0.0, 1.0),
        }
    }

    /// Whether the node sets the scale, instead of extents.
    pub(super) fn has_given_scale(&self) -> bool {
        self.scale.1 == 1.0
    }

    /// `length_resized` of the text: the extent of the output before it is rounded down.
    fn length_resized<F: Number>(&self) -> F {
        if self.whole_length {
            F::of(self.to as f64)
        } else {
            F::of(self.from as f64) * F::of(self.scale.0) / F::of(self.scale.1)
        }
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
    /// The modes of versions 13 and 18. `tf_half_pixel_for_nn` of version 11 is a deviation.
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
            "`coordinate_transformation_mode` is {name:?}, which this version does not have"
        ))
    }

    /// The modes of version 11, which has `tf_half_pixel_for_nn`.
    pub(super) fn named_11(call: &Call<'_>, name: &str) -> Result<Transform, OpError> {
        if name == "tf_half_pixel_for_nn" {
            Ok(Transform::TfHalfPixelForNn)
        } else {
            Transform::named_13(call, name)
        }
    }

    /// The modes of version 19, which adds `half_pixel_symmetric`.
    pub(super) fn named_19(call: &Call<'_>, name: &str) -> Result<Transform, OpError> {
        if name == "half_pixel_symmetric" {
            Ok(Transform::HalfPixelSymmetric)
        } else {
            Transform::named_13(call, name)
        }
    }

    /// The coordinate in the original of position `at` of the resized axis, with every operation in `F`;
    /// `None` means the extrapolation value.
    pub(super) fn original<F: Number>(self, at: usize, axis: &ResizedAxis) -> Option<F> {
        let (x, half) = (F::of(at as f64), F::of(0.5));
        let unchanged = axis.scale.0 == axis.scale.1 && axis.from == axis.to;
        let (up, down) = (F::of(axis.scale.0), F::of(axis.scale.1));
        let from = F::of(axis.from as f64);
        let length = axis.length_resized::<F>();
        let half_pixel = |x: F| (x + half.clone()) * down.clone() / up.clone() - half.clone();
        Some(match self {
            Transform::TfCropAndResize => return cropped(x, axis),
            _ if unchanged => x,
            Transform::PytorchHalfPixel if length <= F::one() => F::zero(),
            Transform::HalfPixel | Transform::PytorchHalfPixel => half_pixel(x),
            Transform::HalfPixelSymmetric => {
                let to = F::of(axis.to as f64);
                from * half.clone() * (F::one() - to / length) + half_pixel(x)
            }
            Transform::AlignCorners if length == F::one() => F::zero(),
            Transform::AlignCorners => x * (from - F::one()) / (length - F::one()),
            Transform::Asymmetric => x * down / up,
            Transform::TfHalfPixelForNn => (x + half) * down / up,
        })
    }
}

/// `tf_crop_and_resize`: the region of interest fills the resized axis.
fn cropped<F: Number>(x: F, axis: &ResizedAxis) -> Option<F> {
    if !axis.roi.0.is_finite() || !axis.roi.1.is_finite() {
        return None;
    }
    let (start, end) = (F::of(axis.roi.0), F::of(axis.roi.1));
    let last = F::of(axis.from as f64) - F::one();
    let length = axis.length_resized::<F>();
    let coordinate = if length > F::one() {
        start.clone() * last.clone() + x * (end - start) * last.clone() / (length - F::one())
    } else {
        F::of(0.5) * (start + end) * last.clone()
    };
    (F::zero()..=last).contains(&coordinate).then_some(coordinate)
}
