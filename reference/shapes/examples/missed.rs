//! What the reference refuses and inference does not: `cargo run -p onnx-shapes --example missed -- [CASES]`.
//!
//! In each generated case one input gets another shape, or one attribute another number. All inputs are
//! constants, so that inference knows as much as the reference. A refusal without a finding has a line for
//! each operator and message, the most frequent first: some depend on values, the others are rules to add.
#![allow(clippy::print_stdout, reason = "a program that prints its result")]

use std::collections::BTreeMap;
use std::sync::Arc;

use onnx_generator::{Case, cases, contrib_cases};
use onnx_interpreter::{Limits, Program};
use onnx_model::{AttributeValue, Graph, Model, Node};
use onnx_shapes::infer;
use onnx_tensor::{Tensor, TensorError, Value, dispatch};

fn main() {
    let most = std::env::args().nth(1).and_then(|most| most.parse().ok());
    let most = most.unwrap_or(3000);
    let mut missed: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    let (mut refused, mut found) = (0, 0);
    for case in cases(7, most).into_iter().chain(contrib_cases(7, most / 3)) {
        let good = findings(&constant(&case, &case.inputs, |_| {}));
        for (what, model) in broken(&case) {
            let Some(error) = refusal(&model) else {
                continue;
            };
            refused += 1;
            if findings(&model) > good {
                found += 1;
                continue;
            }
            let operator = case.suite.clone();
            let place = format!("{} ({what}): {error}", case.name);
            let words: String = error
                .chars()
                .filter(|letter| !letter.is_ascii_digit())
                .take(60)
                .collect();
            missed.entry((operator, words)).or_default().push(place);
        }
    }
    println!("{refused} refused, {found} of them have a finding");
    let mut lines: Vec<_> = missed.into_iter().collect();
    lines.sort_by_key(|(_, places)| std::cmp::Reverse(places.len()));
    for ((operator, _), places) in lines {
        println!("{:4} {operator}: {}", places.len(), places[0]);
    }
}

/// The number of findings on types and shapes.
fn findings(model: &Model) -> usize {
    infer(model).findings.len() + onnx_checker::check(model).list.len()
}

/// Why the reference does not run a model whose inputs are constants.
fn refusal(model: &Model) -> Option<String> {
    let program = match Program::load(model.clone()) {
        Ok(program) => program,
        Err(error) => return Some(error.to_string()),
    };
    program
        .run(&[], Limits::default())
        .err()
        .map(|error| error.to_string())
}

/// The case with another shape of each input in turn, and with another number in each attribute.
fn broken(case: &Case) -> Vec<(String, Model)> {
    let mut models = Vec::new();
    for (at, (name, value)) in case.inputs.iter().enumerate() {
        let Value::Tensor(tensor) = value else { continue };
        for shape in other_shapes(tensor.shape()) {
            if let Ok(other) = filled(tensor, &shape) {
                let mut inputs = case.inputs.clone();
                inputs[at].1 = other.into();
                models.push((
                    format!("`{name}` {:?} as {shape:?}", tensor.shape()),
                    constant(case, &inputs, |_| {}),
                ));
            }
        }
    }
    let Some(node) = case.model.graph.nodes.last() else {
        return models;
    };
    for (at, attribute) in node.attributes.iter().enumerate() {
        for value in other_values(&attribute.value) {
            let what = format!("`{}` = {value:?}", attribute.name);
            let change = |node: &mut Node| node.attributes[at].value = value.clone();
            models.push((what, constant(case, &case.inputs, change)));
        }
    }
    models
}

fn other_shapes(shape: &[usize]) -> Vec<Vec<usize>> {
    let mut shapes = vec![[&[1], shape].concat(), [&[2], shape].concat()];
    for at in 0..shape.len() {
        let mut longer = shape.to_vec();
        longer[at] += 1;
        shapes.push(longer);
        let mut without = shape.to_vec();
        without.remove(at);
        shapes.push(without);
    }
    shapes
}

fn other_values(value: &AttributeValue) -> Vec<AttributeValue> {
    match value {
        AttributeValue::Int(value) => [value + 1, value - 1, value + 7]
            .map(AttributeValue::Int)
            .to_vec(),
        AttributeValue::Ints(values) if !values.is_empty() => {
            let longer = [&values[..], &[1]].concat();
            let shorter = values[1..].to_vec();
            let mut other = values.clone();
            other[0] += 2;
            [longer, shorter, other].map(AttributeValue::Ints).to_vec()
        }
        AttributeValue::Tensor(tensor) => {
            let longer = [tensor.shape(), &[2]].concat();
            filled(tensor, &longer)
                .map(AttributeValue::Tensor)
                .into_iter()
                .collect()
        }
        _ => Vec::new(),
    }
}

/// A tensor of this shape with the elements of another, again and again.
fn filled(tensor: &Tensor, shape: &[usize]) -> Result<Tensor, TensorError> {
    let count = onnx_tensor::count(shape)?;
    dispatch!(all, tensor.dtype(), T => {
        let elements = tensor.to_vec::<T>()?;
        Tensor::new(shape, elements.into_iter().cycle().take(count).collect())
    })
}

/// The case with all inputs as constants and without declared extents.
fn constant(case: &Case, inputs: &[(String, Value)], change: impl FnOnce(&mut Node)) -> Model {
    let opened = onnx_shapes::opened(&case.model);
    let mut graph = Graph::clone(&opened.graph);
    graph
        .inputs
        .retain(|input| inputs.iter().all(|(name, _)| *name != input.name));
    graph.initializers.extend(inputs.iter().cloned());
    if let Some(node) = graph.nodes.last_mut() {
        change(node);
    }
    Model {
        graph: Arc::new(graph),
        ..opened
    }
}
