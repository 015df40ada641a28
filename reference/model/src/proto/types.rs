//! Types of values.

#[derive(Clone, PartialEq, prost::Message)]
pub struct TypeProto {
    #[prost(oneof = "TypeKind", tags = "1, 4, 5, 7, 8, 9")]
    pub value: Option<TypeKind>,
    #[prost(bytes = "vec", optional, tag = "6")]
    pub denotation: Option<Vec<u8>>,
}

/// The alternatives of [`TypeProto`].
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum TypeKind {
    #[prost(message, tag = "1")]
    Tensor(TensorTypeProto),
    #[prost(message, tag = "4")]
    Sequence(SequenceTypeProto),
    #[prost(message, tag = "5")]
    Map(MapTypeProto),
    #[prost(message, tag = "7")]
    Opaque(OpaqueTypeProto),
    #[prost(message, tag = "8")]
    SparseTensor(SparseTensorTypeProto),
    #[prost(message, tag = "9")]
    Optional(OptionalTypeProto),
}

/// `TypeProto.Tensor`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct TensorTypeProto {
    #[prost(int32, optional, tag = "1")]
    pub elem_type: Option<i32>,
    #[prost(message, optional, tag = "2")]
    pub shape: Option<TensorShapeProto>,
}

/// `TypeProto.SparseTensor`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct SparseTensorTypeProto {
    #[prost(int32, optional, tag = "1")]
    pub elem_type: Option<i32>,
    #[prost(message, optional, tag = "2")]
    pub shape: Option<TensorShapeProto>,
}

/// `TypeProto.Sequence`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct SequenceTypeProto {
    #[prost(message, optional, boxed, tag = "1")]
    pub elem_type: Option<Box<TypeProto>>,
}

/// `TypeProto.Map`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct MapTypeProto {
    #[prost(int32, optional, tag = "1")]
    pub key_type: Option<i32>,
    #[prost(message, optional, boxed, tag = "2")]
    pub value_type: Option<Box<TypeProto>>,
}

/// `TypeProto.Optional`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct OptionalTypeProto {
    #[prost(message, optional, boxed, tag = "1")]
    pub elem_type: Option<Box<TypeProto>>,
}

/// `TypeProto.Opaque`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct OpaqueTypeProto {
    #[prost(bytes = "vec", optional, tag = "1")]
    pub domain: Option<Vec<u8>>,
    #[prost(bytes = "vec", optional, tag = "2")]
    pub name: Option<Vec<u8>>,
}

/// A declared shape.
#[derive(Clone, PartialEq, prost::Message)]
pub struct TensorShapeProto {
    #[prost(message, repeated, tag = "1")]
    pub dim: Vec<DimensionProto>,
}

/// `TensorShapeProto.Dimension`: one declared extent.
#[derive(Clone, PartialEq, prost::Message)]
pub struct DimensionProto {
    #[prost(oneof = "DimensionValue", tags = "1, 2")]
    pub value: Option<DimensionValue>,
    #[prost(bytes = "vec", optional, tag = "3")]
    pub denotation: Option<Vec<u8>>,
}

/// The alternatives of [`DimensionProto`].
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum DimensionValue {
    #[prost(int64, tag = "1")]
    DimValue(i64),
    #[prost(bytes = "vec", tag = "2")]
    DimParam(Vec<u8>),
}
