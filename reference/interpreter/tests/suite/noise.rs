//! Random rounding does not change structural operands, which decide a shape, a count or which elements are
//! read.

use crate::build::{graph, model, node};
use onnx_interpreter::{Limits, run};
use onnx_model::{AttributeValue, Graph, Node};
use onnx_operators::frame::operator;
use onnx_tensor::{Tensor, Value};

/// The shape of the first output for several seeds of random rounding.
fn shapes(opset: i64, main: &Graph, inputs: &[(&str, Tensor)]) -> Vec<Vec<usize>> {
    let inputs: Vec<_> = inputs
        .iter()
        .map(|(name, tensor)| ((*name).to_owned(), Value::Tensor(tensor.clone())))
        .collect();
    let shape = |seed| {
        let limits = Limits {
            noise: seed,
            ..Limits::default()
        };
        let outputs = run(&model(opset, main.clone()), &inputs, limits).expect("a result");
        outputs[0].1.as_tensor().expect("a tensor").shape().to_vec()
    };
    (0..40)
        .map(|seed| shape(Some(seed)))
        .chain([shape(None)])
        .collect()
}

/// Compares the shape for each seed with that without random rounding.
#[track_caller]
fn check(opset: i64, main: &Graph, inputs: &[(&str, Tensor)]) {
    let shapes = shapes(opset, main, inputs);
    let settled = shapes.last().expect("the run without seed").clone();
    assert!(shapes.iter().all(|shape| *shape == settled), "{shapes:?}");
}

fn floats(values: &[f32]) -> Tensor {
    Tensor::vector(values.to_vec())
}

fn image() -> Tensor {
    Tensor::new(&[1, 1, 3, 3], vec![1.0_f32; 9]).expect("nine elements")
}

#[test]
fn operands_that_decide_a_shape() {
    let resize = node(
        "Resize",
        "x - s",
        "y",
        &[("mode", AttributeValue::String("linear".into()))],
    );
    check(
        13,
        &graph("x s", "y", &[resize]),
        &[("x", image()), ("s", floats(&[1.0, 1.0, 1.0, 1.0]))],
    );
    let crop = [
        ("mode", AttributeValue::String("linear".into())),
        (
            "coordinate_transformation_mode",
            AttributeValue::String("tf_crop_and_resize".into()),
        ),
    ];
    let roi = floats(&[0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]);
    let inputs = [("x", image()), ("r", roi), ("s", floats(&[1.0, 1.0, 1.0, 1.0]))];
    check(
        13,
        &graph("x r s", "y", &[node("Resize", "x r s", "y", &crop)]),
        &inputs,
    );
    check(
        9,
        &graph("x s", "y", &[node("Upsample", "x s", "y", &[])]),
        &[("x", image()), ("s", floats(&[1.0; 4]))],
    );
    let range = graph("a b d", "y", &[node("Range", "a b d", "y", &[])]);
    let scalar = |value: f32| Tensor::scalar(value);
    check(
        13,
        &range,
        &[("a", scalar(0.0)), ("b", scalar(3.0)), ("d", scalar(1.0))],
    );
}

/// A scale that a graph computes from constants and shapes is not changed, like a constant.
#[test]
fn scales_that_are_computed() {
    let nodes = [
        node("Shape", "x", "extents", &[]),
        node("Cast", "extents", "have", &[("to", AttributeValue::Int(1))]),
        node("Div", "want have", "scales", &[]),
        node("Resize", "x - scales", "y", &[]),
    ];
    let mut main = graph("x", "y", &nodes);
    main.initializers
        .push(("want".to_owned(), Value::Tensor(floats(&[1.0, 1.0, 6.0, 3.0]))));
    check(13, &main, &[("x", image())]);
}

/// Other operands are perturbed, also those of an operator with a structural operand.
#[test]
fn data_is_perturbed() {
    let data = |nodes: &[Node], outputs: &str| {
        let inputs = [
            ("x".to_owned(), Value::Tensor(image())),
            ("s".to_owned(), Value::Tensor(floats(&[1.0, 1.0, 2.0, 2.0]))),
        ];
        let main = model(13, graph("x s", outputs, nodes));
        let limits = |noise| Limits {
            noise,
            ..Limits::default()
        };
        let output = |noise| run(&main, &inputs, limits(noise)).expect("a result").remove(0).1;
        let (with, without) = (output(Some(1)), output(None));
        !with
            .as_tensor()
            .expect("a tensor")
            .same_bits(without.as_tensor().expect("a tensor"))
    };
    let linear = [("mode", AttributeValue::String("linear".into()))];
    assert!(data(&[node("Resize", "x - s", "y", &linear)], "y"));
    assert!(data(&[node("Exp", "x", "y", &[])], "y"));
}

/// Each structural input is an input of some version of its operator.
#[test]
fn structural_inputs_are_inputs() {
    let all = onnx_operators::all().filter(|operator| !operator.structural.is_empty());
    let mut count = 0;
    for declared in all {
        let versions = onnx_schema::versions(declared.domain, declared.name);
        for name in declared.structural {
            let known = versions
                .iter()
                .any(|schema| schema.inputs.iter().any(|input| input.name == *name));
            assert!(known, "{} has no input `{name}`", declared.name);
            count += 1;
        }
    }
    assert!(count > 10 && operator("", "Resize").is_some_and(|resize| resize.structural.contains(&"scales")));
}
