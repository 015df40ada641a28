//! Forms with the nodes in the branches of an If.
//!
//! A branch has no inputs and reads the values of the outer graph; both branches have the same number of
//! outputs with the same types (If). Both branches contain the nodes, so that the types agree in every
//! version of If. Inner names differ from outer ones and from those in the other branch.

use std::collections::HashMap;
use std::sync::Arc;

use onnx_model::{Attribute, AttributeValue, Graph, Model, Node, ValueInfo};
use onnx_tensor::{DType, Tensor, Value, ValueType};

use super::initializers::with_graph;
use super::{Changed, NotApplicable, Subject, names, opset};

/// The first IR version in which an initializer need not be an input.
const FREE_INITIALIZERS: i64 = 4;

/// The condition is an initializer with the value true.
pub(super) fn constant(subject: &Subject<'_>) -> Result<Changed, NotApplicable> {
    let condition = names::fresh(subject.model, "condition");
    let mut graph = branches(subject, &condition)?;
    if subject.model.ir_version < FREE_INITIALIZERS {
        graph.inputs.push(bool_scalar(&condition));
    }
    graph
        .initializers
        .push((condition, Value::Tensor(Tensor::scalar(true))));
    finish(subject, graph)
}

/// The condition is an input with the value false.
pub(super) fn fed(subject: &Subject<'_>) -> Result<Changed, NotApplicable> {
    let condition = names::fresh(subject.model, "condition");
    let mut graph = branches(subject, &condition)?;
    graph.inputs.push(bool_scalar(&condition));
    let mut changed = finish(subject, graph)?;
    for set in &mut changed.sets {
        set.inputs
            .push((condition.clone(), Value::Tensor(Tensor::scalar(false))));
    }
    Ok(changed)
}

fn bool_scalar(name: &str) -> ValueInfo {
    ValueInfo {
        name: name.to_owned(),
        value_type: Some(ValueType::Tensor {
            dtype: DType::Bool,
            shape: Some(Vec::new()),
        }),
    }
}

/// The graph of one If over `condition`.
fn branches(subject: &Subject<'_>, condition: &str) -> Result<Graph, NotApplicable> {
    names::can_change(subject.model)?;
    let graph = &subject.model.graph;
    computed(graph)?;
    let branch = |attribute: &str, prefix: &str| Attribute {
        name: attribute.to_owned(),
        value: AttributeValue::Graph(Arc::new(body(subject.model, prefix))),
    };
    let node = Node {
        name: String::new(),
        operator: "If".to_owned(),
        inputs: vec![condition.to_owned()],
        outputs: graph.outputs.iter().map(|output| output.name.clone()).collect(),
        attributes: vec![branch("then_branch", "then_"), branch("else_branch", "else_")],
        ..Node::default()
    };
    Ok(Graph {
        nodes: vec![node],
        value_info: Vec::new(),
        ..Graph::clone(graph)
    })
}

/// Fails unless every graph output is computed by a node, each once: a branch or function needs outputs
/// to return.
pub(super) fn computed(graph: &Graph) -> Result<(), NotApplicable> {
    let defined = names::defined(&graph.nodes);
    let mut outputs: Vec<&str> = graph.outputs.iter().map(|output| output.name.as_str()).collect();
    let all = outputs.iter().all(|output| defined.contains(output));
    let count = outputs.len();
    outputs.sort_unstable();
    outputs.dedup();
    if all && outputs.len() == count {
        Ok(())
    } else {
        Err(NotApplicable::OutputIsNoNode)
    }
}

/// A branch: the nodes with other names for the values that they define.
fn body(model: &Model, prefix: &str) -> Graph {
    let graph = &model.graph;
    let renamed: HashMap<String, String> = names::defined(&graph.nodes)
        .into_iter()
        .map(|name| (name.to_owned(), names::fresh(model, &format!("{prefix}{name}"))))
        .collect();
    let mut nodes = graph.nodes.clone();
    names::replace(&mut nodes, &renamed);
    let other = |info: &ValueInfo| ValueInfo {
        name: renamed.get(&info.name).unwrap_or(&info.name).clone(),
        value_type: info.value_type.clone(),
    };
    let inner = graph
        .value_info
        .iter()
        .filter(|info| renamed.contains_key(&info.name));
    Graph {
        name: format!("{prefix}branch"),
        inputs: Vec::new(),
        outputs: graph.outputs.iter().map(other).collect(),
        initializers: Vec::new(),
        nodes,
        value_info: inner.map(other).collect(),
    }
}

fn finish(subject: &Subject<'_>, graph: Graph) -> Result<Changed, NotApplicable> {
    let mut model = with_graph(subject.model, graph);
    let schema = opset::operator(&mut model, "If")?;
    let mut types = subject
        .model
        .graph
        .outputs
        .iter()
        .filter_map(|output| output.value_type.as_ref());
    types.try_for_each(|value_type| opset::takes(schema, value_type))?;
    Ok(subject.with(model))
}
