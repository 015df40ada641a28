//! The folder and the default inputs of a model, the placement of its nodes, and the description of the
//! backend.

use backend_api::{Backend, LoadRequest};
use backend_ort::{OrtBackend, Settings};
use onnx_tensor::Tensor;
use std::sync::Arc;

use crate::fixture::{add_two, backend, external, library};

fn check(request: &LoadRequest, inputs: &[(&str, f32)], expected: f32) {
    let mut session = backend()
        .load(request.clone())
        .unwrap_or_else(|error| panic!("{error}"));
    let named = |&(name, value): &(&str, f32)| (name.to_owned(), Tensor::vector(vec![value]).into());
    let inputs: Vec<_> = inputs.iter().map(named).collect();
    let outputs = session.run(&inputs).unwrap_or_else(|error| panic!("{error}"));
    let found = outputs.first().and_then(|(_, value)| value.as_tensor());
    let expected = Tensor::vector(vec![expected]);
    assert!(
        found.is_some_and(|found| found.same_bits(&expected)),
        "expected {expected:?}, got {found:?}"
    );
}

#[test]
fn an_input_with_an_initializer_may_be_left_out() {
    let request = LoadRequest {
        model: add_two().encode().into(),
        ..LoadRequest::default()
    };
    check(&request, &[("x0", 1.0)], 3.0);
    check(&request, &[("x0", 1.0), ("x1", 5.0)], 6.0);
}

#[test]
fn external_data_is_found_in_the_models_folder() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let model = external(&add_two(), folder.path());
    let folder = Some(folder.path().to_owned());
    check(
        &LoadRequest {
            model: model.into(),
            folder,
            ..LoadRequest::default()
        },
        &[("x0", 1.0)],
        8.0,
    );
}

#[test]
fn every_node_has_a_provider() {
    let request = LoadRequest {
        model: add_two().encode().into(),
        ..LoadRequest::default()
    };
    let placed = backend().load(request).expect("the model is valid").placement();
    let placed: Vec<_> = placed
        .iter()
        .map(|place| (place.node.as_str(), place.provider.as_str()))
        .collect();
    assert_eq!(placed, [("Add", "CPUExecutionProvider")]);
}

/// y = x0 + (x1 + x1) with a constant x1: the optimizer computes the inner sum.
#[test]
fn an_optimizer_can_be_left_out() {
    let mut model = add_two();
    let graph = Arc::make_mut(&mut model.graph);
    graph.inputs.truncate(1);
    let mut inner = graph.nodes[0].clone();
    inner.inputs = vec!["x1".to_owned(), "x1".to_owned()];
    inner.outputs = vec!["sum".to_owned()];
    graph.nodes[0].inputs[1] = "sum".to_owned();
    graph.nodes.insert(0, inner);
    let request = LoadRequest {
        model: model.encode().into(),
        ..LoadRequest::default()
    };
    for (without, nodes) in [
        ("", 1),
        ("ConstantFolding", 2),
        ("NoOptimizer+ConstantFolding", 2),
    ] {
        let settings = Settings {
            library: Some(library().display().to_string()),
            without: Some(without.to_owned()),
            ..Settings::default()
        };
        let mut backend = OrtBackend::new(settings).expect("the pinned library loads");
        let session = backend.load(request.clone()).expect("the model is valid");
        assert_eq!(session.placement().len(), nodes, "without={without}");
    }
}

#[test]
fn the_backend_describes_itself() {
    let described = backend().describe();
    let minor = described
        .version
        .strip_prefix("1.")
        .and_then(|rest| rest.split('.').next()?.parse::<u32>().ok());
    assert!(minor.is_some_and(|minor| minor >= 24), "{described:?}");
    let names: Vec<_> = described.options.keys().map(String::as_str).collect();
    let expected = [
        "library",
        "optimization",
        "provider",
        "spinning",
        "threads",
        "unreleased-opsets",
    ];
    assert_eq!(names, expected);
    // What is empty, or says nothing about the provider of the CPU, is no option in effect.
    let mut help = backend().capabilities().options;
    for name in [
        "config.NAME",
        "ep",
        "ep-device",
        "ep-library",
        "ep-package",
        "ep.NAME",
        "fallback",
        "save",
        "version",
        "without",
    ] {
        assert!(help.remove(name).is_some(), "{name}: {help:?}");
    }
    assert!(names.into_iter().eq(help.keys()), "help and options differ");
}
