//! Inputs of zeros.

use onnx_tensor::{Dim, Tensor, Value, ValueType, dispatch};

/// Returns a tensor of zeros of this type, whose open extents are `open`; `None` for other values.
pub fn zeros(declared: &ValueType, open: usize) -> Option<Value> {
    let ValueType::Tensor {
        dtype,
        shape: Some(dims),
    } = declared
    else {
        return None;
    };
    let fixed = |dim: &Dim| match dim {
        Dim::Fixed(fixed) => *fixed,
        Dim::Named(_) | Dim::Unknown => open,
    };
    let shape: Vec<usize> = dims.iter().map(fixed).collect();
    let count = shape.iter().product();
    dispatch!(all, *dtype, T => Tensor::new::<T>(&shape, vec![T::default(); count]))
        .ok()
        .map(Value::Tensor)
}
