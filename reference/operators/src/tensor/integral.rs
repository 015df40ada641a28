//! Numeric tensors of any type used as integers.

use onnx_tensor::{DType, Int, Real, Tensor, dispatch};

use crate::frame::OpError;

/// The elements in row-major order. Floats are truncated to int64; one outside int64 is an error.
pub(super) fn to_i128(x: &Tensor) -> Result<Vec<i128>, OpError> {
    let float = matches!(
        x.dtype(),
        DType::Float16 | DType::Bfloat16 | DType::Float | DType::Double
    );
    if !float {
        return dispatch!(int, x.dtype(), T => Ok(x.array::<T>()?.iter().map(|&value| value.to_i128()).collect()));
    }
    let convert = |value: f64| {
        let inside = (-(2_f64.powi(63))..2_f64.powi(63)).contains(&value.trunc());
        let outside = || OpError::undefined(format!("{value} as int64"));
        inside.then_some(value as i128).ok_or_else(outside)
    };
    dispatch!(float, x.dtype(), T => x.array::<T>()?.iter().map(|&value| convert(value.to_f64())).collect())
}
