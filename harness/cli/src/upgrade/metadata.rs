//! What a conversion keeps of a model file besides its graph: metadata, documentation, and initializers as
//! they are stored, which may be in other files.
//!
//! The converter works on decoded graphs, which have none of this. Values keep their names in a
//! conversion, so that each entry is found again by its name, and each node by its name or by its
//! outputs.

use std::collections::HashMap;

use onnx_model::proto::{
    AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, SparseTensorProto, TensorProto,
    ValueInfoProto,
};
use prost::Message;

/// `TensorProto.DataLocation.EXTERNAL`.
const EXTERNAL: i32 = 1;

/// The place of the elements of initializers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Weights {
    /// Where they are in the original: in the model or in files beside it.
    AsStored,
    /// In the model.
    Inline,
}

/// The converted model with the documentation and metadata of the original.
pub(super) fn keep(original: &[u8], converted: Vec<u8>, weights: Weights) -> Vec<u8> {
    let decoded = (
        ModelProto::decode(original),
        ModelProto::decode(converted.as_slice()),
    );
    let (Ok(original), Ok(mut model)) = decoded else {
        return converted;
    };
    model.domain.clone_from(&original.domain);
    model.model_version = original.model_version;
    model.doc_string.clone_from(&original.doc_string);
    model.metadata_props.clone_from(&original.metadata_props);
    model.configuration.clone_from(&original.configuration);
    if let (Some(from), Some(to)) = (&original.graph, &mut model.graph) {
        graph(from, to, weights);
    }
    for to in &mut model.functions {
        let same = |from: &&FunctionProto| {
            (&from.domain, &from.name, &from.overload) == (&to.domain, &to.name, &to.overload)
        };
        if let Some(from) = original.functions.iter().find(same) {
            to.doc_string.clone_from(&from.doc_string);
            to.metadata_props.clone_from(&from.metadata_props);
            to.value_info.clone_from(&from.value_info);
            nodes(&from.node, &mut to.node, weights);
        }
    }
    model.encode_to_vec()
}

fn graph(from: &GraphProto, to: &mut GraphProto, weights: Weights) {
    to.doc_string.clone_from(&from.doc_string);
    to.metadata_props.clone_from(&from.metadata_props);
    to.quantization_annotation
        .clone_from(&from.quantization_annotation);
    value_infos(&from.input, &mut to.input);
    value_infos(&from.output, &mut to.output);
    value_infos(&from.value_info, &mut to.value_info);
    initializers(&from.initializer, &mut to.initializer, weights);
    sparse_initializers(&from.sparse_initializer, &mut to.sparse_initializer, weights);
    nodes(&from.node, &mut to.node, weights);
}

fn value_infos(from: &[ValueInfoProto], to: &mut [ValueInfoProto]) {
    let known: HashMap<_, _> = from.iter().map(|info| (&info.name, info)).collect();
    for info in to {
        if let Some(from) = known.get(&info.name) {
            info.doc_string.clone_from(&from.doc_string);
            info.metadata_props.clone_from(&from.metadata_props);
        }
    }
}

/// A conversion adds initializers and changes none.
fn initializers(from: &[TensorProto], to: &mut [TensorProto], weights: Weights) {
    let known: HashMap<_, _> = from.iter().map(|tensor| (&tensor.name, tensor)).collect();
    for tensor in to {
        let name = tensor.name.clone();
        if let Some(from) = known.get(&name) {
            stored(from, tensor, weights);
        }
    }
}

fn sparse_initializers(from: &[SparseTensorProto], to: &mut [SparseTensorProto], weights: Weights) {
    let name = |sparse: &SparseTensorProto| sparse.values.as_ref()?.name.clone();
    let known: HashMap<_, _> = from.iter().map(|sparse| (name(sparse), sparse)).collect();
    for sparse in to {
        if let Some(from) = known.get(&name(sparse)) {
            let parts = [
                (&from.values, &mut sparse.values),
                (&from.indices, &mut sparse.indices),
            ];
            for (from, to) in parts {
                if let (Some(from), Some(to)) = (from, to) {
                    stored(from, to, weights);
                }
            }
        }
    }
}

/// A tensor of the same elements as it is stored in the original.
fn stored(from: &TensorProto, to: &mut TensorProto, weights: Weights) {
    let external = from.data_location == Some(EXTERNAL);
    match weights {
        Weights::Inline if external => {
            to.doc_string.clone_from(&from.doc_string);
            to.metadata_props.clone_from(&from.metadata_props);
        }
        Weights::AsStored | Weights::Inline => to.clone_from(from),
    }
}

fn nodes(from: &[NodeProto], to: &mut [NodeProto], weights: Weights) {
    let places = Places::of(to);
    for node in from {
        let Some(converted) = places.find(node).and_then(|place| to.get_mut(place)) else {
            continue;
        };
        converted.doc_string.clone_from(&node.doc_string);
        converted.metadata_props.clone_from(&node.metadata_props);
        if converted.op_type == node.op_type {
            converted
                .device_configurations
                .clone_from(&node.device_configurations);
            attributes(node, converted, weights);
        }
    }
}

/// The attributes of a node whose operator stayed.
fn attributes(from: &NodeProto, to: &mut NodeProto, weights: Weights) {
    let constant = from.op_type.as_deref() == Some(b"Constant");
    for attribute in &mut to.attribute {
        let same = |from: &&AttributeProto| from.name == attribute.name;
        let Some(from) = from.attribute.iter().find(same) else {
            continue;
        };
        attribute.doc_string.clone_from(&from.doc_string);
        if let (Some(from), Some(to)) = (&from.g, &mut attribute.g) {
            graph(from, to, weights);
        }
        // The value of a Constant stays; that of another attribute may be converted.
        if let (true, Some(from), Some(to)) = (constant, &from.t, &mut attribute.t) {
            stored(from, to, weights);
        }
    }
}

/// The places of converted nodes.
struct Places {
    /// By name and operator; `None` if several nodes have them.
    by_name: HashMap<(Vec<u8>, Vec<u8>), Option<usize>>,
    by_output: HashMap<Vec<u8>, usize>,
}

impl Places {
    fn of(nodes: &[NodeProto]) -> Places {
        let mut places = Places {
            by_name: HashMap::new(),
            by_output: HashMap::new(),
        };
        for (place, node) in nodes.iter().enumerate() {
            if let Some(key) = key(node) {
                let entry = places.by_name.entry(key);
                entry.and_modify(|known| *known = None).or_insert(Some(place));
            }
            let outputs = node.output.iter().filter(|name| !name.is_empty());
            places.by_output.extend(outputs.map(|name| (name.clone(), place)));
        }
        places
    }

    /// The node that an original node became, or the last of several that it became.
    fn find(&self, node: &NodeProto) -> Option<usize> {
        let named = key(node).and_then(|key| *self.by_name.get(&key)?);
        let mut outputs = node.output.iter();
        named.or_else(|| outputs.find_map(|name| self.by_output.get(name).copied()))
    }
}

/// The name and the operator of a node with a name.
fn key(node: &NodeProto) -> Option<(Vec<u8>, Vec<u8>)> {
    let name = node.name.clone().filter(|name| !name.is_empty())?;
    Some((name, node.op_type.clone()?))
}

#[cfg(test)]
mod tests {
    use onnx_model::proto::StringStringEntryProto;

    use super::*;

    fn entry(key: &str, value: &str) -> StringStringEntryProto {
        StringStringEntryProto {
            key: Some(key.into()),
            value: Some(value.into()),
        }
    }

    fn node(name: &str, operator: &str, output: &str, doc: Option<&str>) -> NodeProto {
        NodeProto {
            name: Some(name.into()),
            op_type: Some(operator.into()),
            output: vec![output.into()],
            doc_string: doc.map(Into::into),
            ..NodeProto::default()
        }
    }

    fn info(doc: Option<&str>) -> ValueInfoProto {
        ValueInfoProto {
            name: Some("x".into()),
            doc_string: doc.map(Into::into),
            ..ValueInfoProto::default()
        }
    }

    fn weight(external: bool) -> TensorProto {
        let inline = TensorProto {
            name: Some("w".into()),
            data_type: Some(2),
            dims: vec![1],
            ..TensorProto::default()
        };
        if external {
            TensorProto {
                data_location: Some(EXTERNAL),
                external_data: vec![entry("location", "w.bin")],
                doc_string: Some("weight".into()),
                ..inline
            }
        } else {
            TensorProto {
                raw_data: Some(vec![7].into()),
                ..inline
            }
        }
    }

    fn original() -> ModelProto {
        let inner = GraphProto {
            node: vec![node("in", "Neg", "n", Some("inner"))],
            ..GraphProto::default()
        };
        let mut branch = node("if", "If", "b", Some("branches"));
        branch.attribute.push(AttributeProto {
            name: Some("then_branch".into()),
            g: Some(Box::new(inner)),
            ..AttributeProto::default()
        });
        ModelProto {
            ir_version: Some(7),
            producer_name: Some("old".into()),
            model_version: Some(3),
            doc_string: Some("about".into()),
            metadata_props: vec![entry("names", "cat, dog")],
            graph: Some(GraphProto {
                doc_string: Some("graph".into()),
                input: vec![info(Some("an image"))],
                initializer: vec![weight(true)],
                node: vec![
                    node("a", "Squeeze", "s", Some("narrows")),
                    node("b", "Softmax", "p", Some("probabilities")),
                    branch,
                ],
                ..GraphProto::default()
            }),
            ..ModelProto::default()
        }
    }

    /// What a converter makes of it: documentation is lost, weights are inside, a node became two.
    fn converted() -> ModelProto {
        let plain = |node: &NodeProto| NodeProto {
            doc_string: None,
            ..node.clone()
        };
        let from = original().graph.expect("a graph");
        let mut branch = plain(&from.node[2]);
        let inner = branch.attribute[0].g.as_mut().expect("a body");
        inner.node[0].doc_string = None;
        ModelProto {
            ir_version: Some(10),
            graph: Some(GraphProto {
                input: vec![info(None)],
                initializer: vec![weight(false)],
                node: vec![
                    plain(&from.node[0]),
                    node("", "Flatten", "flat", None),
                    node("b", "Softmax", "soft", None),
                    node("", "Reshape", "p", None),
                    branch,
                ],
                ..GraphProto::default()
            }),
            ..ModelProto::default()
        }
    }

    fn kept(weights: Weights) -> ModelProto {
        let bytes = keep(&original().encode_to_vec(), converted().encode_to_vec(), weights);
        ModelProto::decode(bytes.as_slice()).expect("a model")
    }

    #[test]
    fn metadata_and_documentation_are_kept() {
        let mut expected = converted();
        expected.model_version = Some(3);
        expected.doc_string = Some("about".into());
        expected.metadata_props = original().metadata_props;
        let graph = expected.graph.as_mut().expect("a graph");
        graph.doc_string = Some("graph".into());
        graph.input = vec![info(Some("an image"))];
        graph.initializer = vec![weight(true)];
        graph.node[0].doc_string = Some("narrows".into());
        graph.node[2].doc_string = Some("probabilities".into());
        graph.node[4] = original().graph.expect("a graph").node[2].clone();
        assert_eq!(kept(Weights::AsStored), expected);
    }

    #[test]
    fn weights_can_be_written_into_the_model() {
        let graph = kept(Weights::Inline).graph.expect("a graph");
        let expected = TensorProto {
            doc_string: Some("weight".into()),
            ..weight(false)
        };
        assert_eq!(graph.initializer, [expected]);
    }

    #[test]
    fn what_is_no_model_stays() {
        assert_eq!(keep(b"no model", vec![8, 10], Weights::AsStored), [8, 10]);
    }
}
