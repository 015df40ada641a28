//! Which outputs of a model are random, and that wrong outputs are detected.

use onnx_model::{Attribute, AttributeValue, Graph, Model, Node, ValueInfo};
use onnx_randomness::Draws;
use onnx_tensor::{Tensor, Value};

const COUNT: usize = 1000;

fn node(operator: &str, inputs: &[&str], outputs: &[&str], attributes: &[(&str, AttributeValue)]) -> Node {
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let attribute = |(name, value): &(&str, AttributeValue)| Attribute {
        name: (*name).to_owned(),
        value: value.clone(),
    };
    Node {
        operator: operator.to_owned(),
        inputs: names(inputs),
        outputs: names(outputs),
        attributes: attributes.iter().map(attribute).collect(),
        ..Node::default()
    }
}

fn draws(nodes: &[Node], outputs: &[&str], inputs: &[(String, Value)]) -> Option<Draws> {
    let output = |&name: &&str| ValueInfo {
        name: name.to_owned(),
        value_type: None,
    };
    let graph = Graph {
        nodes: nodes.to_vec(),
        outputs: outputs.iter().map(output).collect(),
        ..Graph::default()
    };
    let model = Model {
        ir_version: 10,
        ..Model::new(22, graph)
    };
    Draws::of_model(&model, inputs)
}

fn fed(name: &str, tensor: Tensor) -> (String, Value) {
    (name.to_owned(), Value::Tensor(tensor))
}

/// A fraction `share` of the elements as ones, spread evenly.
fn ones(share: f32) -> Vec<f32> {
    let step = |index: usize| (index as f32 * share).floor();
    // A stride that is coprime to the count breaks the pattern, so that adjacent elements are not
    // correlated.
    (0..COUNT)
        .map(|index| index * 617 % COUNT)
        .map(|index| step(index + 1) - step(index))
        .collect()
}

#[test]
fn a_body_of_bernoulli_is_tested_as_written() {
    let p = [fed("p", Tensor::vector(vec![0.2_f32; COUNT]))];
    for (operands, right) in [(["r", "p"], 0.8), (["p", "r"], 0.2)] {
        let nodes = [
            node(
                "RandomUniformLike",
                &["p"],
                &["r"],
                &[("seed", AttributeValue::Float(1.0))],
            ),
            node("Greater", &operands, &["g"], &[]),
            node("Cast", &["g"], &["y"], &[("to", AttributeValue::Int(1))]),
        ];
        let draws = draws(&nodes, &["y"], &p).expect("a drawn output");
        assert!(draws.covers(0) && draws.seeded());
        for share in [0.2, 0.8] {
            let judged = draws.judge(&[fed("y", Tensor::vector(ones(share)))]);
            assert_eq!(
                judged.is_ok(),
                share == right,
                "{operands:?}, {share}: {judged:?}"
            );
        }
    }
}

#[test]
fn a_mask_agrees_with_its_output() {
    let inputs = [
        fed("x", Tensor::vector(vec![1.0_f32; COUNT])),
        fed("ratio", Tensor::scalar(0.5_f32)),
        fed("training", Tensor::scalar(true)),
    ];
    let nodes = [node("Dropout", &["x", "ratio", "training"], &["y", "mask"], &[])];
    let draws = draws(&nodes, &["y", "mask"], &inputs).expect("drawn outputs");
    assert!(!draws.seeded());
    let kept = ones(0.5);
    let answer = |mask: Vec<bool>| {
        let data = Tensor::vector(kept.iter().map(|one| one * 2.0).collect::<Vec<f32>>());
        draws.judge(&[fed("y", data), fed("mask", Tensor::vector(mask))])
    };
    let mask: Vec<bool> = kept.iter().map(|one| *one == 1.0).collect();
    assert_eq!(answer(mask.clone()), Ok(()));
    assert!(answer(mask.iter().map(|flag| !flag).collect()).is_err_and(|(index, _)| index == 1));
}

#[test]
fn only_direct_random_outputs_have_a_contract() {
    let x = [fed("x", Tensor::vector(vec![0.5_f32; COUNT]))];
    let cases: [&[Node]; 3] = [
        &[node("Abs", &["x"], &["y"], &[])],
        &[node("Dropout", &["x"], &["y"], &[])],
        &[
            node("Bernoulli", &["x"], &["b"], &[]),
            node("Neg", &["b"], &["y"], &[]),
        ],
    ];
    for nodes in cases {
        assert_eq!(draws(nodes, &["y"], &x), None);
    }
}
