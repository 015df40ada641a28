//! Builds graphs and models from short strings.

use std::collections::BTreeMap;
use std::sync::Arc;

use onnx_model::{Attribute, AttributeValue, Graph, Model, Node, ValueInfo};

const TRAINING: &str = "ai.onnx.preview.training";
pub const LEARNED: &str = "ai.onnx.ml";

/// The names in a list; `-` is an empty name.
fn names(list: &str) -> Vec<String> {
    let name = |name: &str| {
        if name == "-" {
            String::new()
        } else {
            name.to_owned()
        }
    };
    list.split_whitespace().map(name).collect()
}

/// A node; `-` is an omitted input. A leading star selects the training domain.
pub fn node(operator: &str, inputs: &str, outputs: &str, attributes: &[(&str, AttributeValue)]) -> Node {
    let attribute = |(name, value): &(&str, AttributeValue)| Attribute {
        name: (*name).to_owned(),
        value: value.clone(),
    };
    Node {
        operator: operator.trim_start_matches('*').to_owned(),
        domain: if operator.starts_with('*') { TRAINING } else { "" }.to_owned(),
        inputs: names(inputs),
        outputs: names(outputs),
        attributes: attributes.iter().map(attribute).collect(),
        ..Node::default()
    }
}

/// A graph whose inputs and outputs declare no type.
pub fn graph(inputs: &str, outputs: &str, nodes: &[Node]) -> Graph {
    let infos = |list| {
        names(list)
            .into_iter()
            .map(|name| ValueInfo {
                name,
                value_type: None,
            })
            .collect()
    };
    Graph {
        inputs: infos(inputs),
        outputs: infos(outputs),
        nodes: nodes.to_vec(),
        ..Graph::default()
    }
}

/// A model of one graph at an opset.
pub fn model(opset: i64, main: Graph) -> Model {
    Model {
        ir_version: 8,
        opset_imports: BTreeMap::from([
            (String::new(), opset),
            (TRAINING.to_owned(), 1),
            (LEARNED.to_owned(), 3),
        ]),
        graph: Arc::new(main),
        functions: Vec::new(),
        producer_name: String::new(),
        producer_version: String::new(),
        oddities: Vec::new(),
    }
}
