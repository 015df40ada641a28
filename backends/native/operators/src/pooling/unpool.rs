//! MaxUnpool: writes each element to the position of its maximum; all other elements are 0.
//!
//! Without `output_shape`, the indices count in the shape that follows from the windows. With it, they count
//! in `output_shape` if each of them is in the window of its element there ("pooling the result … should give
//! back the original input"). Otherwise they count in the shape that follows from the windows, which is then
//! the leading corner of the result, as in the official case `maxunpool_export_with_output_shape`.

use native_kernels::conv::MAX_STEP;
use onnx_tensor::Tensor;

use super::super::call::{count, extents, one};
use super::super::convolution::{pads, steps};
use super::super::movement::strides;
use super::super::numbers::{floats, from_floats};
use super::super::{Call, Outcome, Row, row};
use crate::error::{Problem, invalid};
use crate::shapes::Shapes::First;

pub const ROWS: &[Row] = &[row("MaxUnpool", 9, First(|known| known.unpool()), max_unpool)];

fn max_unpool(call: &Call) -> Outcome {
    let (tensor, indices) = (call.tensor(0)?, call.ints(1)?);
    let &[images, channels, ref input @ ..] = tensor.shape() else {
        return invalid("expected a tensor with a channel axis");
    };
    if call.tensor(1)?.shape() != tensor.shape() {
        return invalid("the shape of the indices differs from that of the input");
    }
    let wanted = call.find_ints(2)?.map(|shape| extents(&shape)).transpose()?;
    let axes = pooled(call, input, wanted.is_some())?;
    let inferred = reached([images, channels], &axes)?;
    let Some(wanted) = wanted else {
        return one(put(tensor, &indices, &inferred, &inferred)?);
    };
    count(&wanted)?;
    let fits = wanted.len() == inferred.len();
    if fits && are_in_their_windows(tensor.shape(), &indices, &wanted, &axes) {
        return one(put(tensor, &indices, &wanted, &wanted)?);
    }
    if !fits || inferred.iter().zip(&wanted).any(|(inner, outer)| inner > outer) {
        return invalid(format!(
            "expected an output_shape of at least {inferred:?}, got {wanted:?}"
        ));
    }
    one(put(tensor, &indices, &inferred, &wanted)?)
}

/// Returns the shape that the windows reach, for pooled values of this shape.
pub fn unpooled(call: &Call, shape: &[usize]) -> Result<Vec<usize>, Problem> {
    let &[images, channels, ref input @ ..] = shape else {
        return invalid("expected a tensor with a channel axis");
    };
    reached([images, channels], &pooled(call, input, false)?)
}

fn reached([images, channels]: [usize; 2], axes: &[Pooled]) -> Result<Vec<usize>, Problem> {
    let mut shape = vec![images, channels];
    for axis in axes {
        shape.push(axis.reach()?);
    }
    Ok(shape)
}

/// The windows of the pooling along one axis.
struct Pooled {
    windows: usize,
    kernel: usize,
    stride: usize,
    /// The padding before the first element; `None` if auto_pad generated it.
    begin: Option<usize>,
    /// The padding that the windows cover.
    taken: usize,
}

/// Returns the windows of each axis; with `output_shape`, `pads` is ignored.
fn pooled(call: &Call, input: &[usize], has_shape: bool) -> Result<Vec<Pooled>, Problem> {
    let rank = input.len();
    let kernel = extents(call.attributes.ints("kernel_shape")?.unwrap_or_default())?;
    let strides = steps(call.attributes, "strides", rank, 1)?;
    let (begin, end) = match call.attributes.ints("pads")? {
        Some(given) => pads(given, rank)?,
        None => (vec![0; rank], vec![0; rank]),
    };
    if kernel.len() != rank || !kernel.iter().all(|extent| (1..=MAX_STEP).contains(extent)) {
        return invalid(format!(
            "expected a window of {rank} axes, got extents {kernel:?}"
        ));
    }
    let generated = !matches!(call.attributes.text("auto_pad")?, "" | "NOTSET");
    let axis = |at: usize| Pooled {
        windows: input[at],
        kernel: kernel[at],
        stride: strides[at],
        begin: (!generated).then_some(begin[at]),
        taken: if generated || has_shape {
            0
        } else {
            begin[at] + end[at]
        },
    };
    Ok((0..rank).map(axis).collect())
}

impl Pooled {
    /// Returns the smallest extent with this number of windows.
    fn reach(&self) -> Result<usize, Problem> {
        let steps = self.windows.saturating_sub(1).checked_mul(self.stride);
        let whole = steps.and_then(|steps| steps.checked_add(self.kernel));
        let reach = whole.and_then(|whole| whole.checked_sub(self.taken));
        reach.ok_or_else(|| Problem::Invalid("the windows do not determine a shape".to_owned()))
    }

    /// Whether a position is in a window.
    fn covers(&self, window: usize, position: usize) -> bool {
        let first = window.saturating_mul(self.stride);
        let end = first.saturating_add(self.kernel);
        match self.begin {
            Some(begin) => (first..end).contains(&position.saturating_add(begin)),
            // Generated padding may be any number below the extent of the kernel.
            None => position < end && first < position.saturating_add(self.kernel),
        }
    }
}

/// Whether each index, counted in a tensor of `shape`, is in the window of its element.
fn are_in_their_windows(input: &[usize], indices: &[i64], shape: &[usize], axes: &[Pooled]) -> bool {
    let (own, target) = (strides(input), strides(shape));
    let total: usize = shape.iter().product();
    let inside = |(at, &index): (usize, &i64)| {
        let Some(index) = usize::try_from(index).ok().filter(|&index| index < total) else {
            return false;
        };
        let window = |axis: usize| at / own[axis] % input[axis];
        let position = |axis: usize| index / target[axis] % shape[axis];
        let same_plane = (0..2).all(|axis| window(axis) == position(axis));
        let mut spatial = axes.iter().zip(2..);
        same_plane && spatial.all(|(pooled, axis)| pooled.covers(window(axis), position(axis)))
    };
    indices.iter().enumerate().all(inside)
}

/// Makes a tensor of `shape` with each value at its index, which counts in the leading corner of shape
/// `inner`; zero elsewhere.
fn put(tensor: &Tensor, indices: &[i64], inner: &[usize], shape: &[usize]) -> Result<Tensor, Problem> {
    let mut result = vec![0.0; count(shape)?];
    let (within, steps, total) = (strides(inner), strides(shape), count(inner)?);
    for (value, &index) in floats(tensor)?.into_iter().zip(indices) {
        let Some(index) = usize::try_from(index).ok().filter(|&index| index < total) else {
            return invalid(format!("index {index} is outside of shape {inner:?}"));
        };
        let along = |axis: usize| index / within[axis] % inner[axis] * steps[axis];
        result[(0..inner.len()).map(along).sum::<usize>()] = value;
    }
    from_floats(tensor.dtype(), shape, result)
}
