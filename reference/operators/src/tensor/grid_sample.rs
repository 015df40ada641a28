//! GridSample — samples `X` at the positions of a grid, with interpolation.
//!
//! Version 16 has two spatial axes and the modes `bilinear`, `nearest`, `bicubic`; version 20 has any
//! number and the modes `linear`, `nearest`, `cubic`. A grid position lists its coordinates from the
//! innermost axis to the outermost. Precision of floats: coordinates, weights and sums in f64, rounded once.
//! Positions that select one element, and weights of integers, are rational numbers: only the last step
//! makes an integer of a sum, toward zero.
//!
//! Interpretation:
//! - The text does not define the conversion of interpolated integers; onnx.reference assigns to an integer
//!   array, which truncates.
//! - Nearest copies elements of any type; ties go to the even position. It rounds a position before padding
//!   applies.
//! - The coefficient of cubic is −0.75, as in PyTorch, to which the text refers.
//! - Padding applies to each sample around a position outside, as in PyTorch and ONNX Runtime.
//!   (onnx.reference first moves a position beyond −1 and 1. The two differ only for cubic with `border`,
//!   which no official case has.)
//! - A coordinate that is not finite is undefined; an empty spatial axis cannot be sampled.

use num_bigint::BigInt;
use num_rational::BigRational;
use onnx_tensor::{DType, Float, Int, Real, Tensor, dispatch};

use super::indices::strides;
use super::integer_sums::{Rounding, Weights, Whole, fit_i128};
use super::resampling::cubic;
use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, Reading, one, op, v};
use crate::shared::layout;
use crate::shared::number::Number;

pub const OP: OpDef = op(
    "GridSample",
    &[
        v(16, First, grid_sample_16),
        v(20, Semantics, |call| {
            grid_sample(call, ["linear", "nearest", "cubic"])
        }),
        v(22, TypesOnly, |call| {
            grid_sample(call, ["linear", "nearest", "cubic"])
        }),
    ],
);

fn grid_sample_16(call: &Call<'_>) -> Result<Outputs, OpError> {
    match call.tensor(0)?.rank() {
        4 => grid_sample(call, ["bilinear", "nearest", "bicubic"]),
        rank => Err(OpError::invalid(format!(
            "version 16 of GridSample requires rank 4, got {rank}"
        ))),
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    Linear,
    Nearest,
    Cubic,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Padding {
    Zeros,
    Border,
    Reflection,
}

/// The attributes.
struct Sampler {
    mode: Mode,
    padding: Padding,
    align_corners: bool,
    /// Whether padding moves the position first (question `grid-sample-padding`).
    moved: bool,
    /// Whether a position is reflected before it is rounded (question `grid-sample-nearest`).
    reflected: bool,
    /// How a sum of integers becomes an integer (question `grid-sample-integers`).
    rounding: Rounding,
}

/// The coefficient `a` of PyTorch's bicubic interpolation.
const CUBIC_COEFFICIENT: f64 = -0.75;

impl Sampler {
    fn read(call: &Call<'_>, names: [&str; 3]) -> Result<Sampler, OpError> {
        let modes = [Mode::Linear, Mode::Nearest, Mode::Cubic];
        let mode = call.string("mode")?;
        let found = names.iter().position(|&name| name == mode).map(|at| modes[at]);
        let padding = match call.string("padding_mode")? {
            "zeros" => Padding::Zeros,
            "border" => Padding::Border,
            "reflection" => Padding::Reflection,
            other => return Err(OpError::invalid(format!("`padding_mode` is {other:?}"))),
        };
        Ok(Sampler {
            mode: found
                .ok_or_else(|| OpError::invalid(format!("`mode` is {mode:?}, expected one of {names:?}")))?,
            padding,
            align_corners: call.flag("align_corners")?,
            moved: call.takes(Reading::GridSamplePaddingPosition),
            reflected: call.takes(Reading::GridSampleNearestReflected),
            rounding: if call.takes(Reading::GridSampleIntegersRound) {
                Rounding::Nearest
            } else {
                Rounding::TowardZero
            },
        })
    }

    /// The number of samples along an axis for one value.
    fn reads(&self) -> usize {
        match self.mode {
            Mode::Nearest => 1,
            Mode::Linear => 2,
            Mode::Cubic => 4,
        }
    }

    /// The positions along an axis for grid coordinate `g`, with their weights.
    fn samples<F: Number>(&self, g: f64, extent: usize) -> Result<Samples<F>, OpError> {
        if !g.is_finite() {
            return Err(OpError::undefined(format!("a grid position of {g}")));
        }
        let (length, one, two) = (F::of(extent as f64), F::one, F::of(2.0));
        let at = if self.align_corners {
            (F::of(g) + one()) / two * (length.clone() - one())
        } else {
            ((F::of(g) + one()) * length.clone() - one()) / two
        };
        if at.clone() - at.clone() != F::zero() {
            return Err(OpError::undefined(format!("a grid position of {g}")));
        }
        let at = match self.mode {
            // Rounding comes first, because a reflected tie rounds in the other direction.
            Mode::Nearest if !self.reflected => at.round_ties_even(),
            Mode::Nearest => self.placed(at, &length).round_ties_even(),
            Mode::Linear | Mode::Cubic if self.moved => self.placed(at, &length),
            Mode::Linear | Mode::Cubic => at,
        };
        let step = |step: i32| at.floor() + F::of(f64::from(step));
        let distance = |position: &F| (position.clone() - at.clone()).magnitude();
        let candidates: Vec<(F, F)> = match self.mode {
            Mode::Nearest => vec![(at.clone(), one())],
            Mode::Linear => (0..2)
                .map(step)
                .map(|p| (p.clone(), one() - distance(&p)))
                .collect(),
            Mode::Cubic => (-1..3)
                .map(step)
                .map(|p| (p.clone(), cubic(distance(&p), &F::of(CUBIC_COEFFICIENT))))
                .collect(),
        };
        let mut samples = Samples {
            inside: Vec::with_capacity(candidates.len()),
            padded: false,
        };
        for (p, weight) in candidates.into_iter().filter(|(_, weight)| !weight.is_zero()) {
            let p = self.padded(p, &length);
            if F::zero() <= p && p < length {
                samples.inside.push((p.index(), weight))
            } else {
                samples.padded = true
            }
        }
        Ok(samples)
    }

    /// `at` clamped or reflected into the borders: the centers of the outermost elements or, without
    /// `align_corners`, their edges.
    fn placed<F: Number>(&self, at: F, length: &F) -> F {
        let (low, high) = self.borders(length);
        match self.padding {
            _ if low <= at && at <= high => at,
            _ => self.padded(at, length),
        }
    }

    /// `at` clamped or reflected into the axis, unless the padding is zeros.
    fn padded<F: Number>(&self, at: F, length: &F) -> F {
        let (low, high) = self.borders(length);
        match self.padding {
            Padding::Zeros => at,
            Padding::Border => at.clamped(&F::zero(), &(length.clone() - F::one())),
            Padding::Reflection => reflect(at, &low, &high),
        }
    }

    /// Where an axis ends: at the centers of the outermost elements or, without `align_corners`, at their
    /// edges. (The region between the edge of such an element and its center belongs to it.)
    fn borders<F: Number>(&self, length: &F) -> (F, F) {
        if self.align_corners {
            (F::zero(), length.clone() - F::one())
        } else {
            (F::of(-0.5), length.clone() - F::of(0.5))
        }
    }
}

/// `at` reflected at both borders until it is between them.
fn reflect<F: Number>(at: F, low: &F, high: &F) -> F {
    let span = high.clone() - low.clone();
    if span <= F::zero() {
        return low.clone();
    }
    let twice = F::of(2.0) * span;
    let phase = (at - low.clone()).rem_euclid(&twice);
    let back = twice - phase.clone();
    low.clone() + if back < phase { back } else { phase }
}

fn grid_sample(call: &Call<'_>, names: [&str; 3]) -> Result<Outputs, OpError> {
    let (x, sampler) = (call.tensor(0)?, Sampler::read(call, names)?);
    let (spatial, shape) = shapes(x.shape(), call.tensor(1)?.shape())?;
    call.reserve(&shape, x.dtype())?;
    let reads = sampler.reads();
    let samples_per_position = u32::try_from(spatial.len())
        .ok()
        .and_then(|axes| reads.checked_pow(axes))
        .ok_or_else(|| OpError::invalid(format!("{} spatial axes are too many", spatial.len())))?;
    // The samples of every position are stored as an index and a weight.
    call.reserve(
        &[&shape[..1], &shape[2..], &[samples_per_position]].concat(),
        DType::Complex128,
    )?;
    call.work(&[&shape[..], &[samples_per_position]].concat())?;
    let grid: Vec<f64> = dispatch!(float, call.dtype(1)?, T => {
        Ok::<_, OpError>(call.array::<T>(1)?.iter().map(|value| value.to_f64()).collect())
    })?;
    let points = Points {
        sampler: &sampler,
        grid: &grid,
        spatial,
    };
    let plan = Plan {
        shape,
        block: layout::count(spatial),
    };
    if let Mode::Nearest = sampler.mode {
        return one(plan.copy(x, &points.each::<BigRational>()?)?);
    }
    if x.dtype().is_float() {
        let points = points.each::<f64>()?;
        return dispatch!(float, x.dtype(), T => one(plan.blend::<T>(x, &points)?));
    }
    dispatch!(int, x.dtype(), T => {
        let points: Vec<_> = points.each()?.iter().map(|samples| Weights::new(&samples.inside)).collect();
        let bits = points.iter().map(Weights::bits).max().unwrap_or(0);
        one(if fit_i128::<T>(bits) {
            plan.blend_integers::<T, i128>(x, &points, sampler.rounding)?
        } else {
            plan.blend_integers::<T, BigInt>(x, &points, sampler.rounding)?
        })
    })
}

/// The spatial extents of X, and the shape of the output.
fn shapes<'a>(x: &'a [usize], grid: &[usize]) -> Result<(&'a [usize], Vec<usize>), OpError> {
    let misfit = || {
        OpError::invalid(format!(
            "a grid of shape {grid:?} does not match an input of shape {x:?}"
        ))
    };
    let (Some((&[n, c], spatial)), Some((&width, positions))) = (x.split_first_chunk(), grid.split_last())
    else {
        return Err(misfit());
    };
    let fits =
        !spatial.is_empty() && width == spatial.len() && positions.len() == width + 1 && positions[0] == n;
    if !fits || spatial.contains(&0) {
        return Err(misfit());
    }
    Ok((spatial, [&[n, c], &positions[1..]].concat()))
}

/// The positions of a grid among the spatial elements of X.
struct Points<'a> {
    sampler: &'a Sampler,
    grid: &'a [f64],
    spatial: &'a [usize],
}

/// What a position of a grid reads.
struct Samples<F> {
    /// Row-major positions, with their weights.
    inside: Vec<(usize, F)>,
    /// Whether a sample is outside of X, where the padding is 0.
    padded: bool,
}

impl Points<'_> {
    /// The samples of each grid position.
    fn each<F: Number>(&self) -> Result<Vec<Samples<F>>, OpError> {
        let points = self.grid.chunks_exact(self.spatial.len());
        points.map(|point| self.samples(point)).collect()
    }

    fn samples<F: Number>(&self, point: &[f64]) -> Result<Samples<F>, OpError> {
        let mut combined = Samples {
            inside: vec![(0, F::one())],
            padded: false,
        };
        let axes = point.iter().rev().zip(self.spatial).zip(strides(self.spatial));
        for ((&g, &extent), stride) in axes {
            let along = self.sampler.samples::<F>(g, extent)?;
            let pairs = combined
                .inside
                .iter()
                .flat_map(|outer| along.inside.iter().map(move |inner| (outer, inner)));
            let inside = pairs
                .map(|((at, weight), (step, factor))| (at + step * stride, weight.clone() * factor.clone()))
                .collect();
            combined = Samples {
                inside,
                padded: combined.padded || along.padded,
            };
        }
        Ok(combined)
    }
}

/// The order in which the samples of every grid position are read, batch by batch.
struct Plan {
    shape: Vec<usize>,
    /// Spatial elements of one channel of X.
    block: usize,
}

impl Plan {
    /// For each element of the output, the start of the channel in X and its point.
    fn each<'a, P>(&self, points: &'a [P]) -> impl Iterator<Item = (usize, &'a P)> {
        let (channels, outputs) = (self.shape[1], layout::count(&self.shape[2..]));
        let block = self.block;
        let channel = move |number: usize| {
            let points = &points[number / channels * outputs..][..outputs];
            points.iter().map(move |point| (number * block, point))
        };
        (0..self.shape[0] * channels).flat_map(channel)
    }

    /// Nearest: the only sample, or zero if there is none.
    fn copy(&self, x: &Tensor, points: &[Samples<BigRational>]) -> Result<Tensor, OpError> {
        let starts: Vec<usize> = self
            .each(points)
            .map(|(begin, samples)| begin + samples.inside.first().map_or(0, |s| s.0))
            .collect();
        let outside = self
            .each(points)
            .enumerate()
            .filter(|(_, (_, samples))| samples.inside.is_empty());
        let outside: Vec<usize> = outside.map(|(at, _)| at).collect();
        layout::put(
            &layout::runs(x, &self.shape, &starts, 1)?,
            &outside,
            &layout::zero(x.dtype())?,
        )
    }

    fn blend<T: Float>(&self, x: &Tensor, points: &[Samples<f64>]) -> Result<Tensor, OpError> {
        let source: Vec<T> = x.to_vec()?;
        let value = |(begin, samples): (usize, &Samples<f64>)| {
            let products = samples
                .inside
                .iter()
                .map(|&(at, weight)| weight * source[begin + at].to_f64());
            // The padding adds 0, which a sum of negative zeros does not contain.
            let start = if samples.padded { 0.0 } else { -0.0 };
            T::from_f64(products.fold(start, |sum, product| sum + product))
        };
        Ok(Tensor::new(&self.shape, self.each(points).map(value).collect())?)
    }

    fn blend_integers<T: Int, W: Whole>(
        &self,
        x: &Tensor,
        points: &[Weights<BigInt>],
        rounding: Rounding,
    ) -> Result<Tensor, OpError> {
        let source: Vec<T> = x.to_vec()?;
        let points: Option<Vec<Weights<W>>> = points.iter().map(Weights::in_type).collect();
        let points = points.ok_or_else(|| OpError::invalid("a weight does not fit into 128 bits"))?;
        let value = |(begin, weights): (usize, &Weights<W>)| {
            let sum = weights.terms.iter().fold(W::zero(), |sum, (at, weight)| {
                sum + weight.clone() * W::from(source[begin + at].to_i128())
            });
            rounding.element::<T, W>(&sum, &weights.denominator)
        };
        Ok(Tensor::new(&self.shape, self.each(&points).map(value).collect())?)
    }
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact, refused, values};

    fn image<T: onnx_tensor::Element>(elements: [T; 4]) -> Tensor {
        Tensor::new(&[1, 1, 2, 2], elements.to_vec()).unwrap()
    }

    fn point(x: f32, y: f32) -> Tensor {
        Tensor::new(&[1, 1, 1, 2], vec![x, y]).unwrap()
    }

    #[test]
    fn integers_truncate_and_positions_outside_use_the_border() {
        // The center of 1, 2, 4, 8 is 3.75.
        let one = |value: i32| Tensor::new(&[1, 1, 1, 1], vec![value]).unwrap();
        let inputs = [image([1_i32, 2, 4, 8]), point(0.0, 0.0)];
        exact(("", "GridSample", 16), &inputs, &[], &[one(3)]);
        let cubic = [attribute("mode", "cubic"), attribute("padding_mode", "border")];
        let inputs = [image([1_i32, 2, 4, 8]), point(-1.5, -1.5)];
        exact(("", "GridSample", 20), &inputs, &cubic, &[one(1)]);
    }

    /// "zeros: use 0 for out-of-bound grid locations": of an image of negative zeros, only a position whose
    /// samples are all inside is a negative zero.
    #[test]
    fn padding_is_positive_zero() {
        let mode = [attribute("mode", "linear")];
        for (at, expected) in [(0.0, -0.0_f32), (-1.0, 0.0), (-9.0, 0.0)] {
            let inputs = [image([-0.0_f32; 4]), point(at, 0.0)];
            let expected = Tensor::new(&[1, 1, 1, 1], vec![expected]).unwrap();
            exact(("", "GridSample", 20), &inputs, &mode, &[expected]);
        }
    }

    /// Position −0.75 of the inner axis: the samples at −2, −1 and 0 use the outermost element; their
    /// weights sum to 1 − w. The sample at 1 has the weight w = −0.75 (1.75³ − 5 · 1.75² + 8 · 1.75 − 4) =
    /// −0.03515625. Position 0 of the outer axis. So the value is 1 − w + 2w = 0.96484375, as in PyTorch.
    #[test]
    fn each_sample_uses_the_border() {
        let cubic = [attribute("mode", "cubic"), attribute("padding_mode", "border")];
        let inputs = [image([1_f32, 2.0, 4.0, 8.0]), point(-1.25, -0.5)];
        let result = Tensor::new(&[1, 1, 1, 1], vec![0.964_843_75_f32]).unwrap();
        exact(("", "GridSample", 20), &inputs, &cubic, &[result]);
    }

    #[test]
    fn errors() {
        let inputs = values(&[image([1_f32; 4]), point(f32::NAN, 0.0)]);
        refused(("", "GridSample", 20), &inputs, &[], "NaN");
        let inputs = values(&[image([1_f32; 4]), point(0.0, 0.0)]);
        refused(
            ("", "GridSample", 20),
            &inputs,
            &[attribute("mode", "bilinear")],
            "mode",
        );
        refused(
            ("", "GridSample", 16),
            &inputs,
            &[attribute("mode", "linear")],
            "mode",
        );
    }
}
