//! The core of Resize and Upsample: resamples a tensor along its axes, one after the other.
//!
//! Precision: weights and sums in f64, rounded once at the end. Results of float, float16 and bfloat16 are
//! correctly rounded except for an error of about 1e-15 of the largest sample; for double that is the
//! bound. Integers are truncated at the end: the text does not say how (question `resize-integers`), but
//! that of GridSample does ("cast to integer at the end"). A sample of weight zero is not read, so that it
//! cannot be an infinity times zero.

use ndarray::{ArrayD, Axis, IxDyn};
use onnx_tensor::{DType, Real, Tensor, dispatch};

use super::coordinates::{ResizedAxis, Transform};
use crate::frame::{Call, OpError, Reading};
use crate::shared::layout::{self, AxisMap};

/// The interpolation between positions.
#[derive(Clone, Copy, Debug)]
pub(super) enum Filter {
    /// The nearest position; a function of a coordinate and its axis decides ties and direction.
    Nearest(fn(f64, &ResizedAxis) -> f64),
    /// Linear between the two adjacent positions.
    Linear,
    /// Cubic over the four adjacent positions, with Keys' coefficient `a`.
    Cubic(f64),
}

/// How a tensor is sampled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sampling {
    pub filter: Filter,
    pub transform: Transform,
    /// Whether the filter is stretched when the tensor shrinks.
    pub antialias: bool,
    /// Whether samples outside are excluded; otherwise they use the outermost element.
    pub exclude_outside: bool,
    /// The value of positions outside in `tf_crop_and_resize`.
    pub extrapolation: f32,
}

impl Sampling {
    /// The factor by which the filter is stretched along an axis.
    fn shrink(&self, axis: &ResizedAxis) -> f64 {
        let (up, down) = axis.scale;
        if self.antialias { (up / down).min(1.0) } else { 1.0 }
    }

    /// The distance that the filter covers on either side of a coordinate.
    fn reach(&self, axis: &ResizedAxis) -> f64 {
        let radius = match self.filter {
            Filter::Cubic(_) => 2.0,
            Filter::Nearest(_) | Filter::Linear => 1.0,
        };
        radius / self.shrink(axis)
    }
}

/// The samples and weights of each position along an axis; `None` means the extrapolation value.
type AxisSamples = Vec<Option<Vec<(usize, f64)>>>;

/// Input 0 of `call`, resized along each of its axes.
pub(super) fn resample(
    call: &Call<'_>,
    axes: &[ResizedAxis],
    sampling: &Sampling,
) -> Result<Tensor, OpError> {
    let x = call.tensor(0)?;
    let shape: Vec<usize> = axes.iter().map(|axis| axis.to).collect();
    call.reserve(&shape, x.dtype())?;
    if shape.contains(&0) {
        return layout::empty(x.dtype(), &shape);
    }
    if x.is_empty() {
        return Err(OpError::invalid(format!(
            "an input of shape {:?} has no element to sample",
            x.shape()
        )));
    }
    if let Filter::Nearest(round) = sampling.filter {
        let maps: Vec<AxisMap> = axes
            .iter()
            .map(|axis| nearest(call, axis, sampling.transform, round))
            .collect();
        let outside = maps.iter().flatten().any(Option::is_none);
        let fill = outside.then(|| layout::number(x.dtype(), f64::from(sampling.extrapolation)));
        return layout::remap(x, &maps, fill.transpose()?.as_ref());
    }
    charge(call, axes, sampling)?;
    let samples = axes
        .iter()
        .map(|axis| weighted(axis, sampling))
        .collect::<Result<Vec<_>, _>>()?;
    let round = !x.dtype().is_float() && call.takes(Reading::ResizeIntegersRound);
    dispatch!(real, x.dtype(), T => {
        let last = |value: f64| T::from_f64(if round { value.round_ties_even() } else { value });
        interpolate::<T>(x, &samples, f64::from(sampling.extrapolation), last)
    })
}

fn nearest(
    call: &Call<'_>,
    axis: &ResizedAxis,
    transform: Transform,
    round: fn(f64, &ResizedAxis) -> f64,
) -> AxisMap {
    let in_float = axis.has_given_scale() && !call.takes(Reading::ResizeNearestReal);
    let last = axis.from as f64 - 1.0;
    let position = |at| {
        let coordinate = match in_float {
            true => transform.original::<f32>(at, axis).map(f64::from),
            false => transform.original::<f64>(at, axis),
        };
        coordinate.map(|coordinate| round(coordinate, axis).clamp(0.0, last) as usize)
    };
    (0..axis.to).map(position).collect()
}

/// Reserves the samples of each axis and the intermediate tensors, and charges the reads.
fn charge(call: &Call<'_>, axes: &[ResizedAxis], sampling: &Sampling) -> Result<(), OpError> {
    let between: Vec<usize> = axes.iter().map(|axis| axis.from.max(axis.to)).collect();
    call.reserve(&between, DType::Double)?;
    for axis in axes {
        // The conversion saturates: the budget rejects any saturated count.
        let samples = (2.0 * sampling.reach(axis)).ceil() as usize;
        call.reserve(&[axis.to, samples.saturating_add(1)], DType::Complex128)?;
        call.work(&[&between[..], &[samples]].concat())?;
    }
    Ok(())
}

fn weighted(axis: &ResizedAxis, sampling: &Sampling) -> Result<AxisSamples, OpError> {
    let shrink = sampling.shrink(axis);
    let samples = |at| {
        let coordinate = sampling.transform.original::<f64>(at, axis);
        coordinate
            .map(|coordinate| samples_around(coordinate, axis.from, shrink, sampling))
            .transpose()
    };
    (0..axis.to).map(samples).collect()
}

/// The positions around `coordinate` that the filter, stretched by `1 / shrink`, covers.
fn samples_around(
    coordinate: f64,
    extent: usize,
    shrink: f64,
    sampling: &Sampling,
) -> Result<Vec<(usize, f64)>, OpError> {
    let (kernel, reach): (&dyn Fn(f64) -> f64, f64) = match &sampling.filter {
        Filter::Cubic(a) => (&|distance| cubic(distance, *a), 2.0 / shrink),
        _ => (&|distance: f64| (1.0 - distance).max(0.0), 1.0 / shrink),
    };
    let last = extent as f64 - 1.0;
    let mut samples = Vec::new();
    let mut at = (coordinate - reach).ceil();
    while at <= coordinate + reach {
        let weight = kernel(((at - coordinate) * shrink).abs());
        let inside = (0.0..=last).contains(&at);
        if weight != 0.0 && (inside || !sampling.exclude_outside) {
            samples.push((at.clamp(0.0, last) as usize, weight));
        }
        at += 1.0;
    }
    if sampling.antialias || sampling.exclude_outside {
        normalise(&mut samples, coordinate)?;
    }
    Ok(samples)
}

fn normalise(samples: &mut [(usize, f64)], coordinate: f64) -> Result<(), OpError> {
    let sum: f64 = samples.iter().map(|(_, weight)| weight).sum();
    if sum == 0.0 {
        return Err(OpError::undefined(format!(
            "the weights around {coordinate} sum to zero"
        )));
    }
    samples.iter_mut().for_each(|(_, weight)| *weight /= sum);
    Ok(())
}

/// Keys, "Cubic convolution interpolation for digital image processing" (1981), equation (4).
pub(super) fn cubic(distance: f64, a: f64) -> f64 {
    let d = distance;
    if d <= 1.0 {
        ((a + 2.0) * d - (a + 3.0)) * d * d + 1.0
    } else if d < 2.0 {
        ((a * d - 5.0 * a) * d + 8.0 * a) * d - 4.0 * a
    } else {
        0.0
    }
}

/// `last` converts the sums to elements.
fn interpolate<T: Real>(
    x: &Tensor,
    axes: &[AxisSamples],
    extrapolation: f64,
    last: impl Fn(f64) -> T,
) -> Result<Tensor, OpError> {
    let mut data: Vec<f64> = x.array::<T>()?.iter().map(|value| value.to_f64()).collect();
    let mut shape = x.shape().to_vec();
    for (axis, samples) in axes.iter().enumerate() {
        data = along(&data, &shape, axis, samples);
        shape[axis] = samples.len();
    }
    let mut result = ArrayD::from_shape_vec(IxDyn(&shape), data)?;
    for (axis, samples) in axes.iter().enumerate() {
        for (at, _) in samples
            .iter()
            .enumerate()
            .filter(|(_, samples)| samples.is_none())
        {
            result.index_axis_mut(Axis(axis), at).fill(extrapolation);
        }
    }
    Ok(Tensor::from(result.mapv(last)))
}

/// Weighted sums along one axis of row-major `data`.
fn along(data: &[f64], shape: &[usize], axis: usize, samples: &AxisSamples) -> Vec<f64> {
    let inner: usize = shape[axis + 1..].iter().product();
    let block = shape[axis] * inner;
    let mut result = Vec::with_capacity(data.len() / shape[axis] * samples.len());
    for block in data.chunks_exact(block) {
        for samples in samples {
            let begin = result.len();
            result.resize(begin + inner, 0.0);
            for &(at, weight) in samples.iter().flatten() {
                let source = &block[at * inner..(at + 1) * inner];
                result[begin..]
                    .iter_mut()
                    .zip(source)
                    .for_each(|(sum, &value)| *sum += weight * value);
            }
        }
    }
    result
}
