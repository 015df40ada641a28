//! EyeLike — a matrix of the input's shape with ones on diagonal `k` and zeros elsewhere, of type `dtype`
//! or the input's.

use ndarray::Array2;
use onnx_tensor::{DType, Element, Real, Tensor, dispatch};

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};

pub const OP: OpDef = op("EyeLike", &[v(9, First, eye), v(22, TypesOnly, eye)]);

fn eye(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = call.tensor(0)?;
    let &[rows, columns] = x.shape() else {
        return Err(OpError::invalid(format!("shape {:?} is not a matrix", x.shape())));
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

#[cfg(test)]
mod tests {
    use onnx_tensor::{DType, Tensor};

    use crate::frame::testing::{attribute, exact, refused, values};

    #[test]
    fn types_by_version() {
        let x = Tensor::new(&[2, 3], vec![0_f32; 6]).unwrap();
        let to = |dtype: DType| attribute("dtype", i64::from(dtype.to_onnx()));
        let upper = Tensor::new(&[2, 3], vec![false, false, true, false, false, false]).unwrap();
        exact(
            ("", "EyeLike", 9),
            std::slice::from_ref(&x),
            &[to(DType::Bool), attribute("k", 2)],
            &[upper],
        );
        refused(
            ("", "EyeLike", 9),
            &values(std::slice::from_ref(&x)),
            &[to(DType::Bfloat16)],
            "cannot be",
        );
        refused(
            ("", "EyeLike", 22),
            &values(&[x]),
            &[attribute("dtype", 99)],
            "element type",
        );
    }
}
