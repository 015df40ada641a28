//! The nodes of a function with the names and attributes of the call.

use std::collections::HashMap;
use std::sync::Arc;

use onnx_model::{Attribute, AttributeValue, Function, Graph, Model, Node};

use super::Opened;
use crate::cut::Part;

/// The function that a node calls.
pub(super) fn function<'m>(model: &'m Model, node: &Node) -> Option<&'m Arc<Function>> {
    let same = |function: &&Arc<Function>| {
        function.name == node.operator
            && onnx_schema::canonical_domain(&function.domain) == onnx_schema::canonical_domain(&node.domain)
            && function.overload == node.overload
    };
    model.functions.iter().find(same)
}

/// Maps the names in a function to names in the caller.
fn names(node: &Node, function: &Function) -> HashMap<String, String> {
    // Inner names get a prefix, so that they differ from all outer names.
    let inner = function
        .nodes
        .iter()
        .flat_map(|node| &node.outputs)
        .filter(|name| !name.is_empty());
    let mut names: HashMap<String, String> = inner
        .map(|name| (name.clone(), format!("{}/{name}", node.label())))
        .collect();
    // An input that the call omits is omitted in the function.
    names.extend(
        function
            .inputs
            .iter()
            .map(|formal| (formal.clone(), String::new())),
    );
    let pair = |(formal, actual): (&String, &String)| (formal.clone(), actual.clone());
    names.extend(function.inputs.iter().zip(&node.inputs).map(pair));
    let wanted = function
        .outputs
        .iter()
        .zip(&node.outputs)
        .filter(|(_, actual)| !actual.is_empty());
    names.extend(wanted.map(pair));
    names
}

/// The nodes of a function with the names and attributes of the call.
pub(super) fn call(part: &Part, node: &Node, function: &Function) -> Opened {
    let names = names(node, function);
    let given = |name: &str| {
        let defaults = function.attribute_defaults.iter();
        node.attributes
            .iter()
            .chain(defaults)
            .find(|attribute| attribute.name == name)
            .map(|found| &found.value)
    };
    let nodes = function
        .nodes
        .iter()
        .map(|inner| renamed(inner, &names, &given))
        .collect();
    let graph = Graph {
        nodes,
        ..Graph::clone(&part.model.graph)
    };
    let mut imports = part.model.opset_imports.clone();
    imports.extend(function.opset_imports.clone());
    Opened {
        place: "function".to_owned(),
        part: Part {
            model: Model {
                graph: Arc::new(graph),
                opset_imports: imports,
                ..part.model.clone()
            },
            inputs: part.inputs.clone(),
        },
    }
}

/// A node of a function with other names and with the attributes that it refers to.
fn renamed<'f>(
    node: &Node,
    names: &HashMap<String, String>,
    given: &dyn Fn(&str) -> Option<&'f AttributeValue>,
) -> Node {
    let name = |name: &String| names.get(name).unwrap_or(name).clone();
    let attribute = |attribute: &Attribute| {
        let value = match &attribute.value {
            AttributeValue::Reference(of, _) => given(of)?.clone(),
            AttributeValue::Graph(body) => AttributeValue::Graph(Arc::new(renamed_graph(body, names, given))),
            other => other.clone(),
        };
        Some(Attribute {
            name: attribute.name.clone(),
            value,
        })
    };
    Node {
        inputs: node.inputs.iter().map(name).collect(),
        outputs: node.outputs.iter().map(name).collect(),
        attributes: node.attributes.iter().filter_map(attribute).collect(),
        ..node.clone()
    }
}

fn renamed_graph<'f>(
    body: &Graph,
    names: &HashMap<String, String>,
    given: &dyn Fn(&str) -> Option<&'f AttributeValue>,
) -> Graph {
    let mut body = body.clone();
    body.nodes = body
        .nodes
        .iter()
        .map(|node| renamed(node, names, given))
        .collect();
    for output in &mut body.outputs {
        if let Some(actual) = names.get(&output.name) {
            output.name.clone_from(actual);
        }
    }
    body
}
