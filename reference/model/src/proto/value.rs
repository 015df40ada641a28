//! Values other than tensors (`onnx-data.proto`).

use super::{SparseTensorProto, TensorProto};

/// A list of values; `elem_type` states which field holds them (1 tensor, 2 sparse, 3 sequence, 4 map, 5
/// optional).
#[derive(Clone, PartialEq, prost::Message)]
pub struct SequenceProto {
    #[prost(bytes = "vec", optional, tag = "1")]
    pub name: Option<Vec<u8>>,
    #[prost(int32, optional, tag = "2")]
    pub elem_type: Option<i32>,
    #[prost(message, repeated, tag = "3")]
    pub tensor_values: Vec<TensorProto>,
    #[prost(message, repeated, tag = "4")]
    pub sparse_tensor_values: Vec<SparseTensorProto>,
    #[prost(message, repeated, tag = "5")]
    pub sequence_values: Vec<SequenceProto>,
    #[prost(message, repeated, tag = "6")]
    pub map_values: Vec<MapProto>,
    #[prost(message, repeated, tag = "7")]
    pub optional_values: Vec<OptionalProto>,
}

/// A map from keys to values; `keys` holds integer keys of every width.
#[derive(Clone, PartialEq, prost::Message)]
pub struct MapProto {
    #[prost(bytes = "vec", optional, tag = "1")]
    pub name: Option<Vec<u8>>,
    #[prost(int32, optional, tag = "2")]
    pub key_type: Option<i32>,
    #[prost(int64, repeated, packed = "false", tag = "3")]
    pub keys: Vec<i64>,
    #[prost(bytes = "vec", repeated, tag = "4")]
    pub string_keys: Vec<Vec<u8>>,
    #[prost(message, optional, tag = "5")]
    pub values: Option<SequenceProto>,
}

/// A value that may be absent; `elem_type` is numbered as in [`SequenceProto`], 0 means absent.
#[derive(Clone, PartialEq, prost::Message)]
pub struct OptionalProto {
    #[prost(bytes = "vec", optional, tag = "1")]
    pub name: Option<Vec<u8>>,
    #[prost(int32, optional, tag = "2")]
    pub elem_type: Option<i32>,
    #[prost(message, optional, boxed, tag = "3")]
    pub tensor_value: Option<Box<TensorProto>>,
    #[prost(message, optional, boxed, tag = "4")]
    pub sparse_tensor_value: Option<Box<SparseTensorProto>>,
    #[prost(message, optional, boxed, tag = "5")]
    pub sequence_value: Option<Box<SequenceProto>>,
    #[prost(message, optional, boxed, tag = "6")]
    pub map_value: Option<Box<MapProto>>,
    #[prost(message, optional, boxed, tag = "7")]
    pub optional_value: Option<Box<OptionalProto>>,
}
