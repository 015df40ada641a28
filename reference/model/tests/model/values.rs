//! Values other than tensors: round trips, and types that the bytes do not state.

use std::collections::BTreeMap;

use onnx_model::proto::{MapProto, OptionalProto, SequenceProto, SparseTensorProto, TensorProto};
use onnx_model::{Limits, decode_value, encode_value};
use onnx_tensor::{DType, Map, MapKey, Sequence, SparseTensor, Tensor, Value, ValueType};
use prost::Message;

fn int64s() -> ValueType {
    ValueType::tensor(DType::Int64)
}

fn sequence_of(element: ValueType, values: Vec<Value>) -> Value {
    Value::Sequence(Sequence { element, values })
}

fn map_of(key: DType, entries: Vec<(MapKey, Value)>) -> Value {
    Value::Map(Map {
        key,
        element: int64s(),
        entries: BTreeMap::from_iter(entries),
    })
}

fn optional_of(element: ValueType, value: Option<Value>) -> Value {
    Value::Optional {
        element,
        value: value.map(Box::new),
    }
}

fn sparse(indices: Tensor) -> Value {
    Value::Sparse(SparseTensor {
        values: Tensor::vector(vec![1.0_f32, 2.0]),
        indices,
        shape: vec![2, 3],
    })
}

/// Checks that a value survives encoding and decoding as its own type.
fn check(value: Value) {
    let value_type = value.value_type();
    let bytes = encode_value(&value, "x");
    let decoded = decode_value(&bytes, &value_type, &Limits::default()).expect("what was encoded");
    assert_eq!(format!("{decoded:?}"), format!("{value:?}"));
    assert_eq!(encode_value(&decoded, "x"), bytes);
}

#[test]
fn sequences_survive_a_round_trip() {
    let one = || Value::Tensor(Tensor::vector(vec![1_i64, 2]));
    let shorter = || Value::Tensor(Tensor::vector(Vec::<i64>::new()));
    let list = || sequence_of(int64s(), vec![one(), shorter()]);
    check(list());
    check(sequence_of(int64s(), vec![]));
    check(sequence_of(
        ValueType::Sequence(Box::new(int64s())),
        vec![list(), sequence_of(int64s(), vec![])],
    ));
    let optional = ValueType::Optional(Box::new(int64s()));
    check(sequence_of(
        optional,
        vec![optional_of(int64s(), Some(one())), optional_of(int64s(), None)],
    ));
    let sparse_type = ValueType::Sparse {
        dtype: DType::Float,
        shape: None,
    };
    check(sequence_of(
        sparse_type,
        vec![sparse(Tensor::vector(vec![0_i64, 5]))],
    ));
    let map_type = ValueType::Map {
        key: DType::Int32,
        value: Box::new(int64s()),
    };
    check(sequence_of(
        map_type,
        vec![map_of(DType::Int32, vec![(MapKey::Int(-4), one())])],
    ));
}

#[test]
fn maps_with_every_type_of_key_survive_a_round_trip() {
    let one = || Value::Tensor(Tensor::scalar(7_i64));
    let integers = [
        (DType::Int8, i8::MIN.into(), i8::MAX.into()),
        (DType::Int16, i16::MIN.into(), i16::MAX.into()),
        (DType::Int32, i32::MIN.into(), i32::MAX.into()),
        (DType::Int64, i64::MIN.into(), i64::MAX.into()),
        (DType::Uint8, 0, u8::MAX.into()),
        (DType::Uint16, 0, u16::MAX.into()),
        (DType::Uint32, 0, u32::MAX.into()),
        (DType::Uint64, 0, u64::MAX.into()),
    ];
    for (key, least, greatest) in integers {
        check(map_of(
            key,
            vec![(MapKey::Int(least), one()), (MapKey::Int(greatest), one())],
        ));
    }
    check(map_of(
        DType::String,
        vec![(MapKey::String(String::new()), one())],
    ));
    check(map_of(DType::Int64, vec![]));
}

#[test]
fn optionals_and_sparse_tensors_survive_a_round_trip() {
    let one = Value::Tensor(Tensor::scalar(7_i64));
    let list = sequence_of(int64s(), vec![one.clone()]);
    check(optional_of(int64s(), Some(one.clone())));
    check(optional_of(int64s(), None));
    check(optional_of(ValueType::Sequence(Box::new(int64s())), Some(list)));
    let map_type = ValueType::Map {
        key: DType::Int64,
        value: Box::new(int64s()),
    };
    check(optional_of(
        map_type,
        Some(map_of(DType::Int64, vec![(MapKey::Int(1), one.clone())])),
    ));
    let inner = ValueType::Optional(Box::new(int64s()));
    check(optional_of(inner, Some(optional_of(int64s(), Some(one)))));
    check(sparse(Tensor::vector(vec![1_i64, 4])));
    check(sparse(
        Tensor::new(&[2, 2], vec![0_i64, 2, 1, 0]).expect("two coordinates"),
    ));
}

#[test]
fn the_bytes_override_an_element_type_but_not_a_kind() {
    let floats = ValueType::Sequence(Box::new(ValueType::tensor(DType::Float)));
    let stored = sequence_of(int64s(), vec![Value::Tensor(Tensor::scalar(7_i64))]);
    let decoded = decode_value(&encode_value(&stored, ""), &floats, &Limits::default()).expect("a sequence");
    assert_eq!(decoded.value_type().to_string(), "seq(tensor(int64))");
    // An optional of a tensor without a value: writers differ in how they encode it.
    let nothing = OptionalProto {
        elem_type: Some(1),
        ..OptionalProto::default()
    }
    .encode_to_vec();
    let decoded = decode_value(
        &nothing,
        &ValueType::Optional(Box::new(int64s())),
        &Limits::default(),
    );
    assert!(
        matches!(decoded, Ok(Value::Optional { value: None, .. })),
        "{decoded:?}"
    );
}

/// Checks that bytes are refused for a type with this message.
fn refuse(proto: impl Message, value_type: ValueType, message: &str) {
    let bytes = proto.encode_to_vec();
    let error = decode_value(&bytes, &value_type, &Limits::default()).expect_err(message);
    assert_eq!(error.to_string(), message);
}

fn tensor(value: i64) -> TensorProto {
    TensorProto {
        data_type: Some(7),
        int64_data: vec![value],
        ..TensorProto::default()
    }
}

fn list(values: &[TensorProto]) -> SequenceProto {
    SequenceProto {
        elem_type: Some(1),
        tensor_values: values.to_vec(),
        ..SequenceProto::default()
    }
}

#[test]
fn wrong_sequences_and_optionals() {
    let tensors = || ValueType::Sequence(Box::new(int64s()));
    let broken = TensorProto {
        int64_data: vec![],
        ..tensor(1)
    };
    refuse(
        list(&[tensor(1), broken]),
        tensors(),
        "tensor_values[1]: int64_data has 0 values, expected 1 for shape [] of int64",
    );
    let float = TensorProto {
        data_type: Some(1),
        float_data: vec![0.5],
        ..TensorProto::default()
    };
    refuse(
        list(&[tensor(1), float]),
        tensors(),
        "an element is tensor(float), the elements before it are tensor(int64)",
    );
    refuse(
        list(&[tensor(1)]),
        ValueType::Sequence(Box::new(tensors())),
        "expected seq(tensor(int64)), got tensor",
    );
    let misnamed = SequenceProto {
        elem_type: Some(4),
        ..list(&[tensor(1)])
    };
    refuse(misnamed, tensors(), "expected tensor(int64), got elem_type 4");
    let optional = OptionalProto {
        sequence_value: Some(Box::new(list(&[]))),
        ..OptionalProto::default()
    };
    let wanted = ValueType::Optional(Box::new(int64s()));
    refuse(optional, wanted, "expected tensor(int64), got sequence");
}

#[test]
fn wrong_maps() {
    let map_type = || ValueType::Map {
        key: DType::Int8,
        value: Box::new(int64s()),
    };
    let map = |keys: &[i64], count| MapProto {
        key_type: Some(3),
        keys: keys.to_vec(),
        values: Some(list(&vec![tensor(1); count])),
        ..MapProto::default()
    };
    refuse(map(&[1, 128], 2), map_type(), "keys[1] is 128, not a valid int8");
    refuse(map(&[1, 2], 1), map_type(), "got 2 keys and 1 values");
    refuse(map(&[1, 1], 2), map_type(), "duplicate key 1");
    let float_keys = MapProto {
        key_type: Some(1),
        ..map(&[1], 1)
    };
    refuse(
        float_keys,
        map_type(),
        "invalid key type float: expected an integer or string type",
    );
}

#[test]
fn wrong_sparse_tensors() {
    let sparse_type = || ValueType::Sparse {
        dtype: DType::Int64,
        shape: None,
    };
    let vector = |values: &[i64]| TensorProto {
        dims: vec![values.len() as i64],
        data_type: Some(7),
        int64_data: values.to_vec(),
        ..TensorProto::default()
    };
    let sparse = |indices| SparseTensorProto {
        values: Some(vector(&[8, 9])),
        indices: Some(indices),
        dims: vec![2, 3],
    };
    let unordered =
        "index 1 of a sparse tensor is [4]: outside of shape [2, 3], or not greater than the index before it";
    refuse(sparse(vector(&[4, 4])), sparse_type(), unordered);
    let outside =
        "index 1 of a sparse tensor is [6]: outside of shape [2, 3], or not greater than the index before it";
    refuse(sparse(vector(&[4, 6])), sparse_type(), outside);
    let few = "the indices of a sparse tensor are int64 of shape [1], not int64 of [2] or [2, 2]";
    refuse(sparse(vector(&[4])), sparse_type(), few);
    let missing = SparseTensorProto {
        indices: None,
        ..sparse(vector(&[]))
    };
    refuse(missing, sparse_type(), "field `indices` is missing");
}
