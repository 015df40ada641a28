//! Forms with an Identity at inputs or outputs.

use std::collections::HashMap;

use onnx_model::{Graph, Model, Node, ValueInfo};

use super::initializers::with_graph;
use super::{Changed, NotApplicable, Subject, names, opset};

/// Adds an Identity after each input. An input whose type Identity does not accept is unchanged.
pub(super) fn of_inputs(subject: &Subject<'_>) -> Result<Changed, NotApplicable> {
    let graph = &subject.model.graph;
    let fed = |info: &&ValueInfo| {
        let mut sets = subject.sets.iter().flat_map(|set| &set.inputs);
        sets.any(|(name, _)| *name == info.name)
    };
    let (model, identities, renamed) =
        identities(subject, graph.inputs.iter().filter(fed), |outer, inner| {
            (outer, inner)
        })?;
    let mut nodes = graph.nodes.clone();
    names::replace(&mut nodes, &renamed);
    let nodes = identities.into_iter().chain(nodes).collect();
    Ok(subject.with(with_nodes(&model, nodes)))
}

/// Adds an Identity before each output that a node computes. An output whose type Identity does not
/// accept is unchanged.
pub(super) fn of_outputs(subject: &Subject<'_>) -> Result<Changed, NotApplicable> {
    let graph = &subject.model.graph;
    super::branch::computed(graph)?;
    let (model, identities, renamed) =
        identities(subject, graph.outputs.iter(), |outer, inner| (inner, outer))?;
    let mut nodes = graph.nodes.clone();
    names::replace(&mut nodes, &renamed);
    nodes.extend(identities);
    Ok(subject.with(with_nodes(&model, nodes)))
}

type Identities = (Model, Vec<Node>, HashMap<String, String>);

/// An Identity for each of `infos`, and the new name of the inner value; `ends` gives source and target.
fn identities<'i>(
    subject: &Subject<'_>,
    infos: impl Iterator<Item = &'i ValueInfo>,
    ends: impl Fn(String, String) -> (String, String),
) -> Result<Identities, NotApplicable> {
    names::can_change(subject.model)?;
    let mut model = subject.model.clone();
    let schema = opset::operator(&mut model, "Identity")?;
    let (mut nodes, mut renamed) = (Vec::new(), HashMap::new());
    let mut refused = NotApplicable::NoTensorInput;
    for ValueInfo { name, value_type } in infos {
        let Some(value_type) = value_type else { continue };
        if let Err(reason) = opset::takes(schema, value_type) {
            refused = reason;
            continue;
        }
        let inner = names::fresh(subject.model, &format!("{name}_inside"));
        let (from, to) = ends(name.clone(), inner.clone());
        nodes.push(Node {
            operator: "Identity".to_owned(),
            inputs: vec![from],
            outputs: vec![to],
            ..Node::default()
        });
        renamed.insert(name.clone(), inner);
    }
    if nodes.is_empty() {
        Err(refused)
    } else {
        Ok((model, nodes, renamed))
    }
}

fn with_nodes(model: &Model, nodes: Vec<Node>) -> Model {
    let graph = Graph {
        nodes,
        ..Graph::clone(&model.graph)
    };
    with_graph(model, graph)
}
