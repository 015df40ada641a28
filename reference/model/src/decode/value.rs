//! Decodes `SequenceProto`, `MapProto` and `OptionalProto` (onnx-data.proto).

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::RangeInclusive;

use onnx_tensor::{DType, Map, MapKey, Sequence, Value, ValueType};

use super::{Decoder, each, text};
use crate::error::{ModelError, ModelErrorKind, Within};
use crate::proto::{MapProto, OptionalProto, SequenceProto};

/// The prefix of the `SequenceProto` field that holds values of a type, and its number in
/// `SequenceProto.DataType`.
fn kind_of(value_type: &ValueType) -> (&'static str, i32) {
    match value_type {
        ValueType::Tensor { .. } => ("tensor", 1),
        ValueType::Sparse { .. } => ("sparse_tensor", 2),
        ValueType::Sequence(_) => ("sequence", 3),
        ValueType::Map { .. } => ("map", 4),
        ValueType::Optional(_) => ("optional", 5),
    }
}

impl Decoder<'_> {
    pub(super) fn sequence(
        &mut self,
        proto: SequenceProto,
        element: &ValueType,
    ) -> Result<Sequence, ModelError> {
        let filled = [
            ("tensor", !proto.tensor_values.is_empty()),
            ("sparse_tensor", !proto.sparse_tensor_values.is_empty()),
            ("sequence", !proto.sequence_values.is_empty()),
            ("map", !proto.map_values.is_empty()),
            ("optional", !proto.optional_values.is_empty()),
        ];
        check_kind(&filled, proto.elem_type, element)?;
        let values = match element {
            ValueType::Tensor { .. } => each(proto.tensor_values, "tensor_values", |tensor| {
                self.tensor(tensor).map(Value::Tensor)
            }),
            ValueType::Sparse { .. } => each(proto.sparse_tensor_values, "sparse_tensor_values", |sparse| {
                self.sparse(sparse).map(Value::Sparse)
            }),
            ValueType::Sequence(inner) => each(proto.sequence_values, "sequence_values", |sequence| {
                self.sequence(sequence, inner).map(Value::Sequence)
            }),
            ValueType::Map { key, value } => each(proto.map_values, "map_values", |map| {
                self.map(map, *key, value).map(Value::Map)
            }),
            ValueType::Optional(inner) => each(proto.optional_values, "optional_values", |optional| {
                self.optional(optional, inner)
            }),
        }?;
        Ok(Sequence {
            element: element_type(&values, element)?,
            values,
        })
    }

    pub(super) fn map(
        &mut self,
        proto: MapProto,
        key: DType,
        element: &ValueType,
    ) -> Result<Map, ModelError> {
        let key = match proto.key_type {
            None | Some(0) => key,
            Some(number) => DType::from_onnx(number).within(|| "key_type".to_owned())?,
        };
        let keys = keys(key, &proto)?;
        let values = match proto.values {
            Some(values) => self.sequence(values, element).within(|| "values".to_owned())?,
            None => Sequence {
                element: element.clone(),
                values: Vec::new(),
            },
        };
        if keys.len() != values.values.len() {
            return Err(ModelErrorKind::KeyCount {
                keys: keys.len(),
                values: values.values.len(),
            }
            .into());
        }
        let mut entries = BTreeMap::new();
        for (key, value) in keys.into_iter().zip(values.values) {
            match entries.entry(key) {
                Entry::Vacant(vacant) => vacant.insert(value),
                Entry::Occupied(taken) => return Err(ModelErrorKind::KeyTwice(shown(taken.key())).into()),
            };
        }
        Ok(Map {
            key,
            element: values.element,
            entries,
        })
    }

    pub(super) fn optional(
        &mut self,
        proto: OptionalProto,
        element: &ValueType,
    ) -> Result<Value, ModelError> {
        let filled = [
            ("tensor", proto.tensor_value.is_some()),
            ("sparse_tensor", proto.sparse_tensor_value.is_some()),
            ("sequence", proto.sequence_value.is_some()),
            ("map", proto.map_value.is_some()),
            ("optional", proto.optional_value.is_some()),
        ];
        check_kind(&filled, proto.elem_type, element)?;
        let value = match element {
            ValueType::Tensor { .. } => proto
                .tensor_value
                .map(|tensor| self.tensor(*tensor).map(Value::Tensor)),
            ValueType::Sparse { .. } => proto
                .sparse_tensor_value
                .map(|sparse| self.sparse(*sparse).map(Value::Sparse)),
            ValueType::Sequence(inner) => proto
                .sequence_value
                .map(|sequence| self.sequence(*sequence, inner).map(Value::Sequence)),
            ValueType::Map { key, value } => proto
                .map_value
                .map(|map| self.map(*map, *key, value).map(Value::Map)),
            ValueType::Optional(inner) => proto
                .optional_value
                .map(|optional| self.optional(*optional, inner)),
        };
        let value = value
            .transpose()
            .within(|| format!("{}_value", kind_of(element).0))?;
        Ok(Value::Optional {
            element: element_type(value.as_slice(), element)?,
            value: value.map(Box::new),
        })
    }
}

/// Fails if a field of a kind other than `expected` is set. A wrong elem_type counts only if some field is
/// set.
fn check_kind(
    filled: &[(&'static str, bool)],
    elem_type: Option<i32>,
    expected: &ValueType,
) -> Result<(), ModelErrorKind> {
    let (kind, number) = kind_of(expected);
    let mut filled = filled.iter().filter(|(_, filled)| *filled).peekable();
    let anything = filled.peek().is_some();
    if let Some(&(found, _)) = filled.find(|(name, _)| *name != kind) {
        return Err(ModelErrorKind::ValueOther {
            expected: expected.clone(),
            found,
        });
    }
    match elem_type {
        Some(found) if anything && found != 0 && found != number => Err(ModelErrorKind::ValueKind {
            expected: expected.clone(),
            found,
        }),
        _ => Ok(()),
    }
}

/// Returns the common type of the values, or `declared` if there are none.
fn element_type(values: &[Value], declared: &ValueType) -> Result<ValueType, ModelErrorKind> {
    let mut types = values.iter().map(Value::value_type);
    let Some(first) = types.next() else {
        return Ok(declared.clone());
    };
    // The declared type is kept if it fits, because it may hold more, such as named extents.
    let expected = if first.same_kind(declared) {
        declared.clone()
    } else {
        shapeless(first)
    };
    match types.find(|found| !found.same_kind(&expected)) {
        Some(found) => Err(ModelErrorKind::MixedElements { expected, found }),
        None => Ok(expected),
    }
}

/// Removes the shape, because the elements of a sequence may differ in shape.
fn shapeless(value_type: ValueType) -> ValueType {
    match value_type {
        ValueType::Tensor { dtype, .. } => ValueType::Tensor { dtype, shape: None },
        ValueType::Sparse { dtype, .. } => ValueType::Sparse { dtype, shape: None },
        other => other,
    }
}

/// Decodes the keys from the field that stores their type.
fn keys(dtype: DType, proto: &MapProto) -> Result<Vec<MapKey>, ModelErrorKind> {
    if dtype == DType::String {
        let key = |key: &Vec<u8>| text::utf8(key.clone(), "string_keys").map(MapKey::String);
        return proto.string_keys.iter().map(key).collect();
    }
    let range = key_range(dtype).ok_or(ModelErrorKind::KeyType(dtype))?;
    let key = |(index, &key): (usize, &i64)| {
        // A uint64 is stored as the int64 with the same bits.
        let value = if dtype == DType::Uint64 {
            i128::from(key as u64)
        } else {
            i128::from(key)
        };
        if range.contains(&value) {
            Ok(MapKey::Int(value))
        } else {
            Err(ModelErrorKind::ElementRange {
                field: "keys",
                index,
                value,
                dtype,
            })
        }
    };
    proto.keys.iter().enumerate().map(key).collect()
}

fn shown(key: &MapKey) -> String {
    match key {
        MapKey::Int(key) => key.to_string(),
        MapKey::String(key) => format!("{key:?}"),
    }
}

/// The range of an integer type of 8 to 64 bits.
fn key_range(dtype: DType) -> Option<RangeInclusive<i128>> {
    Some(match dtype {
        DType::Int8 => i8::MIN.into()..=i8::MAX.into(),
        DType::Int16 => i16::MIN.into()..=i16::MAX.into(),
        DType::Int32 => i32::MIN.into()..=i32::MAX.into(),
        DType::Int64 => i64::MIN.into()..=i64::MAX.into(),
        DType::Uint8 => 0..=u8::MAX.into(),
        DType::Uint16 => 0..=u16::MAX.into(),
        DType::Uint32 => 0..=u32::MAX.into(),
        DType::Uint64 => 0..=u64::MAX.into(),
        _ => return None,
    })
}
