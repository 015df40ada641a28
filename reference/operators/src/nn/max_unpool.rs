//! MaxUnpool — puts elements back at the positions where MaxPool found them, with zeros elsewhere; exact.
//!
//! Versions: 11 changes the text, 22 only adds bf16.
//!
//! Interpretation: without `output_shape` the indices refer to the tensor whose shape follows from X,
//! kernel, strides and pads. With it they refer to `output_shape`, because "the linear indices should not
//! consider padding" and "pooling the result of an unpooling operation should give back the original
//! input": an index of MaxPool is in the window of its value. In the official case
//! `maxunpool_export_with_output_shape` the indices are not in these windows for that shape, but for the
//! inferred one, which is then the leading corner of the output. So the indices refer to `output_shape` if
//! each of them is in its window there, as in ONNX Runtime 1.31, otherwise to the inferred shape, as in
//! onnx.reference. The last element with a repeated index is kept.

use onnx_tensor::{Array, Float, Tensor, dispatch};

use super::window::{self, Padding, per_axis, size};
use crate::frame::Change::{First, TypesOnly, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::layout::{self, AxisMap};

pub const OP: OpDef = op(
    "MaxUnpool",
    &[
        v(9, First, max_unpool),
        v(11, Wording, max_unpool),
        v(22, TypesOnly, max_unpool),
    ],
);

fn max_unpool(call: &Call<'_>) -> Result<Outputs, OpError> {
    dispatch!(float, call.dtype(0)?, T => typed::<T>(call))
}

fn typed<T: Float>(call: &Call<'_>) -> Result<Outputs, OpError> {
    let (x, indices) = (call.array::<T>(0)?, call.array::<i64>(1)?);
    if x.shape() != indices.shape() {
        return Err(OpError::invalid(format!(
            "shapes {:?} and {:?} differ",
            x.shape(),
            indices.shape()
        )));
    }
    let axes = PooledAxis::read(call, x.shape())?;
    let reach = axes
        .iter()
        .map(PooledAxis::reach)
        .collect::<Result<Vec<_>, _>>()?;
    let inferred = [&x.shape()[..2], &reach].concat();
    let Some(wanted) = call.optional_integers(2)? else {
        return one(put(call, x, indices, &inferred)?);
    };
    let wanted = layout::extents(&wanted)?;
    call.reserve(&wanted, T::DTYPE)?;
    if wanted.len() == x.ndim() && lie_in_their_windows(indices, &wanted, &axes) {
        return one(put(call, x, indices, &wanted)?);
    }
    one(enlarge(&put(call, x, indices, &inferred)?, &wanted)?)
}

/// The pooling windows along one axis.
struct PooledAxis {
    /// Number of windows: the extent of X.
    windows: usize,
    kernel: usize,
    stride: usize,
    /// Padding before the first element; `None` where it is generated.
    begin: Option<usize>,
    /// Padding subtracted from the extent of the windows; 0 with `output_shape`, whose text ignores `pads`.
    subtracted: usize,
}

impl PooledAxis {
    fn read(call: &Call<'_>, x: &[usize]) -> Result<Vec<PooledAxis>, OpError> {
        let [_, _, input @ ..] = x else {
            return Err(OpError::invalid(format!(
                "shape {x:?} must have a batch and a channel axis"
            )));
        };
        window::check_extents(input)?;
        let kernel = window::kernel_shape(call)?.unwrap_or_default();
        let strides = per_axis(call, "strides", input.len(), 1)?;
        if kernel.len() != input.len() {
            return Err(OpError::invalid(format!(
                "`kernel_shape` is {kernel:?} for spatial extents {input:?}"
            )));
        }
        let pads = match Padding::read(call, input.len())? {
            Padding::Explicit(pads) => Some(pads),
            Padding::SameUpper | Padding::SameLower | Padding::Valid => None,
        };
        let given = call.optional(2).is_some();
        let axis = |at: usize| {
            let pads = pads.as_ref().map(|pads| pads[at]);
            PooledAxis {
                windows: input[at],
                kernel: kernel[at],
                stride: strides[at],
                begin: pads.map(|(begin, _)| begin),
                subtracted: pads.filter(|_| !given).map_or(0, |(begin, end)| begin + end),
            }
        };
        Ok((0..input.len()).map(axis).collect())
    }

    /// (windows − 1) · stride + kernel − pads: the least extent for which MaxPool has this number of
    /// windows.
    fn reach(&self) -> Result<usize, OpError> {
        let whole = (self.windows as i64 - 1) * self.stride as i64 + self.kernel as i64;
        size("extents of the output", whole - self.subtracted as i64, 0)
    }

    /// Whether a position is in a window.
    fn covers(&self, window: usize, position: usize) -> bool {
        let first = window * self.stride;
        match self.begin {
            Some(begin) => (first..first + self.kernel).contains(&(position + begin)),
            // Generated padding can be any number less than the kernel.
            None => position < first + self.kernel && first < position + self.kernel,
        }
    }
}

/// Whether each index into a tensor of `shape` is in the window of its value.
fn lie_in_their_windows(indices: &Array<i64>, shape: &[usize], axes: &[PooledAxis]) -> bool {
    indices.indexed_iter().all(|(window, &index)| {
        let Ok(mut rest) = usize::try_from(index) else {
            return false;
        };
        let mut position = vec![0; shape.len()];
        for (at, &extent) in position.iter_mut().zip(shape).rev() {
            (*at, rest) = (rest % extent.max(1), rest / extent.max(1));
        }
        let inside = rest == 0 && !shape.contains(&0);
        let same_plane = position[..2] == [window[0], window[1]];
        let mut spatial = axes.iter().zip(&position[2..]).enumerate();
        inside && same_plane && spatial.all(|(at, (axis, &position))| axis.covers(window[2 + at], position))
    })
}

/// A tensor of `shape` with each value at its index and zeros elsewhere.
fn put<T: Float>(
    call: &Call<'_>,
    x: &Array<T>,
    indices: &Array<i64>,
    shape: &[usize],
) -> Result<Tensor, OpError> {
    call.reserve(shape, T::DTYPE)?;
    let mut elements = vec![T::ZERO; layout::count(shape)];
    for (&value, &index) in x.iter().zip(indices) {
        let element = usize::try_from(index)
            .ok()
            .and_then(|index| elements.get_mut(index));
        *element.ok_or_else(|| OpError::invalid(format!("index {index} is outside shape {shape:?}")))? =
            value;
    }
    Ok(Tensor::new(shape, elements)?)
}

/// `inner` as the leading corner of a tensor of shape `wanted`, which is already reserved, with zeros
/// elsewhere.
fn enlarge(inner: &Tensor, wanted: &[usize]) -> Result<Tensor, OpError> {
    let have = inner.shape();
    let fits = wanted.len() == have.len() && have.iter().zip(wanted).all(|(have, want)| have <= want);
    if !fits {
        return Err(OpError::invalid(format!(
            "`output_shape` is {wanted:?}, less than the inferred shape {have:?}"
        )));
    }
    let map = |(&have, &want): (&usize, &usize)| -> AxisMap {
        (0..want).map(|at| Some(at).filter(|&at| at < have)).collect()
    };
    let maps: Vec<AxisMap> = have.iter().zip(wanted).map(map).collect();
    layout::remap(inner, &maps, Some(&layout::zero(inner.dtype())?))
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact, refused, values};

    fn plane<T: onnx_tensor::Element>(extents: [usize; 2], elements: &[T]) -> Tensor {
        Tensor::new(&[1, 1, extents[0], extents[1]], elements.to_vec()).expect("the elements fill the shape")
    }

    /// By hand: the positions of MaxPool's maxima with the same kernel, strides and pads, and the corner of
    /// the official case.
    #[test]
    fn indices_refer_to_the_shape_that_pooling_had() {
        let attributes = |kernel: [i64; 2], pads: i64| {
            [
                attribute("kernel_shape", kernel),
                attribute("strides", [2, 2]),
                attribute("pads", [pads; 4]),
            ]
        };
        let cases = [
            (3, 1, 4, [5, 7, 13, 15], [5, 7, 13, 15]),
            (2, 0, 5, [0, 3, 16, 18], [0, 3, 16, 18]),
            // 13 is not in the third window of a 5 × 5 plane, so the indices refer to 4 × 4.
            (2, 0, 5, [5, 7, 13, 15], [6, 8, 16, 18]),
        ];
        for (kernel, pads, extent, indices, places) in cases {
            let x = plane([2, 2], &[1.0_f32, 2.0, 3.0, 4.0]);
            let shape = Tensor::vector(vec![1, 1, extent as i64, extent as i64]);
            let inputs = [x, plane([2, 2], &indices.map(i64::from)), shape];
            let mut expected = vec![0.0_f32; extent * extent];
            for (value, place) in [1.0, 2.0, 3.0, 4.0].into_iter().zip(places) {
                expected[place] = value;
            }
            let expected = [plane([extent, extent], &expected)];
            for since in [9, 11, 22] {
                exact(
                    ("", "MaxUnpool", since),
                    &inputs,
                    &attributes([kernel; 2], pads),
                    &expected,
                );
            }
        }
    }

    #[test]
    fn an_index_outside_is_rejected() {
        let x = Tensor::new(&[1, 1, 1], vec![1.0_f32]).expect("one element");
        for index in [-1_i64, 2] {
            let indices = Tensor::new(&[1, 1, 1], vec![index]).expect("one element");
            let kernel = [attribute("kernel_shape", [2])];
            refused(
                ("", "MaxUnpool", 9),
                &values(&[x.clone(), indices]),
                &kernel,
                "outside shape",
            );
        }
    }
}
