//! The times of nodes.

use backend_api::{Backend, LoadRequest};
use onnx_model::{Graph, Node};
use onnx_tensor::{DType, Tensor};

use crate::models::{file, graph, info, named, node, tract};

/// A step has the name of its node and the shape of its result; inputs and constants are no steps.
#[test]
fn a_profile_has_the_nodes_of_the_plan() {
    let called = |name: &str, node: Node| Node {
        name: name.to_owned(),
        ..node
    };
    let model: Graph = graph(
        &[info("x", DType::Float, &[2, 3])],
        &[info("y", DType::Float, &[2, 3])],
        &[
            called("~0~", node("Tanh", &["x"], &["t"])),
            called("~1~", node("Softmax", &["t"], &["y"])),
        ],
    );
    let inputs = named([("x", Tensor::new(&[2, 3], vec![0.5_f32; 6]).expect("a tensor"))]);
    let request = LoadRequest {
        model: file(model).into(),
        ..LoadRequest::default()
    };
    let profile = tract([]).profile(request, &inputs, 4).expect("a profile");
    assert_eq!(profile.nanoseconds.len(), 4);
    for token in ["~0~", "~1~"] {
        let step = profile.steps.iter().find(|step| step.name.contains(token));
        let step = step.unwrap_or_else(|| panic!("no step for {token}: {profile:?}"));
        assert_eq!(step.calls, 4);
        let output = &step.outputs[0];
        assert_eq!(
            (output.dtype.as_str(), &output.shape),
            ("float", &Some(vec![2, 3]))
        );
    }
    let total: u64 = profile.nanoseconds.iter().sum();
    assert!(
        profile.steps.iter().map(|step| step.nanoseconds).sum::<u64>() <= total,
        "{profile:?}"
    );
}
