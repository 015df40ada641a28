//! Float tensors as arrays of f64, for operators that compute in f64 and round at the end.

use ndarray::ArrayD;
use onnx_tensor::{DType, Float, Real, Tensor, dispatch, row_major};

use crate::frame::OpError;

/// The elements of a tensor of f16, bf16, f32 or f64, in row-major order whatever the layout is. Exact.
pub fn widen(tensor: &Tensor) -> Result<ArrayD<f64>, OpError> {
    dispatch!(float, tensor.dtype(), T => {
        let array = tensor.array::<T>()?;
        let elements = row_major(array).iter().map(|x| x.to_f64()).collect();
        Ok(ArrayD::from_shape_vec(array.raw_dim(), elements)?)
    })
}

/// A float tensor of type `dtype`. Each element is rounded once.
pub fn narrow(array: ArrayD<f64>, dtype: DType) -> Result<Tensor, OpError> {
    dispatch!(float, dtype, T => Ok(Tensor::from(array.mapv(<T as Real>::from_f64))))
}

/// `value` rounded to the float type `dtype`, for intermediate casts of the specification.
pub fn round(value: f64, dtype: DType) -> Result<f64, OpError> {
    fn through<T: Float>(value: f64) -> f64 {
        T::from_f64(value).to_f64()
    }
    dispatch!(float, dtype, T => Ok(through::<T>(value)))
}

/// The float type that an attribute (`stash_type`, `softmax_precision`) selects by its number in
/// `TensorProto.DataType`.
pub fn float_type(attribute: &'static str, number: i64) -> Result<DType, OpError> {
    DType::from_onnx(number)
        .ok()
        .filter(|dtype| {
            matches!(
                dtype,
                DType::Float16 | DType::Bfloat16 | DType::Float | DType::Double
            )
        })
        .ok_or_else(|| OpError::invalid(format!("`{attribute}` is {number}, which is not a float type")))
}
