//! What no result depends on is recorded, and the model is decoded: repeated keys of metadata, which "should
//! be distinct" (onnx.proto, `metadata_props`), declared extents below -1, which exporters write for an
//! unknown one, attributes without a type, which have that of the field that is set, and nodes that write
//! `ai.onnx` out where the empty domain is imported.

use std::collections::HashSet;
use std::fmt;

use crate::Oddity;
use crate::proto::{
    AttributeProto, DimensionValue, FunctionProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto,
    StringStringEntryProto, TypeKind, ValueInfoProto,
};

/// The greatest number of records of a kind in one file.
const MAX: usize = 100;

/// The other name of the empty domain.
const ALIAS: &[u8] = b"ai.onnx";

/// The greatest number of characters of a name or key in a record.
const LONGEST: usize = 80;

/// Returns the first key that two entries have.
pub(super) fn repeated(entries: &[StringStringEntryProto]) -> Option<&[u8]> {
    let mut known = HashSet::new();
    let keys = entries
        .iter()
        .map(|entry| entry.key.as_deref().unwrap_or_default());
    keys.into_iter().find(|key| !known.insert(*key))
}

/// Whether `ai.onnx` is imported as the empty domain only: onnx finds no import of a node that writes it out.
fn is_alias(imports: &[OperatorSetIdProto]) -> bool {
    let imports_as = |name: &[u8]| {
        let mut domains = imports
            .iter()
            .map(|import| import.domain.as_deref().unwrap_or_default());
        domains.any(|domain| domain == name)
    };
    imports_as(b"") && !imports_as(ALIAS)
}

/// Returns the oddities of a model, in file order.
pub(super) fn of_model(model: &ModelProto) -> Vec<Oddity> {
    let mut found = Search {
        is_alias: is_alias(&model.opset_import),
        ..Search::default()
    };
    found.entries(&model.metadata_props);
    if let Some(graph) = &model.graph {
        let part = Part {
            field: "graph",
            index: None,
            name: None,
        };
        found.inside(part, |found| found.graph(graph));
    }
    for (index, function) in model.functions.iter().enumerate() {
        let part = Part::new("functions", index, function.name.as_deref());
        found.inside(part, |found| found.function(function));
    }
    found.found
}

/// A message in the path to another.
#[derive(Clone, Copy)]
struct Part<'m> {
    field: &'static str,
    /// The position in a repeated field.
    index: Option<usize>,
    name: Option<&'m [u8]>,
}

impl<'m> Part<'m> {
    fn new(field: &'static str, index: usize, name: Option<&'m [u8]>) -> Part<'m> {
        Part {
            field,
            index: Some(index),
            name: name.filter(|name| !name.is_empty()),
        }
    }
}

/// Writes `node[2] "conv1"`.
impl fmt::Display for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.field)?;
        if let Some(index) = self.index {
            write!(f, "[{index}]")?;
        }
        match self.name {
            Some(name) => write!(f, " {:?}", shortened(name)),
            None => Ok(()),
        }
    }
}

/// A walk over a model.
#[derive(Default)]
struct Search<'m> {
    /// The path to the current message.
    path: Vec<Part<'m>>,
    /// Whether `ai.onnx` is imported as the empty domain only.
    is_alias: bool,
    found: Vec<Oddity>,
}

impl<'m> Search<'m> {
    fn inside(&mut self, part: Part<'m>, visit: impl FnOnce(&mut Search<'m>)) {
        self.path.push(part);
        visit(self);
        self.path.pop();
    }

    fn entries(&mut self, entries: &[StringStringEntryProto]) {
        if entries.len() < 2 || !self.has_room(|one| matches!(one, Oddity::RepeatedKey { .. })) {
            return;
        }
        if let Some(key) = repeated(entries) {
            let parts = self.path.iter().map(|part| format!("{part}."));
            self.found.push(Oddity::RepeatedKey {
                path: parts.chain(["metadata_props".to_owned()]).collect(),
                key: shortened(key),
            });
        }
    }

    /// Whether one more of a kind is recorded.
    fn has_room(&self, is_one: impl Fn(&&Oddity) -> bool) -> bool {
        self.found.iter().filter(is_one).count() < MAX
    }

    /// The path as text: `graph.node[2] "conv1"`.
    fn place(&self) -> String {
        let parts: Vec<String> = self.path.iter().map(Part::to_string).collect();
        parts.join(".")
    }

    fn graph(&mut self, graph: &'m GraphProto) {
        self.entries(&graph.metadata_props);
        self.nodes(&graph.node);
        for (index, tensor) in graph.initializer.iter().enumerate() {
            let part = Part::new("initializer", index, tensor.name.as_deref());
            self.inside(part, |found| found.entries(&tensor.metadata_props));
        }
        let lists = [
            ("input", &graph.input),
            ("output", &graph.output),
            ("value_info", &graph.value_info),
        ];
        for (field, infos) in lists {
            for (index, info) in infos.iter().enumerate() {
                let part = Part::new(field, index, info.name.as_deref());
                self.inside(part, |found| {
                    found.entries(&info.metadata_props);
                    found.declared(info);
                });
            }
        }
    }

    fn declared(&mut self, info: &ValueInfoProto) {
        let Some(TypeKind::Tensor(tensor)) = info.r#type.as_ref().and_then(|of| of.value.as_ref()) else {
            return;
        };
        let dims = tensor.shape.iter().flat_map(|shape| &shape.dim);
        for (axis, dim) in dims.enumerate() {
            if let Some(DimensionValue::DimValue(extent @ ..-1)) = dim.value
                && self.has_room(|one| matches!(one, Oddity::NegativeExtent { .. }))
            {
                let path = self.place();
                self.found.push(Oddity::NegativeExtent { path, axis, extent });
            }
        }
    }

    fn function(&mut self, function: &'m FunctionProto) {
        self.entries(&function.metadata_props);
        self.attributes("attribute_proto", &function.attribute_proto);
        let outer = std::mem::replace(&mut self.is_alias, is_alias(&function.opset_import));
        self.nodes(&function.node);
        self.is_alias = outer;
    }

    fn nodes(&mut self, nodes: &'m [NodeProto]) {
        for (index, node) in nodes.iter().enumerate() {
            let name = node.name.as_deref().filter(|name| !name.is_empty());
            let part = Part::new("node", index, name.or(node.op_type.as_deref()));
            self.inside(part, |found| {
                if found.is_alias
                    && node.domain.as_deref() == Some(ALIAS)
                    && found.has_room(|one| matches!(one, Oddity::DomainAlias { .. }))
                {
                    let path = found.place();
                    found.found.push(Oddity::DomainAlias { path });
                }
                found.entries(&node.metadata_props);
                found.attributes("attribute", &node.attribute);
            });
        }
    }

    fn attributes(&mut self, field: &'static str, attributes: &'m [AttributeProto]) {
        for (index, attribute) in attributes.iter().enumerate() {
            let part = Part::new(field, index, attribute.name.as_deref());
            self.inside(part, |found| found.attribute(attribute));
        }
    }

    fn attribute(&mut self, attribute: &'m AttributeProto) {
        if attribute.r#type.unwrap_or_default() == 0
            && self.has_room(|one| matches!(one, Oddity::UntypedAttribute { .. }))
        {
            let path = self.place();
            self.found.push(Oddity::UntypedAttribute { path });
        }
        for tensor in attribute.t.as_deref().into_iter().chain(&attribute.tensors) {
            self.entries(&tensor.metadata_props);
        }
        for graph in attribute.g.as_deref().into_iter().chain(&attribute.graphs) {
            self.graph(graph);
        }
    }
}

/// Bytes as text of at most [`LONGEST`] characters.
fn shortened(bytes: &[u8]) -> String {
    // A character has at most four bytes.
    let head = &bytes[..bytes.len().min(4 * LONGEST)];
    let text = String::from_utf8_lossy(head);
    let mut short: String = text.chars().take(LONGEST).collect();
    if short.len() < bytes.len() {
        short.push('…');
    }
    short
}
