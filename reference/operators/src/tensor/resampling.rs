//! The core of Resize and Upsample: resamples a tensor along its axes, one after the other.
//!
//! Precision of floats: weights and sums in f64, rounded once at the end. Results of float, float16 and
//! bfloat16 are correctly rounded except for an error of about 1e-15 of the largest sample; for double that
//! is the bound. Integers are exact: weights are rational numbers, and only the last step makes an integer
//! of one (question `resize-integers`). A sample of weight zero is not read, so that it cannot be an
//! infinity times zero.

use ndarray::{ArrayD, Axis, IxDyn};
use num_rational::BigRational;
use onnx_tensor::{DType, Real, Tensor, dispatch};

use super::coordinates::{ResizedAxis, Transform};
use super::integer_sums::{self, Rounding};
use crate::frame::{Call, OpError, Reading};
use crate::shared::layout::{self, AxisMap};
use crate::shared::number::Number;

/// The interpolation between positions.
#[derive(Clone, Copy, Debug)]
pub(super) enum Filter {
    /// The nearest position.
    Nearest(Nearest),
    /// Linear between the two adjacent positions.
    Linear,
    /// Cubic over the four adjacent positions, with Keys' coefficient `a`.
    Cubic(f64),
}

/// Which position is the nearest to a coordinate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Nearest {
    Floor,
    Ceil,
    /// The nearest one; of two, the lower.
    PreferFloor,
    /// The nearest one; of two, the upper.
    PreferCeil,
    /// The next one below, or above along an axis that shrinks.
    ByDirection,
}

impl Nearest {
    fn of<F: Number>(self, x: F, axis: &ResizedAxis) -> F {
        let half = || F::of(0.5);
        match self {
            Nearest::Floor => x.floor(),
            Nearest::Ceil => x.ceil(),
            Nearest::PreferFloor => (x - half()).ceil(),
            Nearest::PreferCeil => (x + half()).floor(),
            Nearest::ByDirection if axis.scale.0 < axis.scale.1 => x.ceil(),
            Nearest::ByDirection => x.floor(),
        }
    }
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
    fn shrink<F: Number>(&self, axis: &ResizedAxis) -> F {
        match axis.scale {
            (up, down) if self.antialias && up < down => F::of(up) / F::of(down),
            _ => F::one(),
        }
    }

    /// The distance that the filter covers on either side of a coordinate.
    fn reach<F: Number>(&self, axis: &ResizedAxis) -> F {
        let radius = match self.filter {
            Filter::Cubic(_) => 2.0,
            Filter::Nearest(_) | Filter::Linear => 1.0,
        };
        F::of(radius) / self.shrink(axis)
    }

    /// The weight of a sample at `distance` from the coordinate, in steps of the stretched filter.
    fn weight<F: Number>(&self, distance: F) -> F {
        match self.filter {
            Filter::Cubic(a) => cubic(distance, &F::of(a)),
            _ if distance >= F::one() => F::zero(),
            _ => F::one() - distance,
        }
    }
}

/// The samples and weights of each position along an axis; `None` means the extrapolation value.
pub(super) type AxisSamples<F> = Vec<Option<Vec<(usize, F)>>>;

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
    if let Filter::Nearest(nearest) = sampling.filter {
        let maps: Vec<AxisMap> = axes
            .iter()
            .map(|axis| positions(call, axis, sampling.transform, nearest))
            .collect();
        let outside = maps.iter().flatten().any(Option::is_none);
        let fill = outside.then(|| layout::number(x.dtype(), f64::from(sampling.extrapolation)));
        return layout::remap(x, &maps, fill.transpose()?.as_ref());
    }
    charge(call, axes, sampling)?;
    if x.dtype().is_float() {
        let samples = weighted::<f64>(axes, sampling)?;
        return dispatch!(float, x.dtype(), T => interpolate::<T>(x, &samples, sampling.extrapolation));
    }
    if let Filter::Cubic(a) = sampling.filter
        && !a.is_finite()
    {
        return Err(OpError::undefined(format!(
            "integers with weights of a coefficient of {a}"
        )));
    }
    let rounding = if call.takes(Reading::ResizeIntegersRound) {
        Rounding::Nearest
    } else {
        Rounding::TowardZero
    };
    dispatch!(int, x.dtype(), T => {
        let samples = weighted::<BigRational>(axes, sampling)?;
        integer_sums::along_axes::<T>(x, &samples, sampling.extrapolation, rounding)
    })
}

/// The position in the original of each position of the resized axis; `None` means the extrapolation value.
fn positions(call: &Call<'_>, axis: &ResizedAxis, transform: Transform, nearest: Nearest) -> AxisMap {
    if axis.has_given_scale() && !call.takes(Reading::ResizeNearestReal) {
        // The rounding itself is exact in f64.
        let coordinate = |at| transform.original::<f32>(at, axis).map(f64::from);
        return selected(axis, nearest, coordinate);
    }
    selected(axis, nearest, |at| transform.original::<BigRational>(at, axis))
}

fn selected<F: Number>(
    axis: &ResizedAxis,
    nearest: Nearest,
    coordinate: impl Fn(usize) -> Option<F>,
) -> AxisMap {
    let (first, last) = (F::zero(), F::of(axis.from as f64 - 1.0));
    let position = |at| {
        let place = |x: F| nearest.of(x, axis).clamped(&first, &last).index();
        coordinate(at).map(place)
    };
    (0..axis.to).map(position).collect()
}

/// Reserves the samples of each axis and the intermediate tensors, and charges the reads.
fn charge(call: &Call<'_>, axes: &[ResizedAxis], sampling: &Sampling) -> Result<(), OpError> {
    let between: Vec<usize> = axes.iter().map(|axis| axis.from.max(axis.to)).collect();
    // Floats are summed in f64, integers in 128 bits over denominators of 128 bits.
    let sums = if call.dtype(0)?.is_float() {
        DType::Double
    } else {
        DType::Complex128
    };
    call.reserve(&between, sums)?;
    for axis in axes {
        // The conversion saturates: the budget rejects any saturated count.
        let samples = (2.0 * sampling.reach::<f64>(axis)).ceil() as usize;
        call.reserve(&[axis.to, samples.saturating_add(1)], DType::Complex128)?;
        call.work(&[&between[..], &[samples]].concat())?;
    }
    Ok(())
}

/// The samples of each axis.
fn weighted<F: Number>(axes: &[ResizedAxis], sampling: &Sampling) -> Result<Vec<AxisSamples<F>>, OpError> {
    let of_axis = |axis: &ResizedAxis| {
        let samples = |at| {
            let coordinate = sampling.transform.original::<F>(at, axis);
            coordinate
                .map(|coordinate| samples_around(&coordinate, axis, sampling))
                .transpose()
        };
        (0..axis.to).map(samples).collect()
    };
    axes.iter().map(of_axis).collect()
}

/// The positions around `coordinate` that the stretched filter covers, with their weights.
fn samples_around<F: Number>(
    coordinate: &F,
    axis: &ResizedAxis,
    sampling: &Sampling,
) -> Result<Vec<(usize, F)>, OpError> {
    let (shrink, reach) = (sampling.shrink::<F>(axis), sampling.reach::<F>(axis));
    let (first, last) = (F::zero(), F::of(axis.from as f64 - 1.0));
    let end = coordinate.clone() + reach.clone();
    let mut samples = Vec::new();
    let mut at = (coordinate.clone() - reach).ceil();
    while at <= end {
        let distance = ((at.clone() - coordinate.clone()) * shrink.clone()).magnitude();
        let weight = sampling.weight(distance);
        let inside = first <= at && at <= last;
        if !weight.is_zero() && (inside || !sampling.exclude_outside) {
            samples.push((at.clone().clamped(&first, &last).index(), weight));
        }
        at = at + F::one();
    }
    if sampling.antialias || sampling.exclude_outside {
        normalise(&mut samples, axis)?;
    }
    Ok(samples)
}

fn normalise<F: Number>(samples: &mut [(usize, F)], axis: &ResizedAxis) -> Result<(), OpError> {
    let add = |sum: F, (_, weight): &(usize, F)| sum + weight.clone();
    let sum = samples.iter().fold(F::zero(), add);
    if sum.is_zero() {
        return Err(OpError::undefined(format!(
            "the weights of a position sum to zero along an axis resized from {} to {}",
            axis.from, axis.to
        )));
    }
    for (_, weight) in samples {
        *weight = weight.clone() / sum.clone();
    }
    Ok(())
}

/// Keys, "Cubic convolution interpolation for digital image processing" (1981), equation (4).
pub(super) fn cubic<F: Number>(distance: F, a: &F) -> F {
    let (d, a) = (|| distance.clone(), || a.clone());
    let of = F::of;
    if distance <= of(1.0) {
        ((a() + of(2.0)) * d() - (a() + of(3.0))) * d() * d() + of(1.0)
    } else if distance < of(2.0) {
        ((a() * d() - of(5.0) * a()) * d() + of(8.0) * a()) * d() - of(4.0) * a()
    } else {
        F::zero()
    }
}

fn interpolate<T: Real>(
    x: &Tensor,
    axes: &[AxisSamples<f64>],
    extrapolation: f32,
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
            result
                .index_axis_mut(Axis(axis), at)
                .fill(f64::from(extrapolation));
        }
    }
    Ok(Tensor::from(result.mapv(T::from_f64)))
}

/// Weighted sums along one axis of row-major `data`.
fn along(data: &[f64], shape: &[usize], axis: usize, samples: &AxisSamples<f64>) -> Vec<f64> {
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
