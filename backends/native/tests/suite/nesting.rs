//! Values that the types of an operator do not allow are refused. In a loop such a value would be nested
//! deeper in every round.

use backend_api::{Backend, LoadRequest};
use backend_native::{Native, Settings};
use onnx_model::{Graph, Model, Node, ValueInfo};
use onnx_tensor::{Tensor, Value};

/// Runs nodes, each written as `output = Operator(input, input)`, on the float `f` and the int64 `l`; returns
/// the last output.
fn run(nodes: &[&str]) -> Result<Value, String> {
    let node = |text: &&str| {
        let (output, call) = text.split_once(" = ").expect("an output");
        let (operator, inputs) = call.trim_end_matches(')').split_once('(').expect("inputs");
        Node {
            operator: operator.to_owned(),
            inputs: inputs.split(", ").map(str::to_owned).collect(),
            outputs: vec![output.to_owned()],
            ..Node::default()
        }
    };
    let inputs = [
        ("f".to_owned(), Value::from(Tensor::scalar(1.0_f32))),
        ("l".to_owned(), Value::from(Tensor::scalar(1_i64))),
    ];
    let declared = inputs.iter().map(|(name, value)| ValueInfo {
        name: name.clone(),
        value_type: Some(value.value_type()),
    });
    let nodes: Vec<Node> = nodes.iter().map(node).collect();
    let last = nodes.last().and_then(|node| node.outputs.first()).cloned();
    let graph = Graph {
        inputs: declared.collect(),
        outputs: vec![ValueInfo {
            name: last.expect("a node"),
            value_type: None,
        }],
        nodes,
        ..Graph::default()
    };
    let model = Model {
        ir_version: 10,
        ..Model::new(21, graph)
    };
    let request = LoadRequest {
        model: model.encode().into(),
        ..LoadRequest::default()
    };
    let ran = Native::new(Settings::default())
        .load(request)
        .and_then(|mut session| session.run(&inputs));
    let mut outputs = ran.map_err(|error| error.to_string())?;
    Ok(outputs.pop().expect("an output").1)
}

#[track_caller]
fn check(nodes: &[&str], expected: Result<&str, &str>) {
    match (run(nodes), expected) {
        (Ok(value), Ok(value_type)) => assert_eq!(value.value_type().to_string(), value_type, "{nodes:?}"),
        (Err(error), Err(text)) => assert!(error.contains(text), "{nodes:?}: {error}"),
        (found, expected) => panic!("{nodes:?}: expected {expected:?}, got {found:?}"),
    }
}

#[test]
fn optionals_and_sequences_hold_what_their_types_allow() {
    check(&["a = Optional(f)"], Ok("optional(tensor(float))"));
    check(
        &["a = SequenceConstruct(l, l)", "b = Optional(a)"],
        Ok("optional(seq(tensor(int64)))"),
    );
    for (nodes, refused) in [
        (&["a = Optional(f)", "b = Optional(a)"][..], "type-not-allowed"),
        (&["a = SequenceConstruct(f, l)"], "type-conflict"),
        (
            &["a = SequenceConstruct(f)", "b = SequenceInsert(a, l)"],
            "a sequence of tensor(float) cannot hold tensor(int64)",
        ),
        (
            &["a = SequenceConstruct(f)", "b = SequenceInsert(a, a)"],
            "type-not-allowed",
        ),
    ] {
        check(nodes, Err(refused));
    }
}
