//! Decodes `TypeProto` and `ValueInfoProto`.

use onnx_tensor::{DType, Dim, ValueType};

use super::{Decoder, text};
use crate::ValueInfo;
use crate::error::{ModelError, ModelErrorKind, Within};
use crate::limits::Limit;
use crate::proto::{DimensionProto, DimensionValue, TensorShapeProto, TypeKind, TypeProto, ValueInfoProto};
use crate::scan::within;

impl Decoder<'_> {
    pub(super) fn value_infos(
        &mut self,
        protos: Vec<ValueInfoProto>,
        field: &str,
    ) -> Result<Vec<ValueInfo>, ModelError> {
        let info = |(index, proto): (usize, ValueInfoProto)| {
            let label = text::quoted(proto.name.as_deref());
            self.value_info(proto)
                .within(|| format!("{field}[{index}]{label}"))
        };
        protos.into_iter().enumerate().map(info).collect()
    }

    fn value_info(&mut self, proto: ValueInfoProto) -> Result<ValueInfo, ModelError> {
        let value_type = match proto.r#type {
            Some(proto) if is_known(&proto) => Some(self.value_type(proto).within(|| "type".to_owned())?),
            _ => None,
        };
        Ok(ValueInfo {
            name: text::name(proto.name, "name")?,
            value_type,
        })
    }

    pub(super) fn value_type(&mut self, proto: TypeProto) -> Result<ValueType, ModelError> {
        Ok(
            match proto.value.ok_or(ModelErrorKind::Missing { field: "value" })? {
                TypeKind::Tensor(tensor) => ValueType::Tensor {
                    dtype: DType::from_onnx(tensor.elem_type.unwrap_or_default())?,
                    shape: self.declared_shape(tensor.shape)?,
                },
                TypeKind::SparseTensor(sparse) => ValueType::Sparse {
                    dtype: DType::from_onnx(sparse.elem_type.unwrap_or_default())?,
                    shape: self.declared_shape(sparse.shape)?,
                },
                TypeKind::Sequence(sequence) => {
                    ValueType::Sequence(self.inner_type(sequence.elem_type, "elem_type")?)
                }
                TypeKind::Optional(optional) => {
                    ValueType::Optional(self.inner_type(optional.elem_type, "elem_type")?)
                }
                TypeKind::Map(map) => ValueType::Map {
                    key: key(DType::from_onnx(map.key_type.unwrap_or_default())?)?,
                    value: self.inner_type(map.value_type, "value_type")?,
                },
                TypeKind::Opaque(_) => {
                    return Err(ModelErrorKind::Unsupported {
                        what: "an opaque type",
                    }
                    .into());
                }
            },
        )
    }

    fn inner_type(
        &mut self,
        proto: Option<Box<TypeProto>>,
        field: &'static str,
    ) -> Result<Box<ValueType>, ModelError> {
        let proto = proto.ok_or(ModelErrorKind::Missing { field })?;
        self.value_type(*proto).within(|| field.to_owned()).map(Box::new)
    }

    fn declared_shape(&self, proto: Option<TensorShapeProto>) -> Result<Option<Vec<Dim>>, ModelError> {
        let Some(shape) = proto else {
            return Ok(None);
        };
        within(Limit::Rank, shape.dim.len() as u64, self.limits.rank)?;
        Ok(Some(
            shape
                .dim
                .into_iter()
                .map(declared_extent)
                .collect::<Result<_, _>>()?,
        ))
    }
}

/// Only integers and strings are keys of maps (onnx.proto, `TypeProto.Map.key_type`).
fn key(dtype: DType) -> Result<DType, ModelErrorKind> {
    if dtype.is_integer() || dtype == DType::String {
        Ok(dtype)
    } else {
        Err(ModelErrorKind::MapKey(dtype))
    }
}

/// Whether a type is known. Exporters write an empty message or a tensor type with undefined elements for
/// inner values of unknown type.
fn is_known(proto: &TypeProto) -> bool {
    match &proto.value {
        None => false,
        Some(TypeKind::Tensor(tensor)) => tensor.elem_type.unwrap_or_default() != 0,
        Some(_) => true,
    }
}

/// A negative extent counts as unknown; some exporters write it so.
fn declared_extent(proto: DimensionProto) -> Result<Dim, ModelErrorKind> {
    Ok(match proto.value {
        Some(DimensionValue::DimValue(extent)) => usize::try_from(extent).map_or(Dim::Unknown, Dim::Fixed),
        Some(DimensionValue::DimParam(name)) if !name.is_empty() => {
            Dim::Named(text::utf8(name, "dim_param")?)
        }
        Some(DimensionValue::DimParam(_)) | None => Dim::Unknown,
    })
}
