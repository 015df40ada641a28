//! The messages of `onnx.proto` and `onnx-data.proto`, field by field.
//!
//! Proto2: a field that is not set is not a field that is zero, so every single field is an `Option`. Strings
//! are bytes here, because other readers accept what is not UTF-8; what to do about it is decided where a
//! string is used. Enums are their numbers, because a number from a newer release must still be readable.

mod device;
mod graph;
mod model;
mod tensor;
mod types;
mod value;

pub use device::{
    DeviceConfigurationProto, IntIntListEntryProto, NodeDeviceConfigurationProto, ShardedDimProto,
    ShardedDimValue, ShardingSpecProto, SimpleShardedDimProto,
};
pub use graph::{AttributeProto, GraphProto, NodeProto, TensorAnnotation, ValueInfoProto};
pub use model::{FunctionProto, ModelProto, OperatorSetIdProto, StringStringEntryProto, TrainingInfoProto};
pub use tensor::{SegmentProto, SparseTensorProto, TensorProto};
pub use types::{
    DimensionProto, DimensionValue, MapTypeProto, OpaqueTypeProto, OptionalTypeProto, SequenceTypeProto,
    SparseTensorTypeProto, TensorShapeProto, TensorTypeProto, TypeKind, TypeProto,
};
pub use value::{MapProto, OptionalProto, SequenceProto};
