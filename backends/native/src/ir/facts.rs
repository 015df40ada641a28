//! Reading what is known of a value's type.

use onnx_tensor::{DType, Dim, ValueType};

use crate::size::is_bounded;

/// The type without its shape where that is larger than the shape of a value may be: nothing is computed from such extents.
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

/// The element type of a tensor.
pub fn dtype(known: Option<&ValueType>) -> Option<DType> {
    match known? {
        ValueType::Tensor { dtype, .. } => Some(*dtype),
        _ => None,
    }
}

/// The extents of a tensor, if at least its rank is known.
pub fn shape(known: Option<&ValueType>) -> Option<&[Dim]> {
    match known? {
        ValueType::Tensor { shape, .. } => shape.as_deref(),
        _ => None,
    }
}

/// The extents of a tensor, if all of them are known.
pub fn fixed_shape(known: Option<&ValueType>) -> Option<Vec<usize>> {
    let fixed = |dim: &Dim| match dim {
        Dim::Fixed(extent) => Some(*extent),
        _ => None,
    };
    shape(known)?.iter().map(fixed).collect()
}
