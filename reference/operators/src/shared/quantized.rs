//! Code that the quantized products share: operands with zero points, and the conversion back to 8 bits.

use ndarray::{ArrayD, IxDyn};
use onnx_tensor::minifloat::Overflow;
use onnx_tensor::{Array, DType, Tensor, TensorError, dispatch};

use crate::frame::OpError;
use crate::shared::convert::Scalar;
use crate::shared::quantize::{Quantized, dispatch_quantized};

/// The elements of an 8-bit integer tensor as i32. Exact.
pub fn integers(tensor: &Tensor) -> Result<ArrayD<i32>, OpError> {
    match tensor {
        Tensor::Int8(array) => Ok(array.mapv(i32::from).into_owned()),
        Tensor::Uint8(array) => Ok(array.mapv(i32::from).into_owned()),
        other => Err(unexpected("int8 or uint8", other)),
    }
}

/// The elements of an 8-bit integer tensor minus a zero point, as float. Exact.
pub fn steps(tensor: &Tensor, zero_point: i32) -> Result<Array<f32>, OpError> {
    let step = |value: i32| (value - zero_point) as f32;
    match tensor {
        Tensor::Int8(array) => Ok(array.mapv(|value| step(value.into())).into_shared()),
        Tensor::Uint8(array) => Ok(array.mapv(|value| step(value.into())).into_shared()),
        other => Err(unexpected("int8 or uint8", other)),
    }
}

/// A sum of products of steps in int32. In f64 it is exact.
pub fn wrapped(sum: f64) -> i32 {
    sum as i64 as i32
}

/// The elements of a scale, a zero point or a quantized tensor as f64. Exact.
pub fn reals(tensor: &Tensor) -> Result<ArrayD<f64>, OpError> {
    dispatch!(scalar, tensor.dtype(), T => {
        Ok(tensor.array::<T>()?.map(|value| value.number().nearest()))
    })
}

/// saturate(`scaled` + `zero_point`) as a tensor of `dtype`, where `scaled` is x / y_scale ([`Quantized`]).
pub fn requantize(scaled: ArrayD<f64>, zero_point: f64, dtype: DType) -> Result<Tensor, OpError> {
    dispatch_quantized!(dtype, T => {
        Ok(Tensor::from(scaled.mapv(|x| <T as Quantized>::quantize(x, zero_point, Overflow::Saturate))))
    })
}

/// The element of a tensor with one element.
pub fn scalar(values: &ArrayD<f64>, name: &str) -> Result<f64, OpError> {
    match (values.len(), values.first()) {
        (1, Some(&value)) => Ok(value),
        (count, _) => Err(OpError::invalid(format!(
            "`{name}` must have one element, got {count}"
        ))),
    }
}

/// The axis of a matrix along which scales or zero points differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Along {
    Rows,
    Columns,
}

/// A scale or zero point of a stack of matrices in a form that broadcasts to the stack: one for all, a
/// vector along an axis, or a tensor of the same rank with an extent of 1 on the other axis.
pub fn along<T: Clone>(values: ArrayD<T>, stack: &[usize], along: Along) -> Result<Array<T>, OpError> {
    let problem = OpError::invalid(format!(
        "a scale or zero point of shape {:?} does not fit matrices of shape {stack:?}",
        values.shape()
    ));
    let Some((batch, &[m, n])) = stack.split_last_chunk::<2>() else {
        return if values.len() == 1 {
            Ok(values.into_shape_with_order(IxDyn(&[]))?.into_shared())
        } else {
            Err(problem)
        };
    };
    let (extent, last) = match along {
        Along::Rows => (m, [m, 1]),
        Along::Columns => (n, [1, n]),
    };
    let whole = [batch, &last].concat();
    let shape = match values.shape() {
        _ if values.len() == 1 => vec![],
        [count] if *count == extent => last.to_vec(),
        shape if shape == whole => whole,
        _ => return Err(problem),
    };
    Ok(values.into_shape_with_order(IxDyn(&shape))?.into_shared())
}

fn unexpected(expected: &'static str, found: &Tensor) -> OpError {
    let found = found.dtype();
    TensorError::DType { expected, found }.into()
}
