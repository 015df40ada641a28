//! The outermost messages: model, function, opset imports.

use super::{AttributeProto, DeviceConfigurationProto, GraphProto, NodeProto, ValueInfoProto};

/// A model file: a graph with its functions and opset imports.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ModelProto {
    #[prost(int64, optional, tag = "1")]
    pub ir_version: Option<i64>,
    #[prost(bytes = "vec", optional, tag = "2")]
    pub producer_name: Option<Vec<u8>>,
    #[prost(bytes = "vec", optional, tag = "3")]
    pub producer_version: Option<Vec<u8>>,
    #[prost(bytes = "vec", optional, tag = "4")]
    pub domain: Option<Vec<u8>>,
    #[prost(int64, optional, tag = "5")]
    pub model_version: Option<i64>,
    #[prost(bytes = "vec", optional, tag = "6")]
    pub doc_string: Option<Vec<u8>>,
    #[prost(message, optional, tag = "7")]
    pub graph: Option<GraphProto>,
    #[prost(message, repeated, tag = "8")]
    pub opset_import: Vec<OperatorSetIdProto>,
    #[prost(message, repeated, tag = "14")]
    pub metadata_props: Vec<StringStringEntryProto>,
    #[prost(message, repeated, tag = "20")]
    pub training_info: Vec<TrainingInfoProto>,
    #[prost(message, repeated, tag = "25")]
    pub functions: Vec<FunctionProto>,
    #[prost(message, repeated, tag = "26")]
    pub configuration: Vec<DeviceConfigurationProto>,
}

/// A set of operators that a model or function imports.
#[derive(Clone, PartialEq, prost::Message)]
pub struct OperatorSetIdProto {
    #[prost(bytes = "vec", optional, tag = "1")]
    pub domain: Option<Vec<u8>>,
    #[prost(int64, optional, tag = "2")]
    pub version: Option<i64>,
}

/// A pair of strings: metadata, a location of external data, a binding.
#[derive(Clone, PartialEq, prost::Message)]
pub struct StringStringEntryProto {
    #[prost(bytes = "vec", optional, tag = "1")]
    pub key: Option<Vec<u8>>,
    #[prost(bytes = "vec", optional, tag = "2")]
    pub value: Option<Vec<u8>>,
}

/// Training information of a model.
#[derive(Clone, PartialEq, prost::Message)]
pub struct TrainingInfoProto {
    #[prost(message, optional, tag = "1")]
    pub initialization: Option<GraphProto>,
    #[prost(message, optional, tag = "2")]
    pub algorithm: Option<GraphProto>,
    #[prost(message, repeated, tag = "3")]
    pub initialization_binding: Vec<StringStringEntryProto>,
    #[prost(message, repeated, tag = "4")]
    pub update_binding: Vec<StringStringEntryProto>,
}

/// A function local to a model, or the body of an operator.
#[derive(Clone, PartialEq, prost::Message)]
pub struct FunctionProto {
    #[prost(bytes = "vec", optional, tag = "1")]
    pub name: Option<Vec<u8>>,
    #[prost(bytes = "vec", repeated, tag = "4")]
    pub input: Vec<Vec<u8>>,
    #[prost(bytes = "vec", repeated, tag = "5")]
    pub output: Vec<Vec<u8>>,
    #[prost(bytes = "vec", repeated, tag = "6")]
    pub attribute: Vec<Vec<u8>>,
    #[prost(message, repeated, tag = "7")]
    pub node: Vec<NodeProto>,
    #[prost(bytes = "vec", optional, tag = "8")]
    pub doc_string: Option<Vec<u8>>,
    #[prost(message, repeated, tag = "9")]
    pub opset_import: Vec<OperatorSetIdProto>,
    #[prost(bytes = "vec", optional, tag = "10")]
    pub domain: Option<Vec<u8>>,
    #[prost(message, repeated, tag = "11")]
    pub attribute_proto: Vec<AttributeProto>,
    #[prost(message, repeated, tag = "12")]
    pub value_info: Vec<ValueInfoProto>,
    #[prost(bytes = "vec", optional, tag = "13")]
    pub overload: Option<Vec<u8>>,
    #[prost(message, repeated, tag = "14")]
    pub metadata_props: Vec<StringStringEntryProto>,
}
