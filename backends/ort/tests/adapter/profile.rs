//! The times of nodes, from the runtime's profiler.

use std::sync::Arc;

use backend_api::{Backend, LoadRequest};
use onnx_tensor::{DType, Tensor, Value, ValueType};

use crate::fixture::{backend, one_node};

/// A step has the name of its node, its operator, and the name, type and shape of its result.
#[test]
fn a_profile_has_the_nodes_of_the_session() {
    let float = ValueType::tensor(DType::Float);
    let mut model = one_node("Tanh", None, std::slice::from_ref(&float), &float);
    let graph = Arc::make_mut(&mut model.graph);
    graph
        .nodes
        .iter_mut()
        .for_each(|node| node.name = "~0~".to_owned());
    let request = LoadRequest {
        model: model.encode().into(),
        ..LoadRequest::default()
    };
    let image = Tensor::new(&[200, 300], vec![0.5_f32; 60_000]).expect("a tensor");
    let inputs = [("x0".to_owned(), Value::from(image))];
    let profile = backend().profile(request, &inputs, 3).expect("a profile");
    assert_eq!(profile.nanoseconds.len(), 3);
    let [step] = profile.steps.as_slice() else {
        panic!("{profile:?}")
    };
    assert!(step.name.contains("~0~"), "{step:?}");
    assert_eq!((step.operator.as_str(), step.calls), ("Tanh", 3));
    let output = &step.outputs[0];
    assert_eq!(
        (output.name.as_str(), output.dtype.as_str(), &output.shape),
        ("y", "float", &Some(vec![200, 300]))
    );
    let total: u64 = profile.nanoseconds.iter().sum();
    assert!(step.nanoseconds > 0 && step.nanoseconds <= total, "{profile:?}");
}

#[test]
fn a_model_that_does_not_load_gives_the_error_of_the_load() {
    let request = LoadRequest {
        model: b"no model".to_vec().into(),
        ..LoadRequest::default()
    };
    let error = backend().profile(request, &[], 1).expect_err("no model");
    assert!(error.to_string().starts_with("load failed"), "{error}");
}
