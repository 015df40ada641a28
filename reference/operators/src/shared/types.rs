//! Checks of types that are known only when an operator runs.

use onnx_tensor::{Value, ValueType};

use crate::frame::{Call, OpError};

/// Checks that the version of `call` allows this type for output `index`.
pub fn check_output(call: &Call<'_>, index: usize, found: &ValueType) -> Result<(), OpError> {
    let formal = call.schema().output(index);
    let allowed = formal.map_or(&[][..], |formal| call.schema().types(formal));
    if allowed.iter().any(|allowed| allowed.matches(found)) {
        return Ok(());
    }
    Err(OpError::invalid(format!(
        "output {index} cannot be {found} in this version"
    )))
}

/// The type of `value` without tensor shapes, as a sequence of such values declares it.
pub fn element(value: &Value) -> ValueType {
    unshaped(&value.value_type())
}

/// A type without its shapes.
pub fn unshaped(value_type: &ValueType) -> ValueType {
    match value_type {
        ValueType::Tensor { dtype, .. } => ValueType::tensor(*dtype),
        ValueType::Sparse { dtype, .. } => ValueType::Sparse {
            dtype: *dtype,
            shape: None,
        },
        ValueType::Sequence(inner) => ValueType::Sequence(Box::new(unshaped(inner))),
        ValueType::Optional(inner) => ValueType::Optional(Box::new(unshaped(inner))),
        ValueType::Map { key, value } => ValueType::Map {
            key: *key,
            value: Box::new(unshaped(value)),
        },
    }
}
