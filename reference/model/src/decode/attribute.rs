//! Decodes `AttributeProto`.

use std::collections::HashSet;
use std::sync::Arc;

use super::{Decoder, each, text};
use crate::error::{ModelError, ModelErrorKind, Within};
use crate::proto::{AttributeProto, GraphProto};
use crate::{Attribute, AttributeKind, AttributeValue, Graph};

/// The field that holds the values of a kind, and a function that tells whether it is set.
struct Field {
    kind: AttributeKind,
    name: &'static str,
    filled: fn(&AttributeProto) -> bool,
}

const fn field(kind: AttributeKind, name: &'static str, filled: fn(&AttributeProto) -> bool) -> Field {
    Field { kind, name, filled }
}

const FIELDS: [Field; 14] = [
    field(AttributeKind::Float, "f", |proto| proto.f.is_some()),
    field(AttributeKind::Int, "i", |proto| proto.i.is_some()),
    field(AttributeKind::String, "s", |proto| proto.s.is_some()),
    field(AttributeKind::Tensor, "t", |proto| proto.t.is_some()),
    field(AttributeKind::Graph, "g", |proto| proto.g.is_some()),
    field(AttributeKind::Floats, "floats", |proto| !proto.floats.is_empty()),
    field(AttributeKind::Ints, "ints", |proto| !proto.ints.is_empty()),
    field(AttributeKind::Strings, "strings", |proto| {
        !proto.strings.is_empty()
    }),
    field(AttributeKind::Tensors, "tensors", |proto| {
        !proto.tensors.is_empty()
    }),
    field(AttributeKind::Graphs, "graphs", |proto| !proto.graphs.is_empty()),
    field(AttributeKind::SparseTensor, "sparse_tensor", |proto| {
        proto.sparse_tensor.is_some()
    }),
    field(AttributeKind::SparseTensors, "sparse_tensors", |proto| {
        !proto.sparse_tensors.is_empty()
    }),
    field(AttributeKind::TypeProto, "tp", |proto| proto.tp.is_some()),
    field(AttributeKind::TypeProtos, "type_protos", |proto| {
        !proto.type_protos.is_empty()
    }),
];

impl Decoder<'_> {
    pub(super) fn attributes(
        &mut self,
        protos: Vec<AttributeProto>,
        field: &str,
    ) -> Result<Vec<Attribute>, ModelError> {
        let mut names = HashSet::new();
        let attribute = |(index, mut proto): (usize, AttributeProto)| {
            let name = proto.name.take();
            let here = || format!("{field}[{index}]{}", text::quoted(name.as_deref()));
            let value = self.attribute_value(proto).within(here)?;
            let name = text::name(name.clone(), "name").within(here)?;
            if !names.insert(name.clone()) {
                return Err(ModelErrorKind::AttributeTwice).within(here);
            }
            Ok(Attribute { name, value })
        };
        protos.into_iter().enumerate().map(attribute).collect()
    }

    fn attribute_value(&mut self, mut proto: AttributeProto) -> Result<AttributeValue, ModelError> {
        let filled: Vec<&Field> = FIELDS.iter().filter(|field| (field.filled)(&proto)).collect();
        let outer = proto.ref_attr_name.take().filter(|name| !name.is_empty());
        if filled.len() + usize::from(outer.is_some()) > 1 {
            let filled = filled.iter().map(|field| field.name).collect();
            return Err(ModelErrorKind::AttributeFields { filled }.into());
        }
        if let Some(outer) = outer {
            let kind = kind_of(proto.r#type)?;
            return Ok(AttributeValue::Reference(
                text::utf8(outer, "ref_attr_name")?,
                kind,
            ));
        }
        let Field {
            kind, name: field, ..
        } = *field_of(proto.r#type, filled.first().copied())?;
        // Proto3 writers omit a number or string that is zero or empty, but never a message.
        let missing = || ModelErrorKind::Missing { field };
        Ok(match kind {
            AttributeKind::Float => AttributeValue::Float(proto.f.unwrap_or_default()),
            AttributeKind::Int => AttributeValue::Int(proto.i.unwrap_or_default()),
            AttributeKind::String => AttributeValue::String(proto.s.unwrap_or_default()),
            AttributeKind::Tensor => AttributeValue::Tensor(
                self.tensor(*proto.t.ok_or_else(missing)?)
                    .within(|| "t".to_owned())?,
            ),
            AttributeKind::Graph => AttributeValue::Graph(
                self.body(*proto.g.ok_or_else(missing)?)
                    .within(|| "g".to_owned())?,
            ),
            AttributeKind::Floats => AttributeValue::Floats(proto.floats),
            AttributeKind::Ints => AttributeValue::Ints(proto.ints),
            AttributeKind::Strings => AttributeValue::Strings(proto.strings),
            AttributeKind::Tensors => {
                AttributeValue::Tensors(each(proto.tensors, field, |tensor| self.tensor(tensor))?)
            }
            AttributeKind::Graphs => {
                AttributeValue::Graphs(each(proto.graphs, field, |graph| self.body(graph))?)
            }
            AttributeKind::SparseTensor => AttributeValue::Sparse(
                self.sparse(*proto.sparse_tensor.ok_or_else(missing)?)
                    .within(|| field.to_owned())?,
            ),
            AttributeKind::SparseTensors => {
                AttributeValue::Sparses(each(proto.sparse_tensors, field, |sparse| self.sparse(sparse))?)
            }
            AttributeKind::TypeProto => AttributeValue::Type(
                self.value_type(*proto.tp.ok_or_else(missing)?)
                    .within(|| "tp".to_owned())?,
            ),
            AttributeKind::TypeProtos => {
                AttributeValue::Types(each(proto.type_protos, field, |proto| self.value_type(proto))?)
            }
        })
    }

    fn body(&mut self, proto: GraphProto) -> Result<Arc<Graph>, ModelError> {
        self.graph(proto).map(Arc::new)
    }
}

/// Returns the field of the stated attribute type. Without a type (files before IR version 2), returns the
/// field that is set.
fn field_of(
    attribute_type: Option<i32>,
    filled: Option<&'static Field>,
) -> Result<&'static Field, ModelErrorKind> {
    let stated = stated(attribute_type)?;
    match (stated, filled) {
        (Some(stated), Some(other)) if stated.kind != other.kind => Err(ModelErrorKind::AttributeField {
            expected: stated.name,
            filled: other.name,
        }),
        (Some(field), _) | (None, Some(field)) => Ok(field),
        (None, None) => Err(ModelErrorKind::AttributeUntyped),
    }
}

/// The field of the kind that an attribute states.
fn stated(attribute_type: Option<i32>) -> Result<Option<&'static Field>, ModelErrorKind> {
    let Some(number) = attribute_type.filter(|number| *number != 0) else {
        return Ok(None);
    };
    let known = FIELDS.iter().find(|field| field.kind.to_onnx() == number);
    known.map(Some).ok_or(ModelErrorKind::AttributeType(number))
}

fn kind_of(attribute_type: Option<i32>) -> Result<Option<AttributeKind>, ModelErrorKind> {
    Ok(stated(attribute_type)?.map(|field| field.kind))
}
