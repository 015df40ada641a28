//! EyeLike — a matrix of the input's shape with ones on diagonal `k` and zeros elsewhere, of type `dtype` or the input's.

use ndarray::Array2;
use onnx_tensor::{DType, Element, Real, Tensor, dispatch};

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};

pub const OP: OpDef = op("EyeLike", &[v(9, First, eye), v(22, TypesOnly, eye)]);

fn eye(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = call.tensor(0)?;
    let &[rows, columns] = x.shape() else {
        return Err(OpError::invalid(format!(
            "shape {:?} is not that of a matrix",
            x.shape()
        )));
    };
    let dtype = call.output_dtype(0, call.optional_dtype_attribute("dtype")?.unwrap_or(x.dtype()))?;
    call.reserve(x.shape(), dtype)?;
    let k = i128::from(call.int("k")?);
    match dtype {
        DType::Bool => one(diagonal(rows, columns, k, true)),
        _ => dispatch!(real, dtype, T => one(diagonal(rows, columns, k, T::ONE))),
    }
}

fn diagonal<T: Element>(rows: usize, columns: usize, k: i128, value: T) -> Tensor {
    let on = |(row, column): (usize, usize)| column as i128 - row as i128 == k;
    let matrix = Array2::from_shape_fn(
        (rows, columns),
        |at| if on(at) { value.clone() } else { T::default() },
    );
    Tensor::from(matrix.into_dyn())
}
