//! Encodes `SequenceProto`, `MapProto` and `OptionalProto`.

use onnx_tensor::{Map, MapKey, Sequence, Value, ValueType};

use super::tensor;
use crate::proto::{MapProto, OptionalProto, SequenceProto};

/// The number in `SequenceProto.DataType` and `OptionalProto.DataType`.
fn kind(value_type: &ValueType) -> i32 {
    match value_type {
        ValueType::Tensor { .. } => 1,
        ValueType::Sparse { .. } => 2,
        ValueType::Sequence(_) => 3,
        ValueType::Map { .. } => 4,
        ValueType::Optional(_) => 5,
    }
}

pub(super) fn sequence(sequence: &Sequence, name: Option<Vec<u8>>) -> SequenceProto {
    list(&sequence.element, &sequence.values, name)
}

fn list<'a>(
    element: &ValueType,
    values: impl IntoIterator<Item = &'a Value>,
    name: Option<Vec<u8>>,
) -> SequenceProto {
    let mut proto = SequenceProto {
        name,
        elem_type: Some(kind(element)),
        ..SequenceProto::default()
    };
    for value in values {
        match value {
            Value::Tensor(inner) => proto.tensor_values.push(tensor::tensor(inner, None)),
            Value::Sparse(inner) => proto.sparse_tensor_values.push(tensor::sparse(inner, None)),
            Value::Stored(inner) => proto.tensor_values.push(tensor::external(inner, None)),
            Value::Sequence(inner) => proto.sequence_values.push(sequence(inner, None)),
            Value::Map(inner) => proto.map_values.push(map(inner, None)),
            Value::Optional { element, value } => {
                proto
                    .optional_values
                    .push(optional(element, value.as_deref(), None));
            }
        }
    }
    proto
}

/// Keys beyond the range of int64 are uint64; they are stored as the int64 with the same bits.
pub(super) fn map(map: &Map, name: Option<Vec<u8>>) -> MapProto {
    let mut proto = MapProto {
        name,
        key_type: Some(map.key.to_onnx()),
        values: Some(list(&map.element, map.entries.values(), None)),
        ..MapProto::default()
    };
    for key in map.entries.keys() {
        match key {
            MapKey::Int(key) => proto.keys.push(*key as i64),
            MapKey::String(key) => proto.string_keys.push(key.as_bytes().to_vec()),
        }
    }
    proto
}

/// An optional without a value states no type, as in the official tests.
pub(super) fn optional(element: &ValueType, value: Option<&Value>, name: Option<Vec<u8>>) -> OptionalProto {
    let mut proto = OptionalProto {
        name,
        elem_type: Some(0),
        ..OptionalProto::default()
    };
    let Some(value) = value else {
        return proto;
    };
    proto.elem_type = Some(kind(element));
    match value {
        Value::Tensor(inner) => proto.tensor_value = Some(Box::new(tensor::tensor(inner, None))),
        Value::Sparse(inner) => proto.sparse_tensor_value = Some(Box::new(tensor::sparse(inner, None))),
        Value::Stored(inner) => proto.tensor_value = Some(Box::new(tensor::external(inner, None))),
        Value::Sequence(inner) => proto.sequence_value = Some(Box::new(sequence(inner, None))),
        Value::Map(inner) => proto.map_value = Some(Box::new(map(inner, None))),
        Value::Optional { element, value } => {
            proto.optional_value = Some(Box::new(optional(element, value.as_deref(), None)));
        }
    }
    proto
}
