//! Encodes `TypeProto` and `ValueInfoProto`.

use onnx_tensor::{Dim, ValueType};

use super::text;
use crate::ValueInfo;
use crate::proto::{
    DimensionProto, DimensionValue, MapTypeProto, OptionalTypeProto, SequenceTypeProto,
    SparseTensorTypeProto, TensorShapeProto, TensorTypeProto, TypeKind, TypeProto, ValueInfoProto,
};

pub(super) fn value_infos(infos: &[ValueInfo]) -> Vec<ValueInfoProto> {
    let info = |info: &ValueInfo| ValueInfoProto {
        name: text(&info.name),
        r#type: info.value_type.as_ref().map(value_type),
        ..ValueInfoProto::default()
    };
    infos.iter().map(info).collect()
}

pub(super) fn value_type(value_type: &ValueType) -> TypeProto {
    let kind = match value_type {
        ValueType::Tensor { dtype, shape } => TypeKind::Tensor(TensorTypeProto {
            elem_type: Some(dtype.to_onnx()),
            shape: declared_shape(shape.as_deref()),
        }),
        ValueType::Sparse { dtype, shape } => TypeKind::SparseTensor(SparseTensorTypeProto {
            elem_type: Some(dtype.to_onnx()),
            shape: declared_shape(shape.as_deref()),
        }),
        ValueType::Sequence(element) => TypeKind::Sequence(SequenceTypeProto {
            elem_type: inner(element),
        }),
        ValueType::Optional(element) => TypeKind::Optional(OptionalTypeProto {
            elem_type: inner(element),
        }),
        ValueType::Map { key, value } => TypeKind::Map(MapTypeProto {
            key_type: Some(key.to_onnx()),
            value_type: inner(value),
        }),
    };
    TypeProto {
        value: Some(kind),
        denotation: None,
    }
}

fn inner(element: &ValueType) -> Option<Box<TypeProto>> {
    Some(Box::new(value_type(element)))
}

fn declared_shape(shape: Option<&[Dim]>) -> Option<TensorShapeProto> {
    let dim = |extent: &Dim| DimensionProto {
        value: match extent {
            Dim::Fixed(extent) => i64::try_from(*extent).ok().map(DimensionValue::DimValue),
            Dim::Named(name) => Some(DimensionValue::DimParam(name.as_bytes().to_vec())),
            Dim::Unknown => None,
        },
        denotation: None,
    };
    shape.map(|shape| TensorShapeProto {
        dim: shape.iter().map(dim).collect(),
    })
}
