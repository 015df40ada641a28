//! Small models and functions for the tests.

use backend_api::{Backend, BackendError, LoadRequest, Named, Session};
use backend_tract::{Settings, Tract};
use onnx_model::{Attribute, AttributeValue, Graph, Model, Node, ValueInfo};
use onnx_tensor::{DType, Dim, Tensor, Value, ValueType};

/// A declared value; an extent of -1 is open.
pub fn info(name: &str, dtype: DType, extents: &[i64]) -> ValueInfo {
    let extents = extents
        .iter()
        .map(|&extent| usize::try_from(extent).map_or(Dim::Unknown, Dim::Fixed));
    ValueInfo {
        name: name.to_owned(),
        value_type: Some(ValueType::Tensor {
            dtype,
            shape: Some(extents.collect()),
        }),
    }
}

/// A node of `ai.onnx`.
pub fn node(operator: &str, inputs: &[&str], outputs: &[&str]) -> Node {
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    Node {
        operator: operator.to_owned(),
        inputs: names(inputs),
        outputs: names(outputs),
        ..Node::default()
    }
}

/// Adds an attribute to a node.
pub fn with(mut node: Node, name: &str, value: AttributeValue) -> Node {
    node.attributes.push(Attribute {
        name: name.to_owned(),
        value,
    });
    node
}

/// A graph without initializers.
pub fn graph(inputs: &[ValueInfo], outputs: &[ValueInfo], nodes: &[Node]) -> Graph {
    Graph {
        name: "test".to_owned(),
        inputs: inputs.to_vec(),
        outputs: outputs.to_vec(),
        nodes: nodes.to_vec(),
        ..Graph::default()
    }
}

/// The bytes of a model of opset 18.
pub fn file(graph: Graph) -> Vec<u8> {
    let model = Model::new(18, graph);
    model.encode()
}

pub fn named<const N: usize>(inputs: [(&str, Tensor); N]) -> Vec<Named> {
    inputs
        .map(|(name, tensor)| (name.to_owned(), Value::Tensor(tensor)))
        .into()
}

pub fn tract<const N: usize>(options: [(&str, &str); N]) -> Tract {
    Tract::new(Settings::from_options(options.into_iter().collect()).expect("valid options"))
}

/// Loads a model as a harness does: with the inputs, if the backend requests them.
pub fn load(tract: &mut Tract, model: Vec<u8>, inputs: &[Named]) -> Result<Box<dyn Session>, BackendError> {
    let inputs = if tract.describe().wants_inputs_at_load {
        inputs.to_vec()
    } else {
        Vec::new()
    };
    tract.load(LoadRequest {
        model: model.into(),
        folder: None,
        inputs,
    })
}

/// Runs once and returns the only output.
pub fn run(session: &mut dyn Session, inputs: &[Named]) -> Result<Tensor, BackendError> {
    let outputs = session.run(inputs)?;
    match &outputs[..] {
        [(name, Value::Tensor(tensor))] => {
            assert_eq!(name, "y");
            Ok(tensor.clone())
        }
        other => panic!("expected one tensor, got {other:?}"),
    }
}

/// Checks that the only output of one run is this tensor.
#[track_caller]
pub fn check(session: &mut dyn Session, inputs: &[Named], expected: &Tensor) {
    let found = run(session, inputs).expect("the model runs");
    assert!(found.same_bits(expected), "expected {expected:?}, got {found:?}");
}
