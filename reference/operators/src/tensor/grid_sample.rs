//! GridSample — samples `X` at the positions of a grid, with interpolation.
//!
//! Version 16 has two spatial axes and the modes `bilinear`, `nearest`, `bicubic`; version 20 has any
//! number and the modes `linear`, `nearest`, `cubic`. A grid position lists its coordinates from the
//! innermost axis to the outermost. Precision: coordinates, weights and sums in f64, rounded once; integers
//! are converted at the end, toward zero.
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

use onnx_tensor::{DType, Real, Tensor, dispatch};

use super::indices::strides;
use super::resampling::cubic;
use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, Reading, one, op, v};
use crate::shared::layout;

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
)
.structural(&["grid"]);

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
    /// Whether integers are rounded (question `grid-sample-integers`).
    round: bool,
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
            round: !call.dtype(0)?.is_float() && call.takes(Reading::GridSampleIntegersRound),
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
    fn samples(&self, g: f64, extent: usize) -> Result<Vec<(usize, f64)>, OpError> {
        let length = extent as f64;
        let at = match self.align_corners {
            true => (g + 1.0) / 2.0 * (length - 1.0),
            false => ((g + 1.0) * length - 1.0) / 2.0,
        };
        if !at.is_finite() {
            return Err(OpError::undefined(format!("a grid position of {g}")));
        }
        let at = match self.mode {
            // Rounding comes first, because a reflected tie rounds in the other direction.
            Mode::Nearest if !self.reflected => at.round_ties_even(),
            Mode::Nearest => self.placed(at, length).round_ties_even(),
            Mode::Linear | Mode::Cubic if self.moved => self.placed(at, length),
            Mode::Linear | Mode::Cubic => at,
        };
        let candidates: Vec<(f64, f64)> = match self.mode {
            Mode::Nearest => vec![(at, 1.0)],
            Mode::Linear => (0..2)
                .map(|step| at.floor() + f64::from(step))
                .map(|p| (p, 1.0 - (p - at).abs()))
                .collect(),
            Mode::Cubic => (-1..3)
                .map(|step| at.floor() + f64::from(step))
                .map(|p| (p, cubic((p - at).abs(), CUBIC_COEFFICIENT)))
                .collect(),
        };
        let inside = |&(p, weight): &(f64, f64)| {
            let p = self.padded(p, length);
            (weight != 0.0 && (0.0..length).contains(&p)).then_some((p as usize, weight))
        };
        Ok(candidates.iter().filter_map(inside).collect())
    }

    /// `at` clamped or reflected into the borders: the centers of the outermost elements or, without
    /// `align_corners`, their edges.
    fn placed(&self, at: f64, length: f64) -> f64 {
        let (low, high) = match self.align_corners {
            true => (0.0, length - 1.0),
            false => (-0.5, length - 0.5),
        };
        match self.padding {
            _ if (low..=high).contains(&at) => at,
            Padding::Zeros => at,
            Padding::Border => at.clamp(0.0, length - 1.0),
            Padding::Reflection => reflect(at, low, high),
        }
    }

    /// `at` clamped or reflected into the axis, unless the padding is zeros.
    fn padded(&self, at: f64, length: f64) -> f64 {
        match self.padding {
            Padding::Zeros => at,
            Padding::Border => at.clamp(0.0, length - 1.0),
            Padding::Reflection if self.align_corners => reflect(at, 0.0, length - 1.0),
            // The region between the outer edge of a corner pixel and its center belongs to that pixel.
            Padding::Reflection => reflect(at, -0.5, length - 0.5),
        }
    }
}

/// `at` reflected at both borders until it is between them.
fn reflect(at: f64, low: f64, high: f64) -> f64 {
    let span = high - low;
    if span <= 0.0 {
        return low;
    }
    let phase = (at - low).rem_euclid(2.0 * span);
    low + phase.min(2.0 * span - phase)
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
    let points = grid
        .chunks_exact(spatial.len())
        .map(|point| samples(&sampler, point, spatial));
    let points = points.collect::<Result<Vec<_>, _>>()?;
    let plan = Plan {
        points,
        shape,
        block: layout::count(spatial),
    };
    match sampler.mode {
        Mode::Nearest => one(plan.copy(x)?),
        _ => dispatch!(real, x.dtype(), T => {
            let last = |value: f64| T::from_f64(if sampler.round { value.round_ties_even() } else { value });
            one(plan.blend::<T>(x, last)?)
        }),
    }
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

/// Row-major positions among the spatial elements for one grid position, with their weights.
fn samples(sampler: &Sampler, point: &[f64], spatial: &[usize]) -> Result<Vec<(usize, f64)>, OpError> {
    let mut combined = vec![(0, 1.0)];
    for ((&g, &extent), stride) in point.iter().rev().zip(spatial).zip(strides(spatial)) {
        let along = sampler.samples(g, extent)?;
        let pairs = combined
            .iter()
            .flat_map(|&outer| along.iter().map(move |&inner| (outer, inner)));
        combined = pairs
            .map(|((at, weight), (step, factor))| (at + step * stride, weight * factor))
            .collect();
    }
    Ok(combined)
}

/// The samples of every grid position, batch by batch.
struct Plan {
    points: Vec<Vec<(usize, f64)>>,
    shape: Vec<usize>,
    /// Spatial elements of one channel of X.
    block: usize,
}

impl Plan {
    /// For each element of the output, the start of the channel in X and the samples within it.
    fn each(&self) -> impl Iterator<Item = (usize, &[(usize, f64)])> {
        let (channels, outputs) = (self.shape[1], layout::count(&self.shape[2..]));
        let channel = move |number: usize| {
            let points = &self.points[number / channels * outputs..][..outputs];
            points
                .iter()
                .map(move |samples| (number * self.block, samples.as_slice()))
        };
        (0..self.shape[0] * channels).flat_map(channel)
    }

    /// Nearest: the only sample, or zero if there is none.
    fn copy(&self, x: &Tensor) -> Result<Tensor, OpError> {
        let starts: Vec<usize> = self
            .each()
            .map(|(begin, samples)| begin + samples.first().map_or(0, |s| s.0))
            .collect();
        let outside = self
            .each()
            .enumerate()
            .filter(|(_, (_, samples))| samples.is_empty());
        let outside: Vec<usize> = outside.map(|(at, _)| at).collect();
        layout::put(
            &layout::runs(x, &self.shape, &starts, 1)?,
            &outside,
            &layout::zero(x.dtype())?,
        )
    }

    /// `last` converts the sums to elements.
    fn blend<T: Real>(&self, x: &Tensor, last: impl Fn(f64) -> T) -> Result<Tensor, OpError> {
        let source: Vec<T> = x.to_vec()?;
        let value = |(begin, samples): (usize, &[(usize, f64)])| {
            let products = samples
                .iter()
                .map(|&(at, weight)| weight * source[begin + at].to_f64());
            last(products.sum())
        };
        Ok(Tensor::new(&self.shape, self.each().map(value).collect())?)
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
