//! DeformConv — convolution whose kernel elements sample the input at positions shifted by `offset`, scaled
//! by `mask`.
//!
//! Samples are interpolated linearly in f64 between the 2ⁿ neighbours; sums are those of Conv. For f64
//! inputs the error of each sample is within n + 1 ULP of the largest neighbour. Version 22 only adds bf16.
//!
//! Interpretation: neighbours outside the input are zero, like samples of the zero-padded input. `mask` has
//! one entry for each element of the kernel (the extra factor n in the n-D form of the text contradicts its
//! 2-D form). The offsets of an element are ordered by axis.

use onnx_arithmetic::product::{Blocks, Matrix, Operands};
use onnx_tensor::{DType, Float, Tensor, dispatch};

use super::kernels;
use super::window::{self, Rounding, WindowAxis};
use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::layout;
use crate::shared::matrix_product::{Product, multiply};

pub const OP: OpDef = op(
    "DeformConv",
    &[v(19, First, deform_conv), v(22, TypesOnly, deform_conv)],
);

fn deform_conv(call: &Call<'_>) -> Result<Outputs, OpError> {
    dispatch!(float, call.dtype(0)?, T => typed::<T>(call))
}

fn typed<T: Float + Product<Factor = f64>>(call: &Call<'_>) -> Result<Outputs, OpError> {
    let w = call.array::<T>(1)?;
    let sampler = Sampler::read::<T>(call)?;
    let (groups, maps) = (sampler.groups, sampler.maps);
    let positions: usize = sampler.positions();
    let corners = 1 << sampler.axes.len();
    call.work(&[
        sampler.batch,
        sampler.channels,
        sampler.taps(),
        positions,
        corners,
    ])?;
    let mut shape = vec![sampler.batch, maps];
    shape.extend(sampler.axes.iter().map(|axis| axis.output));
    call.reserve(&shape, T::DTYPE)?;
    // The patches of one image and group are in memory as a whole.
    let rows = sampler.channels / groups * sampler.taps();
    call.reserve(&[rows, positions], DType::Double)?;
    let start = kernels::bias::<T>(call.optional_array(3)?, maps)?;
    if shape.contains(&0) {
        return one(layout::empty(T::DTYPE, &shape)?);
    }
    let (w, maps) = (kernels::dense(w), maps / groups);
    let (mut sums, mut result) = (
        vec![T::Sum::default(); maps * positions],
        vec![T::ZERO; maps * positions],
    );
    let mut results = Vec::new();
    for image in 0..sampler.batch {
        for group in 0..groups {
            let kernels = T::cells(&w[group * maps * rows..][..maps * rows]);
            let columns = sampler.columns(image, group);
            let kernels = Matrix::by_rows(kernels, maps, rows).map(Matrix::transposed);
            let columns = Matrix::by_rows(T::kernel(&columns), rows, positions);
            let (Some(a), Some(b)) = (&kernels, &columns) else {
                return Err(OpError::invalid("the kernels have another number of elements"));
            };
            let blocks = &Blocks::of(rows);
            multiply(
                Operands { a, b, blocks },
                |map| start[group * maps + map],
                &mut sums,
                positions,
            );
            T::finish_all(&sums, &mut result);
            results.extend_from_slice(&result);
        }
    }
    one(Tensor::new(&shape, results)?)
}

/// The maximum number of spatial axes; a sample has two to that power neighbours.
const MAX_AXES: usize = 16;

/// The input and the positions at which it is sampled.
struct Sampler {
    batch: usize,
    channels: usize,
    maps: usize,
    groups: usize,
    offset_groups: usize,
    axes: Vec<WindowAxis>,
    x: Vec<f64>,
    offset: Vec<f64>,
    mask: Option<Vec<f64>>,
}

impl Sampler {
    fn read<T: Float + Product<Factor = f64>>(call: &Call<'_>) -> Result<Sampler, OpError> {
        let (x, w, offset) = (call.array::<T>(0)?, call.array::<T>(1)?, call.array::<T>(2)?);
        let ([batch, channels, input @ ..], [maps, group_channels, kernel @ ..]) = (x.shape(), w.shape())
        else {
            return Err(OpError::invalid("X and W must have a batch and a channel axis"));
        };
        let groups = kernels::positive(call, "group")?;
        let offset_groups = kernels::positive(call, "offset_group")?;
        let fits = group_channels.checked_mul(groups) == Some(*channels)
            && maps % groups == 0
            && channels % offset_groups == 0;
        if input.is_empty() || input.len() > MAX_AXES || !fits {
            return Err(OpError::invalid(format!(
                "shapes {:?} and {:?} do not agree for {groups} groups and {offset_groups} groups of offsets",
                x.shape(),
                w.shape()
            )));
        }
        kernels::agree(call, kernel)?;
        let axes = window::axes(call, input, kernel, Rounding::Floor)?;
        let taps: usize = kernel.iter().product();
        let rows = offset_groups
            .checked_mul(taps)
            .filter(|rows| rows.checked_mul(input.len()).is_some())
            .ok_or_else(|| OpError::invalid(format!("{offset_groups} groups of offsets for {taps} taps")))?;
        let shape = |rows: usize| {
            let spatial = axes.iter().map(|axis| axis.output);
            [*batch, rows].into_iter().chain(spatial).collect::<Vec<_>>()
        };
        kernels::expect_shape("`offset`", offset, &shape(rows * input.len()))?;
        let mask = call.optional_array::<T>(4)?;
        if let Some(mask) = mask {
            kernels::expect_shape("`mask`", mask, &shape(rows))?;
        }
        Ok(Sampler {
            batch: *batch,
            channels: *channels,
            maps: *maps,
            groups,
            offset_groups,
            x: kernels::factors::<T>(x),
            offset: kernels::factors::<T>(offset),
            mask: mask.map(kernels::factors::<T>),
            axes,
        })
    }

    fn positions(&self) -> usize {
        self.axes.iter().map(|axis| axis.output).product()
    }

    fn taps(&self) -> usize {
        self.axes.iter().map(|axis| axis.kernel).product()
    }

    /// The samples of an image for a group, with a row for each channel and element of the kernel.
    fn columns(&self, image: usize, group: usize) -> Vec<f64> {
        let (taps, positions) = (self.taps(), self.positions());
        let plane: usize = self.axes.iter().map(|axis| axis.input).product();
        let channels = self.channels / self.groups;
        let mut columns = Vec::new();
        for channel in group * channels..(group + 1) * channels {
            let start = (image * self.channels + channel) * plane;
            let plane = &self.x[start..start + plane];
            let offsets = image * self.offset_groups + channel / (self.channels / self.offset_groups);
            for tap in 0..taps {
                let row = offsets * taps + tap;
                for position in 0..positions {
                    let sample = self.sample(plane, row, tap, position);
                    let weight = self
                        .mask
                        .as_ref()
                        .map_or(1.0, |mask| mask[row * positions + position]);
                    columns.push(sample * weight);
                }
            }
        }
        columns
    }

    /// The sample of element `tap` of the kernel for an output position. `row` is the index of the
    /// element's offsets.
    fn sample(&self, plane: &[f64], row: usize, tap: usize, position: usize) -> f64 {
        let positions = self.positions();
        let (mut tap, mut rest) = (tap, position);
        let mut coordinates = vec![0.0; self.axes.len()];
        for (index, axis) in self.axes.iter().enumerate().rev() {
            let base = rest % axis.output * axis.stride + tap % axis.kernel * axis.dilation;
            let moved = self.offset[(row * self.axes.len() + index) * positions + position];
            coordinates[index] = base as f64 - axis.begin as f64 + moved;
            rest /= axis.output;
            tap /= axis.kernel;
        }
        self.interpolate(plane, &coordinates)
    }

    fn interpolate(&self, plane: &[f64], coordinates: &[f64]) -> f64 {
        let mut sum = 0.0;
        for corner in 0..1_usize << coordinates.len() {
            let (mut weight, mut at, mut inside) = (1.0, 0, true);
            for (index, (axis, &coordinate)) in self.axes.iter().zip(coordinates).enumerate() {
                let upper = corner >> index & 1 == 1;
                let floor = coordinate.floor();
                let fraction = coordinate - floor;
                weight *= if upper { fraction } else { 1.0 - fraction };
                let neighbour = floor + f64::from(u8::from(upper));
                if !(neighbour >= 0.0 && neighbour < axis.input as f64) {
                    inside = false;
                    break;
                }
                at = at * axis.input + neighbour as usize;
            }
            if inside && weight != 0.0 {
                sum += weight * plane[at];
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::exact;

    fn plane(shape: &[usize], elements: &[f32]) -> Tensor {
        Tensor::new(&[&[1, 1], shape].concat(), elements.to_vec()).expect("the elements fill the shape")
    }

    /// By hand: every sample is halfway to its right neighbour; beyond the last element there is zero.
    #[test]
    fn half_a_step_to_the_right() {
        let x = plane(&[3], &[1.0, 2.0, 4.0]);
        let (w, offset) = (plane(&[1], &[1.0]), plane(&[3], &[0.5, 0.5, 0.5]));
        let (bias, mask) = (Tensor::vector(vec![0.0_f32]), plane(&[3], &[1.0, 2.0, 3.0]));
        let expected = [plane(&[3], &[1.5, 6.0, 6.0])];
        exact(
            ("", "DeformConv", 19),
            &[x, w, offset, bias, mask],
            &[],
            &expected,
        );
    }
}
