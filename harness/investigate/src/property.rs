//! The properties of a model file on which a failure depends.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use onnx_model::{Graph, Model, ValueInfo};
use onnx_tensor::{Dim, ValueType};

use crate::InvestigateError;
use crate::cut::without_shape;
use crate::cut::{needed, ordered};
use crate::given::Given;
use crate::graphs::{defines, reads};
use crate::runner::RunRequest;

/// A property that no part of a model has, or need not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Property {
    /// Fields that this program does not decode, and weights in files of their own.
    Bytes,
    /// The order of nodes, where it is not topological.
    Order,
    /// Nodes on which no output depends.
    DeadNodes,
    /// Initializers that nothing reads.
    DeadInitializers,
    /// Initializers of inputs that are also fed.
    Defaults,
    /// Declared types of inner values.
    InnerTypes,
    /// Declared shapes of outputs.
    OutputShapes,
    /// Symbolic and unknown extents of inputs.
    OpenExtents,
    /// Imports of operator sets that no node uses.
    Imports,
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Property::Bytes => {
                "fields of the file that are no part of the graph (metadata, documentation, quantization annotations), or weights in files of their own"
            }
            Property::Order => "the order of the nodes, which is not topological",
            Property::DeadNodes => "nodes on which no output depends",
            Property::DeadInitializers => "initializers that no node reads",
            Property::Defaults => "default values of inputs that are also fed",
            Property::InnerTypes => "the declared types and shapes of inner values (value_info)",
            Property::OutputShapes => "the declared shapes of outputs",
            Property::OpenExtents => "symbolic or unknown extents of inputs",
            Property::Imports => "imports of operator sets that no node uses",
        })
    }
}

impl Property {
    /// All properties but [`Property::Bytes`].
    const OF_GRAPH: [Property; 8] = [
        Property::Order,
        Property::DeadNodes,
        Property::DeadInitializers,
        Property::Defaults,
        Property::InnerTypes,
        Property::OutputShapes,
        Property::OpenExtents,
        Property::Imports,
    ];

    /// The model without the property; `None` if it does not have it.
    fn removed(self, given: &Given<'_>) -> Option<Model> {
        let mut model = given.model.clone();
        if self == Property::Imports {
            let used = domains(&model);
            let before = model.opset_imports.len();
            model.opset_imports.retain(|domain, _| used.contains(domain));
            return (model.opset_imports.len() < before).then_some(model);
        }
        let changed = self.edit(Arc::make_mut(&mut model.graph), given);
        changed.then_some(model)
    }

    /// Removes the property from the graph; returns whether the graph had it.
    fn edit(self, graph: &mut Graph, given: &Given<'_>) -> bool {
        let fed = |name: &str| given.request.inputs.iter().find(|(known, _)| known == name);
        match self {
            Property::Bytes | Property::Imports => false,
            Property::Order => {
                let names = |graph: &Graph| {
                    graph
                        .nodes
                        .iter()
                        .map(|node| node.outputs.clone())
                        .collect::<Vec<_>>()
                };
                let before = names(graph);
                graph.nodes = ordered(std::mem::take(&mut graph.nodes));
                names(graph) != before
            }
            Property::DeadNodes => {
                let before = graph.nodes.len();
                graph.nodes = needed(&graph.outputs, std::mem::take(&mut graph.nodes));
                let left: HashSet<String> = graph.nodes.iter().flat_map(defines).cloned().collect();
                graph.value_info.retain(|info| left.contains(&info.name));
                graph.nodes.len() < before
            }
            Property::DeadInitializers => {
                let read: HashSet<String> = graph.nodes.iter().flat_map(reads).collect();
                let outputs = &graph.outputs;
                shorter(&mut graph.initializers, |(name, _)| {
                    read.contains(name) || outputs.iter().any(|info| info.name == *name)
                })
            }
            Property::Defaults => shorter(&mut graph.initializers, |(name, _)| fed(name).is_none()),
            Property::InnerTypes => shorter(&mut graph.value_info, |_| false),
            Property::OutputShapes => changed(&mut graph.outputs, |info| {
                info.value_type.clone().map(without_shape)
            }),
            Property::OpenExtents => changed(&mut graph.inputs, |info| match fed(&info.name) {
                Some((_, value)) if is_open(info) => Some(value.value_type()),
                _ => info.value_type.clone(),
            }),
        }
    }
}

/// The properties without each of which the model does not fail. Empty if none of them alone decides.
pub(crate) fn hangs_on(
    given: &Given<'_>,
    mut fails: impl FnMut(&RunRequest) -> Result<bool, InvestigateError>,
) -> Result<Vec<Property>, InvestigateError> {
    let mut fails_as = |model: &Model| fails(&RunRequest::of(model, given.request.inputs.clone()));
    if !fails_as(given.model)? {
        return Ok(vec![Property::Bytes]);
    }
    let mut found = Vec::new();
    for property in Property::OF_GRAPH {
        if let Some(model) = property.removed(given)
            && !fails_as(&model)?
        {
            found.push(property);
        }
    }
    Ok(found)
}

/// The properties in one sentence.
pub fn words(properties: &[Property]) -> String {
    match properties {
        [] => "no property of the file alone decides it".to_owned(),
        properties => {
            let names: Vec<String> = properties.iter().map(Property::to_string).collect();
            format!("it depends on {}", names.join("; and on "))
        }
    }
}

fn is_open(info: &ValueInfo) -> bool {
    matches!(
        &info.value_type,
        Some(ValueType::Tensor { shape, .. })
            if shape.as_ref().is_none_or(|shape| shape.iter().any(|dim| !matches!(dim, Dim::Fixed(_))))
    )
}

/// Keeps some elements; returns whether others were removed.
fn shorter<T>(list: &mut Vec<T>, keeps: impl FnMut(&T) -> bool) -> bool {
    let before = list.len();
    list.retain(keeps);
    list.len() < before
}

/// Replaces types; returns whether one differs.
fn changed(infos: &mut [ValueInfo], new: impl Fn(&ValueInfo) -> Option<ValueType>) -> bool {
    let mut any = false;
    for info in infos {
        let next = new(info);
        any |= next != info.value_type;
        info.value_type = next;
    }
    any
}

/// The domains of all nodes, of bodies and functions as well.
fn domains(model: &Model) -> HashSet<String> {
    fn visit(nodes: &[onnx_model::Node], found: &mut HashSet<String>) {
        for node in nodes {
            found.insert(node.domain.clone());
            for body in node.bodies() {
                visit(&body.nodes, found);
            }
        }
    }
    let mut found = HashSet::new();
    visit(&model.graph.nodes, &mut found);
    for function in &model.functions {
        found.insert(function.domain.clone());
        visit(&function.nodes, &mut found);
    }
    found
}
