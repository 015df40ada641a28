//! Checks of values other than dense tensors.

use std::collections::BTreeMap;

use onnx_model::{Attribute, AttributeValue};
use onnx_tensor::{DType, Map, MapKey, Sequence, Tensor, Value, ValueType};

use super::bench::Bench;
use super::models::{identity, one_node};
use super::{Check, Outcome, check};

pub(super) fn checks() -> Vec<Check> {
    vec![
        check("a sequence of tensors of different shapes", |bench| {
            echoes(
                bench,
                sequence(vec![
                    Tensor::vector(vec![1_f32]),
                    Tensor::vector(vec![2_f32, 3.0]),
                ]),
            )
        }),
        check("an empty sequence keeps its element type", |bench| {
            echoes(bench, sequence(Vec::new()))
        }),
        check("an optional with a tensor", |bench| {
            echoes(bench, optional(Some(1.5)))
        }),
        check("an optional without a value keeps its type", |bench| {
            echoes(bench, optional(None))
        }),
        check("a map with string keys", maps),
        check("an output that is a sequence", |bench| {
            let element = ValueType::tensor(DType::Float);
            let model = one_node(
                "SequenceConstruct",
                13,
                &[element.clone(), element.clone()],
                &ValueType::Sequence(Box::new(element)),
                Vec::new(),
            );
            let (a, b) = (Tensor::vector(vec![1_f32]), Tensor::scalar(2_f32));
            let inputs = [("x0", a.clone()), ("x1", b.clone())];
            let inputs = inputs.map(|(name, tensor)| (name.to_owned(), Value::Tensor(tensor)));
            bench.gives(&model, &inputs, &[("y".to_owned(), sequence(vec![a, b]))])
        }),
        check("an omitted optional input", left_out),
    ]
}

fn sequence(tensors: Vec<Tensor>) -> Value {
    Value::Sequence(Sequence {
        element: ValueType::tensor(DType::Float),
        values: tensors.into_iter().map(Value::Tensor).collect(),
    })
}

fn optional(inside: Option<f32>) -> Value {
    Value::Optional {
        element: ValueType::tensor(DType::Float),
        value: inside.map(|number| Box::new(Value::Tensor(Tensor::scalar(number)))),
    }
}

fn echoes(bench: &mut Bench, value: Value) -> Outcome {
    let Some(model) = identity(&value.value_type()) else {
        return Outcome::Unsupported("no version of Identity accepts the type".to_owned());
    };
    let (x, y) = (("x".to_owned(), value.clone()), ("y".to_owned(), value));
    bench.gives(&model, &[x], &[y])
}

/// The input is a map; the output is a tensor of the values of the vocabulary.
fn maps(bench: &mut Bench) -> Outcome {
    let entries = [("a", 1.0_f32), ("c", 3.0)];
    let map = Value::Map(Map {
        key: DType::String,
        element: ValueType::tensor(DType::Float),
        entries: entries
            .into_iter()
            .map(|(key, number)| {
                (
                    MapKey::String(key.to_owned()),
                    Value::Tensor(Tensor::scalar(number)),
                )
            })
            .collect::<BTreeMap<_, _>>(),
    });
    let vocabulary = Attribute {
        name: "string_vocabulary".to_owned(),
        value: AttributeValue::Strings(["a", "b", "c"].map(|word| word.as_bytes().to_vec()).to_vec()),
    };
    let output = ValueType::tensor(DType::Float);
    let mut model = one_node(
        "DictVectorizer",
        13,
        &[map.value_type()],
        &output,
        vec![vocabulary],
    );
    model.opset_imports.insert("ai.onnx.ml".to_owned(), 1);
    let mut graph = (*model.graph).clone();
    if let Some(node) = graph.nodes.first_mut() {
        node.domain = "ai.onnx.ml".to_owned();
    }
    model.graph = graph.into();
    // According to the text the output has one axis; ONNX Runtime returns two. Both are accepted.
    let mut outcome = Outcome::Failed("no tensor can be constructed".to_owned());
    for shape in [&[3][..], &[1, 3]] {
        let Ok(expected) = Tensor::new(shape, vec![1_f32, 0.0, 3.0]) else {
            continue;
        };
        let y = ("y".to_owned(), Value::Tensor(expected));
        outcome = bench.gives(&model, &[("x".to_owned(), map.clone())], &[y]);
        if outcome == Outcome::Passed {
            break;
        }
    }
    outcome
}

/// Clip without its lower limit, whose input has an empty name.
fn left_out(bench: &mut Bench) -> Outcome {
    let float = ValueType::tensor(DType::Float);
    let mut model = one_node("Clip", 13, &[float.clone(), float.clone()], &float, Vec::new());
    let mut graph = (*model.graph).clone();
    if let Some(node) = graph.nodes.first_mut() {
        node.inputs.insert(1, String::new());
    }
    model.graph = graph.into();
    let inputs = [
        (
            "x0".to_owned(),
            Value::Tensor(Tensor::vector(vec![-5_f32, 0.5, 5.0])),
        ),
        ("x1".to_owned(), Value::Tensor(Tensor::scalar(1_f32))),
    ];
    let expected = Value::Tensor(Tensor::vector(vec![-5_f32, 0.5, 1.0]));
    bench.gives(&model, &inputs, &[("y".to_owned(), expected)])
}
