//! Tests on a small model with known figures, and on two light models.

use approx::assert_abs_diff_eq;
use std::collections::BTreeMap;
use std::sync::Arc;

use harness_conformance::case::Case;
use harness_fetch::{Cache, Fetcher, Lockfile};
use onnx_model::{Attribute, AttributeValue, Graph, Limits, Model, Node, Source, ValueInfo};
use onnx_tensor::{DType, Dim, Tensor, Value, ValueType};

use super::*;
use crate::inputs::{Style, seeded};

/// Two convolutions of equal shape, a normalization, and a classifier, all filled with a constant.
fn model() -> Model {
    let fills: [(&str, &[i64]); 9] = [
        ("w1", &[4, 3, 3, 3]),
        ("w2", &[4, 3, 3, 3]),
        ("b2", &[4]),
        ("scale", &[4]),
        ("bias", &[4]),
        ("mean", &[4]),
        ("variance", &[4]),
        ("w3", &[10, 4, 1, 1]),
        ("b3", &[10]),
    ];
    let mut nodes: Vec<Node> = fills
        .iter()
        .map(|(name, _)| node("ConstantOfShape", &[&format!("{name}_shape")], name))
        .collect();
    nodes.extend([
        node("Conv", &["x", "w1"], "c1"),
        node("Conv", &["x", "w2", "b2"], "c2"),
        node(
            "BatchNormalization",
            &["c1", "scale", "bias", "mean", "variance"],
            "n",
        ),
        node("Sum", &["n", "c2"], "s"),
        node("Relu", &["s"], "r"),
        node("GlobalAveragePool", &["r"], "p"),
        node("Reshape", &["p", "row"], "f"),
        node("Reshape", &["w3", "matrix"], "m"),
        node("Gemm", &["f", "m", "b3"], "logits"),
        node("Softmax", &["logits"], "y"),
    ]);
    for node in nodes.iter_mut().filter(|node| node.operator == "ConstantOfShape") {
        let value = AttributeValue::Tensor(Tensor::vector(vec![0.02_f32]));
        node.attributes.push(Attribute {
            name: "value".to_owned(),
            value,
        });
    }
    for node in nodes.iter_mut().filter(|node| node.operator == "Gemm") {
        node.attributes.push(Attribute {
            name: "transB".to_owned(),
            value: AttributeValue::Int(1),
        });
    }
    let constant =
        |name: &str, values: &[i64]| (name.to_owned(), Value::Tensor(Tensor::vector(values.to_vec())));
    let mut initializers: Vec<_> = fills
        .iter()
        .map(|(name, shape)| constant(&format!("{name}_shape"), shape))
        .collect();
    initializers.extend([constant("row", &[1, -1]), constant("matrix", &[10, 4])]);
    let graph = Graph {
        inputs: vec![info("x", &[1, 3, 32, 32])],
        outputs: vec![info("n", &[1, 4, 30, 30]), info("y", &[1, 10])],
        initializers,
        nodes,
        ..Graph::default()
    };
    Model {
        ir_version: 3,
        ..Model::new(9, graph)
    }
}

fn node(operator: &str, inputs: &[&str], output: &str) -> Node {
    Node {
        operator: operator.to_owned(),
        inputs: inputs.iter().map(|&input| input.to_owned()).collect(),
        outputs: vec![output.to_owned()],
        ..Node::default()
    }
}

fn info(name: &str, shape: &[usize]) -> ValueInfo {
    let shape = Some(shape.iter().map(|&extent| Dim::Fixed(extent)).collect());
    ValueInfo {
        name: name.to_owned(),
        value_type: Some(ValueType::Tensor {
            dtype: DType::Float,
            shape,
        }),
    }
}

fn zeros(shape: &[usize]) -> Vec<Named> {
    let tensor = Tensor::new(shape, vec![0.0_f32; shape.iter().product()]).unwrap();
    vec![("x".to_owned(), Value::Tensor(tensor))]
}

fn interpret(model: &Model, inputs: &[Named]) -> Vec<Named> {
    onnx_interpreter::run(model, inputs, onnx_interpreter::Limits::default())
        .unwrap_or_else(|error| panic!("{error}"))
}

fn randomized(model: Model, seed: u64, inputs: &[Named]) -> Model {
    randomize(model, seed, &mut |probe| Ok(interpret(probe, inputs)))
        .unwrap_or_else(|error| panic!("{error}"))
}

fn floats(value: &Value) -> Vec<f32> {
    match value {
        Value::Tensor(tensor) => tensor.to_vec().unwrap(),
        value => panic!("{value:?}"),
    }
}

fn mean_and_deviation(values: &[f32]) -> (f32, f32) {
    let mean = values.iter().sum::<f32>() / values.len() as f32;
    let square = values.iter().map(|x| (x - mean).powi(2)).sum::<f32>();
    (mean, (square / values.len() as f32).sqrt())
}

#[test]
fn fills_become_constants_and_activations_have_the_expected_statistics() {
    let inputs = seeded(&zeros(&[1, 3, 32, 32]), Style::Picture, 5, 0).unwrap();
    let baked = randomized(model(), 5, &inputs);
    let graph = &baked.graph;
    assert!(graph.nodes.iter().all(|node| node.operator != "ConstantOfShape"));
    assert_eq!(graph.nodes.len(), 10);
    assert!(
        graph
            .initializers
            .iter()
            .all(|(name, _)| !name.ends_with("_shape"))
    );
    let parameter = |name: &str| {
        floats(
            graph
                .initializer(name)
                .unwrap_or_else(|| panic!("{name} is missing")),
        )
    };
    assert_ne!(
        parameter("w1"),
        parameter("w2"),
        "branches of equal shape must differ"
    );
    assert!(parameter("variance").iter().all(|&variance| variance > 0.0));

    let outputs = interpret(&baked, &inputs);
    let normalized = floats(&outputs[0].1);
    for (channel, values) in normalized.chunks(900).enumerate() {
        let (mean, deviation) = mean_and_deviation(values);
        assert_abs_diff_eq!(mean, parameter("bias")[channel], epsilon = 1e-3);
        assert_abs_diff_eq!(deviation, parameter("scale")[channel], epsilon = 1e-3);
    }
}

#[test]
fn the_same_seed_gives_the_same_file() {
    let inputs = seeded(&zeros(&[1, 3, 32, 32]), Style::Picture, 5, 0).unwrap();
    let file = |seed| randomized(model(), seed, &inputs).encode();
    assert_eq!(file(1), file(1));
    assert_ne!(file(1), file(2));
    let again = Model::decode(file(1), &Source::named("again"), &Limits::default()).unwrap();
    assert_eq!(again.encode(), file(1));
}

#[test]
fn models_that_cannot_get_weights_are_errors() {
    let refused = |model: Model| randomize(model, 0, &mut |_| Ok(Vec::new())).unwrap_err();
    let old = Model {
        opset_imports: BTreeMap::from([(String::new(), 6)]),
        ..model()
    };
    assert!(matches!(refused(old), RandomWeightsError::Opset(6)));
    let graph = Graph {
        nodes: vec![node("Relu", &["x"], "y")],
        ..Graph::default()
    };
    assert!(matches!(
        refused(Model {
            graph: Arc::new(graph),
            ..model()
        }),
        RandomWeightsError::NoKernel
    ));
    // The calibration run returned nothing.
    assert!(matches!(refused(model()), RandomWeightsError::Degenerate(_)));
}

/// Checks a light model: the softmax is spread, and the output depends on the input.
fn check_light(name: &str) {
    let fetcher = Fetcher::new(Cache::from_env().unwrap(), |event| eprintln!("{event}"));
    let corpus = harness_fetch::pinned("onnx-1.22.0", &Lockfile::embedded().unwrap(), &fetcher);
    let corpus = corpus.unwrap_or_else(|error| panic!("{error}"));
    let files = corpus
        .cases()
        .iter()
        .find(|case| case.id.suite() == "light" && case.id.name() == name);
    let case = Case::decode(files.unwrap()).unwrap();
    let official = &case.data_sets[0].inputs;
    let inputs = [0, 1].map(|number| seeded(official, Style::Picture, 0, number).unwrap());
    let decoded = Model::decode(case.model.clone(), &Source::named(name), &Limits::default()).unwrap();
    let baked = randomized(decoded, 0, &inputs[0]);
    let [a, b] = inputs.map(|inputs| floats(&interpret(&baked, &inputs)[0].1));
    for probabilities in [&a, &b] {
        let largest = probabilities.iter().copied().fold(0.0, f32::max);
        let entropy: f32 = probabilities
            .iter()
            .filter(|&&p| p > 0.0)
            .map(|p| -p * p.ln())
            .sum();
        assert!(
            largest < 0.9 && entropy > 1.0,
            "{name}: largest {largest}, entropy {entropy} nats"
        );
        // The entropy of a uniform distribution is 6.9.
        assert!(entropy < 6.9, "{name}: entropy {entropy} nats");
    }
    let differing = a
        .iter()
        .zip(&b)
        .filter(|(a, b)| (*a - *b).abs() > 0.05 * b.abs())
        .count();
    assert!(
        differing > 500,
        "{name}: only {differing} of 1000 elements depend on the input"
    );
}

#[test]
fn real_models_neither_saturate_nor_ignore_their_input() {
    check_light("test_squeezenet");
    check_light("test_shufflenet");
}
