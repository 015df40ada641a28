//! Generated cases with a changed attribute, constant or extent: no panic, and what the reference still runs
//! holds.
#![allow(clippy::print_stdout, reason = "a test that prints what it counted")]

use std::sync::Arc;

use onnx_generator::{Case, cases};
use onnx_model::{AttributeValue, Graph, Model};
use onnx_shapes::{Run, infer, opened};
use onnx_tensor::{Dim, Tensor, Value, ValueType};

use crate::reference::run;

/// A generator of numbers (SplitMix64): the same everywhere.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut number = self.0;
        number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((number ^ (number >> 31)) % end.max(1) as u64) as usize
    }

    fn integer(&mut self, near: i64) -> i64 {
        let choices = [
            near.wrapping_add(1),
            near.wrapping_sub(1),
            near.wrapping_neg(),
            0,
            1,
            -1,
            2,
            3,
            i64::from(i32::MAX),
            i64::MAX,
            i64::MIN,
        ];
        choices[self.below(choices.len())]
    }
}

/// The model with a changed graph.
fn changed(model: &Model, change: impl FnOnce(&mut Graph)) -> Model {
    let mut graph = Graph::clone(&model.graph);
    change(&mut graph);
    Model {
        graph: Arc::new(graph),
        ..model.clone()
    }
}

fn attribute(graph: &mut Graph, numbers: &mut Numbers) {
    let Some(node) = graph.nodes.last_mut() else {
        return;
    };
    let count = node.attributes.len();
    let Some(attribute) = node.attributes.get_mut(numbers.below(count)) else {
        return;
    };
    match &mut attribute.value {
        AttributeValue::Int(value) => *value = numbers.integer(*value),
        AttributeValue::Ints(values) if !values.is_empty() => {
            let at = numbers.below(values.len());
            match numbers.below(3) {
                0 => drop(values.remove(at)),
                1 => values.push(1),
                _ => values[at] = numbers.integer(values[at]),
            }
        }
        _ => {}
    }
}

fn constant(graph: &mut Graph, inputs: &mut [(String, Value)], numbers: &mut Numbers) {
    let constants = graph.initializers.iter_mut().map(|(_, value)| value);
    let mut all: Vec<&mut Value> = constants
        .chain(inputs.iter_mut().map(|(_, value)| value))
        .collect();
    let count = all.len();
    let Some(Value::Tensor(Tensor::Int64(array))) =
        all.get_mut(numbers.below(count)).map(|value| &mut **value)
    else {
        return;
    };
    let at = numbers.below(array.len());
    if let Some(element) = array.iter_mut().nth(at) {
        *element = numbers.integer(*element);
    }
}

fn extent(graph: &mut Graph, numbers: &mut Numbers) {
    let count = graph.inputs.len();
    let Some(input) = graph.inputs.get_mut(numbers.below(count)) else {
        return;
    };
    if let Some(ValueType::Tensor {
        shape: Some(shape), ..
    }) = &mut input.value_type
    {
        let at = numbers.below(shape.len() + 1);
        match shape.get_mut(at) {
            Some(extent) => *extent = Dim::Fixed([0, 1, 2, 5, usize::MAX][numbers.below(5)]),
            None => shape.push(Dim::Fixed(1)),
        }
    }
}

/// What contradicts the inference of a case after a change; `None` if the reference refuses it.
fn contradictions(case: &Case, numbers: &mut Numbers) -> Option<Vec<String>> {
    let mut inputs = case.inputs.clone();
    // The inputs of the case do not have this extent.
    drop(infer(&changed(&case.model, |graph| extent(graph, numbers))));
    let model = changed(&case.model, |graph| match numbers.below(2) {
        0 => attribute(graph, numbers),
        _ => constant(graph, &mut inputs, numbers),
    });
    let (given, open) = (infer(&model), infer(&opened(&model)));
    let values = run(&model, &inputs)?;
    let run = Run {
        inputs: &inputs,
        values: &values,
    };
    let mut wrong = Vec::new();
    for mut inference in [given, open] {
        wrong.extend(inference.findings.iter().map(ToString::to_string));
        wrong.extend(inference.agrees(&run).err());
    }
    Some(wrong)
}

#[test]
fn changed_cases_hold_or_are_refused() {
    let mut numbers = Numbers(1);
    let (mut ran, mut refused, mut wrong) = (0, 0, Vec::new());
    for case in cases(3, 6000) {
        for _ in 0..3 {
            match contradictions(&case, &mut numbers) {
                Some(found) => {
                    ran += 1;
                    wrong.extend(
                        found
                            .into_iter()
                            .map(|text| format!("{}/{}: {text}", case.suite, case.name)),
                    );
                }
                None => refused += 1,
            }
        }
    }
    println!("{ran} ran, {refused} refused");
    let count = wrong.len();
    wrong.truncate(100);
    assert!(wrong.is_empty(), "{count} contradictions\n{}", wrong.join("\n"));
}
