//! `AttributeProto`.

use std::collections::HashSet;
use std::sync::Arc;

use super::{Decoder, each, text};
use crate::error::{ModelError, ModelErrorKind, Within};
use crate::proto::{AttributeProto, GraphProto};
use crate::{Attribute, AttributeValue, Graph};

/// A number of `AttributeProto.AttributeType` with the field that holds such a value, and whether that is
/// filled.
struct Kind {
    number: i32,
    field: &'static str,
    filled: fn(&AttributeProto) -> bool,
}

const fn kind(number: i32, field: &'static str, filled: fn(&AttributeProto) -> bool) -> Kind {
    Kind {
        number,
        field,
        filled,
    }
}

const KINDS: [Kind; 14] = [
    kind(1, "f", |proto| proto.f.is_some()),
    kind(2, "i", |proto| proto.i.is_some()),
    kind(3, "s", |proto| proto.s.is_some()),
    kind(4, "t", |proto| proto.t.is_some()),
    kind(5, "g", |proto| proto.g.is_some()),
    kind(6, "floats", |proto| !proto.floats.is_empty()),
    kind(7, "ints", |proto| !proto.ints.is_empty()),
    kind(8, "strings", |proto| !proto.strings.is_empty()),
    kind(9, "tensors", |proto| !proto.tensors.is_empty()),
    kind(10, "graphs", |proto| !proto.graphs.is_empty()),
    kind(11, "sparse_tensor", |proto| proto.sparse_tensor.is_some()),
    kind(12, "sparse_tensors", |proto| !proto.sparse_tensors.is_empty()),
    kind(13, "tp", |proto| proto.tp.is_some()),
    kind(14, "type_protos", |proto| !proto.type_protos.is_empty()),
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
        if let Some(outer) = proto.ref_attr_name.take().filter(|name| !name.is_empty()) {
            return Ok(AttributeValue::Reference(text::utf8(outer, "ref_attr_name")?));
        }
        let kind = kind_of(&proto)?;
        // Writers of proto3 leave out a number or string that is zero or empty; a message they never leave
        // out.
        let missing = || ModelErrorKind::Missing { field: kind.field };
        Ok(match kind.number {
            1 => AttributeValue::Float(proto.f.unwrap_or_default()),
            2 => AttributeValue::Int(proto.i.unwrap_or_default()),
            3 => AttributeValue::String(proto.s.unwrap_or_default()),
            4 => AttributeValue::Tensor(
                self.tensor(*proto.t.ok_or_else(missing)?)
                    .within(|| "t".to_owned())?,
            ),
            5 => AttributeValue::Graph(
                self.body(*proto.g.ok_or_else(missing)?)
                    .within(|| "g".to_owned())?,
            ),
            6 => AttributeValue::Floats(proto.floats),
            7 => AttributeValue::Ints(proto.ints),
            8 => AttributeValue::Strings(proto.strings),
            9 => AttributeValue::Tensors(each(proto.tensors, kind.field, |tensor| self.tensor(tensor))?),
            10 => AttributeValue::Graphs(each(proto.graphs, kind.field, |graph| self.body(graph))?),
            11 => AttributeValue::Sparse(
                self.sparse(*proto.sparse_tensor.ok_or_else(missing)?)
                    .within(|| kind.field.to_owned())?,
            ),
            12 => AttributeValue::Sparses(each(proto.sparse_tensors, kind.field, |sparse| {
                self.sparse(sparse)
            })?),
            13 => AttributeValue::Type(
                self.value_type(*proto.tp.ok_or_else(missing)?)
                    .within(|| "tp".to_owned())?,
            ),
            _ => AttributeValue::Types(each(proto.type_protos, kind.field, |proto| {
                self.value_type(proto)
            })?),
        })
    }

    fn body(&mut self, proto: GraphProto) -> Result<Arc<Graph>, ModelError> {
        self.graph(proto).map(Arc::new)
    }
}

/// The kind that the attribute states, or, before IR version 2 had a field for it, the one whose field is
/// filled.
fn kind_of(proto: &AttributeProto) -> Result<&'static Kind, ModelErrorKind> {
    let filled: Vec<&Kind> = KINDS.iter().filter(|kind| (kind.filled)(proto)).collect();
    let stated = match proto.r#type {
        None | Some(0) => None,
        Some(number) => {
            let known = KINDS.iter().find(|kind| kind.number == number);
            Some(known.ok_or(ModelErrorKind::AttributeType(number))?)
        }
    };
    match (stated, filled.as_slice()) {
        (Some(stated), [other, ..]) if !(stated.filled)(proto) => Err(ModelErrorKind::AttributeField {
            asked: stated.field,
            filled: other.field,
        }),
        (Some(kind), _) | (None, &[kind]) => Ok(kind),
        (None, _) => Err(ModelErrorKind::AttributeUntyped {
            filled: filled.iter().map(|kind| kind.field).collect(),
        }),
    }
}
