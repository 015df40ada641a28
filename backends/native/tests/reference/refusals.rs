//! What the reference refuses as a violation of the specification native refuses too: models of
//! `onnx-rejections`, and generated models with an attribute, an operand or a shape changed.

use std::collections::BTreeMap;
use std::sync::Arc;

use backend_native::Settings;
use onnx_generator::Case;
use onnx_model::{AttributeValue, Limits, Model, Node, Source};
use onnx_tensor::{DType, Tensor, Value};

use super::{is_invalid, native, numbers, reference, tensor, untouched};

/// A model that the reference refuses and native accepts, with the reason of the reference.
fn accepted(model: &Model, inputs: &[(String, Value)]) -> Option<String> {
    let error = reference(model, inputs).err().filter(is_invalid)?;
    let accepts = |settings| native(settings, model, inputs).is_ok();
    (accepts(Settings::default()) || accepts(untouched())).then(|| error.to_string())
}

#[test]
fn what_the_reference_refuses_at_load_native_refuses() {
    for rejection in onnx_rejections::all() {
        let decoded = Model::decode(
            rejection.bytes.clone(),
            &Source::named("model"),
            &Limits::default(),
        );
        let Ok(model) = decoded else { continue };
        let refused = onnx_interpreter::Program::load(model.clone()).is_err();
        let request = backend_api::LoadRequest {
            model: rejection.bytes.into(),
            ..backend_api::LoadRequest::default()
        };
        let loaded =
            backend_api::Backend::load(&mut backend_native::Native::new(Settings::default()), request);
        assert!(
            !refused || loaded.is_err(),
            "{} ({})",
            rejection.name,
            rejection.rule
        );
    }
}

/// The integers that replace one of an attribute or of a constant.
fn others(value: i64) -> [i64; 5] {
    let less = value.wrapping_sub(1);
    [less, value.wrapping_add(1), (!value).wrapping_sub(1), 0, 7]
}

/// The variants of an attribute.
fn variants(value: &AttributeValue) -> Vec<AttributeValue> {
    match value {
        AttributeValue::Int(value) => others(*value).map(AttributeValue::Int).into(),
        AttributeValue::Ints(values) => {
            let mut all = vec![
                values[..values.len().saturating_sub(1)].to_vec(),
                [&values[..], &[1]].concat(),
            ];
            for place in 0..values.len() {
                all.extend(others(values[place]).map(|other| {
                    let mut values = values.clone();
                    values[place] = other;
                    values
                }));
            }
            all.into_iter().map(AttributeValue::Ints).collect()
        }
        AttributeValue::Float(value) => [-value, 0.0, f32::NAN].map(AttributeValue::Float).into(),
        AttributeValue::String(text) => {
            let other = |text: Vec<u8>| AttributeValue::String(text);
            vec![
                other(b"other".to_vec()),
                other(Vec::new()),
                other([&text[..], b"i"].concat()),
            ]
        }
        _ => Vec::new(),
    }
}

/// A variant of a node.
fn of_node(node: &Node) -> Vec<Node> {
    let mut all = Vec::new();
    for at in 0..node.attributes.len() {
        let mut without = node.clone();
        without.attributes.remove(at);
        all.push(without);
        for value in variants(&node.attributes[at].value) {
            let mut other = node.clone();
            other.attributes[at].value = value;
            all.push(other);
        }
    }
    for at in 1..node.inputs.len() {
        let mut swapped = node.clone();
        swapped.inputs.swap(at - 1, at);
        all.push(swapped);
        let mut shorter = node.clone();
        shorter.inputs.truncate(at);
        all.push(shorter);
    }
    if let [only] = &node.outputs[..] {
        let mut more = node.clone();
        more.outputs = vec![only.clone(), "more".to_owned()];
        all.push(more);
    }
    all
}

/// Other shapes and integers of an input.
fn of_input(value: &Value) -> Vec<Value> {
    let Some((old, elements)) = value.as_tensor().and_then(|old| Some((old, numbers(old)?))) else {
        return Vec::new();
    };
    let shape = old.shape();
    let mut all = Vec::new();
    let mut add = |shape: Vec<usize>| {
        let count = shape.iter().product();
        let repeated: Vec<f64> = elements
            .iter()
            .copied()
            .chain([1.0])
            .cycle()
            .take(count)
            .collect();
        all.push(Value::Tensor(tensor(old.dtype(), &shape, &repeated)));
    };
    add([&[1], shape].concat());
    for axis in 0..shape.len() {
        let mut longer = shape.to_vec();
        longer[axis] += 1;
        add(longer);
        let mut without = shape.to_vec();
        without.remove(axis);
        add(without);
    }
    if matches!(old.dtype(), DType::Int64 | DType::Int32) && elements.len() <= 8 {
        for place in 0..elements.len() {
            for other in others(elements[place] as i64) {
                let mut changed = elements.clone();
                changed[place] = other as f64;
                all.push(Value::Tensor(tensor(old.dtype(), shape, &changed)));
            }
        }
    }
    all
}

/// Checks the variants of a case; returns their number, and what native accepts.
fn check(case: &Case) -> (usize, Vec<String>) {
    let (mut tried, mut wrong) = (0, Vec::new());
    let Some(node) = case
        .model
        .graph
        .nodes
        .last()
        .filter(|_| case.model.graph.nodes.len() == 1)
    else {
        return (0, wrong);
    };
    let mut try_one = |what: String, model: &Model, inputs: &[(String, Value)]| {
        tried += 1;
        wrong.extend(accepted(model, inputs).map(|error| format!("{what}: {error}")));
    };
    // Types are not declared, so that a changed input is not refused for its shape.
    let mut open = case.model.clone();
    for input in &mut Arc::make_mut(&mut open.graph).inputs {
        if let Some(onnx_tensor::ValueType::Tensor { shape, .. }) = &mut input.value_type {
            *shape = None;
        }
    }
    for other in of_node(node) {
        let mut model = open.clone();
        let what = format!("{:?} {:?}", other.inputs, other.attributes);
        Arc::make_mut(&mut model.graph).nodes = vec![other];
        try_one(what, &model, &case.inputs);
    }
    for at in 0..case.inputs.len() {
        for value in of_input(&case.inputs[at].1) {
            let mut inputs = case.inputs.clone();
            let what = match &value {
                Value::Tensor(Tensor::Int64(values)) => format!("{} = {values:?}", inputs[at].0),
                Value::Tensor(tensor) => {
                    format!("{} of {} {:?}", inputs[at].0, tensor.dtype(), tensor.shape())
                }
                _ => String::new(),
            };
            inputs[at].1 = value;
            try_one(what, &open, &inputs);
        }
    }
    (tried, wrong)
}

#[test]
fn what_the_reference_refuses_of_changed_models_native_refuses() {
    let mut cases: BTreeMap<String, Vec<Case>> = BTreeMap::new();
    for case in onnx_generator::cases(0, 12_000) {
        let same = cases.entry(case.suite.clone()).or_default();
        if same.len() < 6 {
            same.push(case);
        }
    }
    let (mut tried, mut wrong) = (0, BTreeMap::new());
    for (suite, cases) in &cases {
        for case in cases {
            let (count, lines) = check(case);
            tried += count;
            for line in lines {
                // One line for each version and reason.
                let reason = line.rsplit_once(": ").map_or(line.as_str(), |(_, reason)| reason);
                let reason = reason.to_owned();
                wrong.entry((suite.clone(), reason)).or_insert(line);
            }
        }
    }
    let lines: Vec<String> = wrong
        .iter()
        .map(|((suite, _), line)| format!("{suite}: {line}"))
        .collect();
    assert!(
        lines.is_empty(),
        "{} of {tried}:\n{}",
        lines.len(),
        lines.join("\n")
    );
    assert!(tried > 20_000, "only {tried} models");
}
