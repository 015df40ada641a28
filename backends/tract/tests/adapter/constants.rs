//! Inputs that become constants of the model.

use backend_api::BackendError;
use onnx_tensor::{DType, Tensor, Value};

use crate::models::{check, file, graph, info, load, named, node, run, tract};

fn reshape() -> Vec<u8> {
    file(graph(
        &[info("x", DType::Float, &[6]), info("shape", DType::Int64, &[2])],
        &[info("y", DType::Float, &[-1, -1])],
        &[node("Reshape", &["x", "shape"], &["y"])],
    ))
}

fn x() -> Tensor {
    Tensor::vector(vec![0_f32, 1.0, 2.0, 3.0, 4.0, 5.0])
}

#[test]
fn a_target_shape_must_be_a_constant() {
    let inputs = named([("x", x()), ("shape", Tensor::vector(vec![2_i64, 3]))]);
    for constants in ["integers", "all"] {
        let mut session = load(&mut tract([("constants", constants)]), reshape(), &inputs).expect("loads");
        check(&mut *session, &inputs, &x().reshape(&[2, 3]).expect("six"));
    }
    // tract has Reshape, so this is an error and not unsupported.
    let error = load(&mut tract([("constants", "none")]), reshape(), &inputs).err();
    assert!(matches!(error, Some(BackendError::Load { .. })), "{error:?}");
}

#[test]
fn a_run_must_have_the_inputs_of_the_load() {
    let shape = |extents: [i64; 2]| ("shape", Tensor::vector(extents.to_vec()));
    let loaded = named([("x", x()), shape([2, 3])]);
    let mut session = load(&mut tract([]), reshape(), &loaded).expect("loads");
    for (inputs, expected) in [
        (
            named([("x", x()), shape([3, 2])]),
            "input `shape` became a constant when the model was loaded",
        ),
        (
            named([("x", x()), shape([2, 3]), ("z", x())]),
            "the model has no input `z`",
        ),
        (named([shape([2, 3])]), "input `x` is missing"),
    ] {
        let Err(BackendError::Run { message }) = session.run(&inputs) else {
            panic!("expected an error for {inputs:?}");
        };
        assert!(message.starts_with(expected), "{message}");
    }
    check(&mut *session, &loaded, &x().reshape(&[2, 3]).expect("six"));
}

#[test]
fn an_initializer_cannot_be_overridden() {
    let declared = [info("x", DType::Float, &[2]), info("b", DType::Float, &[2])];
    let mut graph = graph(
        &declared,
        &[info("y", DType::Float, &[2])],
        &[node("Add", &["x", "b"], &["y"])],
    );
    let b = |second| Tensor::vector(vec![10_f32, second]);
    graph.initializers.push(("b".to_owned(), Value::Tensor(b(20.0))));
    let model = file(graph);
    let x = ("x", Tensor::vector(vec![1_f32, 2.0]));
    let sum = Tensor::vector(vec![11_f32, 22.0]);
    let mut session = load(&mut tract([]), model, &named([x.clone()])).expect("loads");
    check(&mut *session, &named([x.clone()]), &sum);
    check(&mut *session, &named([x.clone(), ("b", b(20.0))]), &sum);
    let error = run(&mut *session, &named([x, ("b", b(21.0))]))
        .err()
        .map(|error| error.to_string());
    let expected =
        "run failed: input `b` has an initializer, and tract cannot override it with another value";
    assert_eq!(error.as_deref(), Some(expected));
}
