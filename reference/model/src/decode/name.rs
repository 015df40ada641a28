//! Decodes the name of a stored value without the value.

use onnx_tensor::ValueType;
use prost::Message;

use super::text;

/// Only `TensorProto.name`.
#[derive(Clone, PartialEq, prost::Message)]
struct TensorName {
    #[prost(bytes = "vec", optional, tag = "8")]
    name: Option<Vec<u8>>,
}

/// Only `SparseTensorProto.values.name`, which is the name of the sparse tensor.
#[derive(Clone, PartialEq, prost::Message)]
struct SparseName {
    #[prost(message, optional, tag = "1")]
    values: Option<TensorName>,
}

/// Only the name of a `SequenceProto`, `MapProto` or `OptionalProto`.
#[derive(Clone, PartialEq, prost::Message)]
struct ContainerName {
    #[prost(bytes = "vec", optional, tag = "1")]
    name: Option<Vec<u8>>,
}

/// Returns the name in the message that stores a value of type `value_type`. `None` if the name is empty or
/// missing, or if the bytes are not such a message.
pub fn stored_name(bytes: &[u8], value_type: &ValueType) -> Option<String> {
    let name = match value_type {
        ValueType::Tensor { .. } => TensorName::decode(bytes).ok()?.name,
        ValueType::Sparse { .. } => SparseName::decode(bytes).ok()?.values?.name,
        ValueType::Sequence(_) | ValueType::Map { .. } | ValueType::Optional(_) => {
            ContainerName::decode(bytes).ok()?.name
        }
    };
    let name = text::utf8(name?, "name").ok()?;
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{DType, Sequence, Tensor, Value};

    use super::*;
    use crate::encode_value;

    #[test]
    fn names_are_read_without_their_values() {
        let tensor = Value::Tensor(Tensor::vector(vec![1_i64, 2]));
        let sequence = Value::Sequence(Sequence {
            element: ValueType::tensor(DType::Int64),
            values: vec![tensor.clone()],
        });
        let optional = Value::Optional {
            element: ValueType::tensor(DType::Int64),
            value: Some(Box::new(tensor.clone())),
        };
        for value in [tensor, sequence, optional] {
            let value_type = value.value_type();
            let named = encode_value(&value, "data_0");
            assert_eq!(
                stored_name(&named, &value_type).as_deref(),
                Some("data_0"),
                "{value_type}"
            );
            assert_eq!(
                stored_name(&encode_value(&value, ""), &value_type),
                None,
                "{value_type}"
            );
            assert_eq!(
                stored_name(&named[..named.len() - 1], &value_type),
                None,
                "{value_type}"
            );
        }
        let nothing = ValueType::tensor(DType::Float);
        assert_eq!(stored_name(b"\xff", &nothing), None);
    }
}
