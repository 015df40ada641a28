//! Accessors for the known type of a value.

use onnx_tensor::{DType, Dim, ValueType};

use crate::size::is_bounded;

/// Removes a shape that exceeds the limit of a value, so that nothing is computed from its extents.
pub fn bounded(known: ValueType) -> ValueType {
    let extent = |dim: &Dim| match dim {
        Dim::Fixed(extent) => Some(*extent),
        Dim::Named(_) | Dim::Unknown => None,
    };
    match known {
        ValueType::Tensor {
            dtype,
            shape: Some(shape),
        } if !is_bounded(&shape.iter().filter_map(extent).collect::<Vec<_>>()) => {
            ValueType::Tensor { dtype, shape: None }
        }
        known => known,
    }
}

/// Returns the element type of a tensor.
pub fn dtype(known: Option<&ValueType>) -> Option<DType> {
    match known? {
        ValueType::Tensor { dtype, .. } => Some(*dtype),
        _ => None,
    }
}

/// Returns the extents of a tensor, if at least its rank is known.
pub fn shape(known: Option<&ValueType>) -> Option<&[Dim]> {
    match known? {
        ValueType::Tensor { shape, .. } => shape.as_deref(),
        _ => None,
    }
}

/// Returns the extents of a tensor, if all of them are known.
pub fn fixed_shape(known: Option<&ValueType>) -> Option<Vec<usize>> {
    let fixed = |dim: &Dim| match dim {
        Dim::Fixed(extent) => Some(*extent),
        _ => None,
    };
    shape(known)?.iter().map(fixed).collect()
}
