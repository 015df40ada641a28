//! The inner graph of a node as a model: the nodes of a function, of the selected branch of an If, of
//! the iterations of a Loop, Scan or SequenceMap.

mod call;
mod looping;
mod repeat;
mod scan;
mod sequence_map;

use std::collections::HashSet;
use std::sync::Arc;

use backend_api::Named;
use onnx_model::{AttributeValue, Graph, Model, Node, ValueInfo};
use onnx_tensor::{Tensor, Value};

use crate::InvestigateError;
use crate::cut::Part;
use crate::graphs::reads;
use crate::runner::Runner;

/// An inner graph of a node with the values of its inputs.
pub(crate) struct Opened {
    /// Which inner graph: `function`, `then_branch`, `iteration 3`.
    pub place: String,
    /// Its nodes as a model.
    pub part: Part,
}

/// The inner graphs of the only node of `part`, in the order of execution. Empty if it has none, or if
/// their values are unknown.
///
/// # Errors
/// A reference cannot be started again, or the command is interrupted.
pub(crate) fn open(part: &Part, reference: &mut Runner) -> Result<Vec<Opened>, InvestigateError> {
    let [node] = part.model.graph.nodes.as_slice() else {
        return Ok(Vec::new());
    };
    if let Some(function) = call::function(&part.model, node) {
        return Ok(vec![call::call(part, node, function)]);
    }
    if !node.domain.is_empty() {
        return Ok(Vec::new());
    }
    let repeated = match node.operator.as_str() {
        "If" => return Ok(branch(part, node).into_iter().collect()),
        "Loop" => looping::looping(part, node).into_iter().collect(),
        "Scan" => scan::scans(part, node).unwrap_or_default(),
        "SequenceMap" => sequence_map::mapping(part, node).into_iter().collect(),
        _ => return Ok(Vec::new()),
    };
    repeat::iterate(part, &repeated, reference)
}

/// The body of a node.
fn body(node: &Node) -> Option<Arc<Graph>> {
    match node.attribute("body")? {
        AttributeValue::Graph(body) => Some(Arc::clone(body)),
        _ => None,
    }
}

/// The values of some inputs of a node; `None` if one is unknown or omitted.
fn values<'n>(part: &Part, names: impl IntoIterator<Item = &'n String>) -> Option<Vec<Value>> {
    names.into_iter().map(|name| value(part, name).cloned()).collect()
}

/// The value of a name in a part.
fn value<'p>(part: &'p Part, name: &str) -> Option<&'p Value> {
    let fed = part
        .inputs
        .iter()
        .find(|(known, _)| known == name)
        .map(|(_, value)| value);
    fed.or_else(|| part.model.graph.initializer(name))
}

/// The selected branch of an If.
fn branch(part: &Part, node: &Node) -> Option<Opened> {
    let condition = value(part, node.inputs.first()?)?.as_tensor()?;
    let Tensor::Bool(condition) = condition else {
        return None;
    };
    let place = if *condition.iter().next()? {
        "then_branch"
    } else {
        "else_branch"
    };
    let AttributeValue::Graph(body) = node.attribute(place)? else {
        return None;
    };
    Some(Opened {
        place: place.to_owned(),
        part: body_part(part, body, Vec::new()),
    })
}

/// A body as a main graph, with values for its inputs and its outer names.
fn body_part(part: &Part, body: &Graph, fed: Vec<Named>) -> Part {
    let mut inputs = fed;
    let read = body.nodes.iter().flat_map(reads);
    // An output of a body may be an outer value.
    let mut outer: HashSet<String> = read
        .chain(body.outputs.iter().map(|info| info.name.clone()))
        .collect();
    for (name, _) in &inputs {
        outer.remove(name);
    }
    let outer = part.inputs.iter().filter(|(name, _)| outer.contains(name));
    inputs.extend(outer.cloned());
    let typed = |(name, value): &Named| ValueInfo {
        name: name.clone(),
        value_type: Some(value.value_type()),
    };
    let mut initializers = body.initializers.clone();
    initializers.extend(part.model.graph.initializers.iter().cloned());
    let graph = Graph {
        inputs: inputs.iter().map(typed).collect(),
        initializers,
        ..body.clone()
    };
    Part {
        model: Model {
            graph: Arc::new(graph),
            ir_version: part.model.ir_version.max(4),
            ..part.model.clone()
        },
        inputs,
    }
}
