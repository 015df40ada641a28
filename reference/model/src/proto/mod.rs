//! The messages of `onnx.proto` and `onnx-data.proto`, field by field.
//!
//! The files are proto2, where a field that is not set differs from a field that is zero, so every singular
//! field is an `Option`. Strings are bytes, because other readers accept strings that are not UTF-8; the code
//! that uses a string decides how to decode it. Enums are numbers, because a number of a newer release must
//! remain readable.

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
pub(crate) use tensor::{EXTERNAL, INTERNAL};
pub use tensor::{SegmentProto, SparseTensorProto, TensorProto};
pub use types::{
    DimensionProto, DimensionValue, MapTypeProto, OpaqueTypeProto, OptionalTypeProto, SequenceTypeProto,
    SparseTensorTypeProto, TensorShapeProto, TensorTypeProto, TypeKind, TypeProto,
};
pub use value::{MapProto, OptionalProto, SequenceProto};
