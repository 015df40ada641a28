//! MaxUnpool — puts elements back where MaxPool found them, zero elsewhere; exact.
//!
//! Versions: 11 changes words, 22 only added bf16.
//!
//! Reading: the indices count in the tensor whose shape follows from X, kernel, strides and pads. `output_shape` may be
//! larger; then that tensor is its leading corner, as the official case `maxunpool_export_with_output_shape` has it (the
//! text could as well mean that indices count in `output_shape`). Where an index occurs twice the later element stays.

use ndarray::{ArrayD, IxDyn, Slice};
use onnx_tensor::{Float, Tensor, dispatch};

use super::window::{self, Padding, per_axis, size};
use crate::frame::Change::{First, TypesOnly, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};

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
    let inner = inferred_shape(call, x.shape())?;
    call.reserve(&inner, T::DTYPE)?;
    let count = inner.iter().product();
    let mut elements = vec![T::ZERO; count];
    for (&value, &index) in x.iter().zip(indices) {
        let element = usize::try_from(index)
            .ok()
            .and_then(|index| elements.get_mut(index));
        *element.ok_or_else(|| OpError::invalid(format!("index {index} is outside shape {inner:?}")))? =
            value;
    }
    let unpooled = ArrayD::from_shape_vec(IxDyn(&inner), elements)?;
    match call.optional_integers(2)? {
        None => one(Tensor::from(unpooled)),
        Some(wanted) => one(Tensor::from(enlarge(call, unpooled, &wanted)?)),
    }
}

/// (X − 1) · stride + kernel − pads, on each spatial axis.
fn inferred_shape(call: &Call<'_>, x: &[usize]) -> Result<Vec<usize>, OpError> {
    let [batch, channels, input @ ..] = x else {
        return Err(OpError::invalid(format!("shape {x:?} has no batch and channels")));
    };
    window::check_extents(input)?;
    let kernel = window::kernel_shape(call)?.unwrap_or_default();
    let strides = per_axis(call, "strides", input.len(), 1)?;
    if kernel.len() != input.len() {
        return Err(OpError::invalid(format!(
            "`kernel_shape` = {kernel:?} over {input:?}"
        )));
    }
    let pads = match (Padding::read(call, input.len())?, call.optional(2)) {
        (Padding::Explicit(pads), None) => pads,
        // With `output_shape` the text ignores `pads`.
        _ => vec![(0, 0); input.len()],
    };
    let mut shape = vec![*batch, *channels];
    for axis in 0..input.len() {
        let reach = (input[axis] as i64 - 1) * strides[axis] as i64 + kernel[axis] as i64;
        let (begin, end) = pads[axis];
        shape.push(size(
            "extents of the output",
            reach - begin as i64 - end as i64,
            0,
        )?);
    }
    Ok(shape)
}

/// `inner` as the leading corner of a tensor of shape `wanted`, zero elsewhere.
fn enlarge<T: Float>(call: &Call<'_>, inner: ArrayD<T>, wanted: &[i64]) -> Result<ArrayD<T>, OpError> {
    let fits = wanted.len() == inner.ndim()
        && inner
            .shape()
            .iter()
            .zip(wanted)
            .all(|(&have, &want)| have as i64 <= want);
    if !fits {
        return Err(OpError::invalid(format!(
            "`output_shape` = {wanted:?} for {:?}",
            inner.shape()
        )));
    }
    let shape: Vec<usize> = wanted.iter().map(|&extent| extent as usize).collect();
    call.reserve(&shape, T::DTYPE)?;
    let mut result = ArrayD::from_elem(IxDyn(&shape), T::ZERO);
    result
        .slice_each_axis_mut(|axis| Slice::from(0..inner.shape()[axis.axis.index()]))
        .assign(&inner);
    Ok(result)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, refused, values};

    #[test]
    fn an_index_outside_is_refused() {
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
