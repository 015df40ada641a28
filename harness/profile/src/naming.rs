//! Names of nodes that occur only once in a model.

use onnx_model::Bytes;
use onnx_model::proto::{GraphProto, ModelProto, NodeProto};
use prost::Message;
use run_record::profile::ModelNode;

/// A model whose nodes have names that occur only once.
#[derive(Clone, Debug, Default)]
pub struct NamedModel {
    /// The bytes of the model.
    pub bytes: Bytes,
    /// The nodes; the name of the node at a position contains [`token`] of the position.
    pub nodes: Vec<ModelNode>,
    /// The integers in the attributes of each node.
    pub attributes: Vec<Vec<(String, Vec<i64>)>>,
    /// The text attribute `equation` of each Einsum; empty for other nodes.
    pub equations: Vec<String>,
}

/// Why the nodes of a model cannot be named.
#[derive(Debug, thiserror::Error)]
#[error("the nodes of the model cannot be named: {0}")]
pub struct NamingError(#[from] prost::DecodeError);

/// The place of a node.
#[derive(Default)]
struct Place {
    parent: Option<usize>,
    body: String,
    function: String,
}

/// The mark around the position of a node in its name.
const MARK: char = '~';

/// The name of the node at a position.
pub fn token(position: usize) -> String {
    format!("{MARK}{position}{MARK}")
}

/// The positions of the nodes whose tokens occur in `text`, in the order of their first occurrences.
pub fn tokens(text: &str, count: usize) -> Vec<usize> {
    let mut found = Vec::new();
    for (start, _) in text.match_indices(MARK) {
        let rest = &text[start + MARK.len_utf8()..];
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let number = rest[..digits]
            .parse()
            .ok()
            .filter(|_| rest[digits..].starts_with(MARK));
        if let Some(number) = number.filter(|&number: &usize| number < count && !found.contains(&number)) {
            found.push(number);
        }
    }
    found
}

/// Replaces the tokens in a backend's text by the names of the nodes.
pub fn readable(text: &str, nodes: &[ModelNode]) -> String {
    tokens(text, nodes.len())
        .into_iter()
        .fold(text.to_owned(), |text, at| {
            text.replace(&token(at), &nodes[at].name)
        })
}

/// Gives every node of a model a name that occurs only once, in the main graph, in bodies and in functions.
///
/// # Errors
/// The bytes are not a model.
pub fn name_nodes(bytes: &Bytes) -> Result<NamedModel, NamingError> {
    let mut model = ModelProto::decode(bytes.as_ref())?;
    let mut named = NamedModel::default();
    if let Some(graph) = &mut model.graph {
        named.graph(graph, &Place::default());
    }
    for function in &mut model.functions {
        let name = text(function.name.as_ref());
        let place = Place {
            function: name,
            ..Place::default()
        };
        function.node.iter_mut().for_each(|node| named.node(node, &place));
    }
    named.bytes = model.encode_to_vec().into();
    Ok(named)
}

impl NamedModel {
    fn graph(&mut self, graph: &mut GraphProto, place: &Place) {
        for node in &mut graph.node {
            self.node(node, place);
        }
    }

    fn node(&mut self, node: &mut NodeProto, place: &Place) {
        let position = self.nodes.len();
        let texts = |list: &[Vec<u8>]| list.iter().map(|name| text(Some(name))).collect::<Vec<_>>();
        let (name, outputs) = (text(node.name.as_ref()), texts(&node.output));
        let (domain, operator) = (text(node.domain.as_ref()), text(node.op_type.as_ref()));
        self.nodes.push(ModelNode {
            name: if name.is_empty() {
                outputs.first().cloned().unwrap_or_default()
            } else {
                name
            },
            operator: match domain.as_str() {
                "" | "ai.onnx" => operator,
                domain => format!("{domain}.{operator}"),
            },
            parent: place.parent,
            body: place.body.clone(),
            function: place.function.clone(),
            inputs: texts(&node.input),
            outputs,
            ..ModelNode::default()
        });
        let ints = |attribute: &onnx_model::proto::AttributeProto| {
            let single = attribute.i.into_iter();
            let all = attribute.ints.iter().copied().chain(single).collect();
            (text(attribute.name.as_ref()), all)
        };
        self.attributes.push(node.attribute.iter().map(ints).collect());
        let equation = node
            .attribute
            .iter()
            .find(|attribute| text(attribute.name.as_ref()) == "equation");
        self.equations
            .push(equation.map_or_else(String::new, |attribute| text(attribute.s.as_ref())));
        node.name = Some(token(position).into_bytes());
        for attribute in &mut node.attribute {
            let bodies = attribute.g.iter_mut().map(AsMut::as_mut);
            let inside = Place {
                parent: Some(position),
                body: text(attribute.name.as_ref()),
                function: place.function.clone(),
            };
            for body in bodies.chain(&mut attribute.graphs) {
                self.graph(body, &inside);
            }
        }
    }
}

fn text(bytes: Option<&Vec<u8>>) -> String {
    bytes.map_or_else(String::new, |bytes| String::from_utf8_lossy(bytes).into_owned())
}
