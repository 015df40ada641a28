//! Open extents, and the options of a plan.

use onnx_model::ValueInfo;
use onnx_tensor::{DType, Dim, Tensor, ValueType};

use crate::models::{check, file, graph, info, load, named, node, tract};

#[test]
fn open_extents_follow_the_run() {
    let model = file(graph(
        &[info("x", DType::Float, &[-1, 2])],
        &[info("y", DType::Float, &[-1, 2])],
        &[node("Neg", &["x"], &["y"])],
    ));
    let mut session = load(&mut tract([("constants", "none")]), model, &[]).expect("loads");
    for rows in [1, 3, 3, 2] {
        let filled = |value: f32| Tensor::new(&[rows, 2], vec![value; rows * 2]).expect("rows of two");
        check(&mut *session, &named([("x", filled(1.5))]), &filled(-1.5));
    }
}

/// The inputs get the shapes of their values, so that a symbol of an inner value or an output has no meaning.
#[test]
fn symbols_do_not_contradict_the_values_of_inputs() {
    let symbolic = |name: &str| ValueInfo {
        name: name.to_owned(),
        value_type: Some(ValueType::Tensor {
            dtype: DType::Float,
            shape: Some(vec![Dim::Named("batch".to_owned()), Dim::Fixed(2)]),
        }),
    };
    let mut open = graph(
        &[symbolic("x")],
        &[symbolic("y")],
        &[node("Neg", &["x"], &["h"]), node("Neg", &["h"], &["y"])],
    );
    open.value_info = vec![symbolic("h")];
    let x = Tensor::new(&[3, 2], vec![1.5_f32; 6]).expect("rows of two");
    let inputs = named([("x", x.clone())]);
    let mut session = load(&mut tract([("optimize", "on")]), file(open), &inputs).expect("loads");
    check(&mut *session, &inputs, &x);
}

#[test]
fn neither_threads_nor_optimisation_change_the_result() {
    let size = 64;
    let shape = [64, 64];
    let model = file(graph(
        &[info("a", DType::Float, &shape), info("b", DType::Float, &shape)],
        &[info("y", DType::Float, &shape)],
        &[node("MatMul", &["a", "b"], &["y"])],
    ));
    // Small integers: every order of summation is exact.
    let matrix = |step: usize| {
        let elements = (0..size * size)
            .map(|index| f32::from((index * step % 5) as u8))
            .collect();
        Tensor::new(&[size, size], elements).expect("a matrix")
    };
    let inputs = named([("a", matrix(3)), ("b", matrix(7))]);
    let outputs = [
        [("threads", "1"), ("optimize", "on")],
        [("threads", "2"), ("optimize", "off")],
    ]
    .map(|options| {
        let mut session = load(&mut tract(options), model.clone(), &inputs).expect("MatMul loads");
        crate::models::run(&mut *session, &inputs).expect("MatMul runs")
    });
    assert!(outputs[0].same_bits(&outputs[1]));
    assert!(!outputs[0].same_bits(&matrix(3)));
}
