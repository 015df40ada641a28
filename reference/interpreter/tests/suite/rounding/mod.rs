//! Evaluations in float, in several orders of summation, are within the radii of the reference, and an
//! evaluation with a wrong input is not.
//!
//! Each case has an independent evaluation in float, written from the formulas of the specification and
//! without code of the reference. [`Order`] selects the choices of an implementation (the order of its
//! sums, one pass or two).

mod bodies;
mod cases;
mod learned;
mod order;
mod recurrent;
mod spectra;
mod sums;

use std::sync::Arc;

use crate::build::{graph, model};
use onnx_interpreter::{Limits, Radius, run, run_bounded};
use onnx_model::{Attribute, AttributeValue, Model, Node};
use onnx_tensor::{DType, Tensor, Value};
use order::Order;

/// The inputs of an evaluation.
type Floats<'a> = &'a [Vec<f32>];

/// An evaluation in float that maps inputs to outputs.
type Evaluate = fn(Floats<'_>, Order) -> Vec<Vec<f32>>;

/// One node on random inputs.
struct Case {
    /// The operator with its domain, as `ai.onnx.ml:Scaler`.
    operator: &'static str,
    attributes: Vec<(&'static str, AttributeValue)>,
    /// The shape of each input, `None` if it is omitted; `given` holds the inputs that are not random.
    inputs: Vec<Option<Vec<usize>>>,
    given: Vec<(usize, Tensor)>,
    outputs: usize,
    evaluate: Evaluate,
}

impl Case {
    fn model(&self) -> Model {
        let (domain, name) = self.operator.split_once(':').unwrap_or(("", self.operator));
        let names: Vec<String> = (0..self.inputs.len()).map(|index| format!("x{index}")).collect();
        let listed = names.iter().zip(&self.inputs);
        let listed = listed.map(|(name, shape)| shape.as_ref().map_or("", |_| name).to_owned());
        let outputs: Vec<String> = (0..self.outputs).map(|index| format!("y{index}")).collect();
        let attribute = |(name, value): &(&str, AttributeValue)| Attribute {
            name: (*name).to_owned(),
            value: value.clone(),
        };
        let node = Node {
            operator: name.to_owned(),
            domain: domain.to_owned(),
            inputs: listed.collect(),
            outputs: outputs.clone(),
            attributes: self.attributes.iter().map(attribute).collect(),
            ..Node::default()
        };
        let fed: Vec<&str> = (names.iter().zip(&self.inputs))
            .filter_map(|(name, shape)| shape.as_ref().map(|_| name.as_str()))
            .collect();
        let mut model = model(27, graph(&fed.join(" "), &outputs.join(" "), &[node]));
        model.opset_imports.insert("ai.onnx.ml".to_owned(), 5);
        model.opset_imports.insert("ai.onnx.preview".to_owned(), 1);
        model
    }

    /// The inputs: those in `given`, otherwise numbers in (−1, 1).
    fn tensors(&self) -> Vec<Option<Tensor>> {
        let tensor = |(index, shape): (usize, &Option<Vec<usize>>)| {
            let given = self.given.iter().find(|(given, _)| *given == index);
            let shape = shape.as_ref()?;
            Some(given.map_or_else(
                || {
                    let count = shape.iter().product();
                    Tensor::new(shape, order::drawn(index as u64 + 1, count))
                        .expect("as many as the shape has")
                },
                |(_, tensor)| tensor.clone(),
            ))
        };
        self.inputs.iter().enumerate().map(tensor).collect()
    }
}

fn fed(tensors: &[Option<Tensor>]) -> Vec<(String, Value)> {
    let pair = |(index, tensor): (usize, &Option<Tensor>)| {
        Some((format!("x{index}"), Value::Tensor(tensor.clone()?)))
    };
    tensors.iter().enumerate().filter_map(pair).collect()
}

fn floats(tensor: &Tensor) -> Vec<f32> {
    match tensor {
        Tensor::Int64(array) => array.iter().map(|&value| value as f32).collect(),
        tensor => tensor.to_vec::<f32>().expect("floats"),
    }
}

#[track_caller]
fn check(case: &Case) {
    let (model, tensors) = (case.model(), case.tensors());
    let outputs = run_bounded(&model, &fed(&tensors), Limits::default()).expect("a result");
    let bounded: Vec<(Vec<f32>, Vec<f64>)> = outputs
        .iter()
        .map(|(name, value, radius)| {
            let center = value.as_tensor().expect("a tensor");
            let Some(radius) = radius.array(center.shape()) else {
                panic!("{} `{name}`: {radius:?}", case.operator);
            };
            (floats(center), radius.iter().copied().collect())
        })
        .collect();
    let inputs: Vec<Vec<f32>> = tensors
        .iter()
        .map(|tensor| tensor.as_ref().map(floats).unwrap_or_default())
        .collect();
    for order in Order::ALL {
        for (index, (found, (center, radius))) in
            (case.evaluate)(&inputs, order).iter().zip(&bounded).enumerate()
        {
            let worst = worst(found, center, radius);
            assert!(
                worst <= 1.0,
                "{} output {index}, {order:?}: {worst} times the radius",
                case.operator
            );
        }
    }
    let mut wrong = tensors;
    let is_float = |tensor: &&mut Tensor| tensor.dtype() == DType::Float;
    let first = wrong
        .iter_mut()
        .flatten()
        .find(is_float)
        .expect("an input of floats");
    *first = perturbed(first);
    let outputs = run(&model, &fed(&wrong), Limits::default()).expect("a result");
    let seen = outputs
        .iter()
        .zip(&bounded)
        .any(|((_, value), (center, radius))| {
            worst(&floats(value.as_tensor().expect("a tensor")), center, radius) > 1.0
        });
    assert!(
        seen,
        "{}: the result of a wrong input is within the radius",
        case.operator
    );
}

/// The greatest error of an element in units of its radius.
fn worst(found: &[f32], center: &[f32], radius: &[f64]) -> f64 {
    assert_eq!(found.len(), center.len(), "elements of an output");
    let share = |((found, center), radius): ((&f32, &f32), &f64)| {
        let off = (f64::from(*found) - f64::from(*center)).abs();
        if off == 0.0 { 0.0 } else { off / radius }
    };
    found
        .iter()
        .zip(center)
        .zip(radius)
        .map(share)
        .fold(0.0, f64::max)
}

/// A tensor whose first element is wrong by one thousandth.
fn perturbed(tensor: &Tensor) -> Tensor {
    let mut values = floats(tensor);
    values[0] *= 1.001;
    Tensor::new(tensor.shape(), values).expect("as many as before")
}

fn string(text: &str) -> AttributeValue {
    AttributeValue::String(text.into())
}

fn body(graph: onnx_model::Graph) -> AttributeValue {
    AttributeValue::Graph(Arc::new(graph))
}

#[test]
fn a_step_is_allowed_only_near_a_tie() {
    // The scale is 255 / 255, so steps equal the values. 4.5 is a tie, 7.25 is not.
    let x = Tensor::vector(vec![0.0_f32, 255.0, 4.5, 7.25]);
    let case = Case {
        operator: "DynamicQuantizeLinear",
        attributes: Vec::new(),
        inputs: vec![Some(vec![4])],
        given: vec![(0, x.clone())],
        outputs: 3,
        evaluate: |_, _| Vec::new(),
    };
    let outputs = run_bounded(&case.model(), &fed(&[Some(x)]), Limits::default()).expect("a result");
    let Radius::Within { radius, .. } = &outputs[0].2 else {
        panic!("{:?}", outputs[0].2);
    };
    assert_eq!(radius.iter().copied().collect::<Vec<f64>>(), [0.0, 0.0, 1.0, 0.0]);
    assert!(outputs[2].2.is_exact(), "{:?}", outputs[2].2);
}
