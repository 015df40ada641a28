//! Activations of the greatest finite numbers: no intermediate result leaves the range of the type. The
//! expected limits are derived from the definitions.

use backend_api::{Backend, LoadRequest};
use backend_native::{Native, Settings};
use onnx_model::{Attribute, AttributeValue, Graph, Model, Node, ValueInfo};
use onnx_tensor::{Element, Real, Tensor, Value, f16};

/// An operator with its attributes, and its results for the greatest and for the least finite number.
type Line = (
    &'static str,
    &'static [(&'static str, &'static str)],
    Expected,
    Expected,
);

/// A result.
#[derive(Clone, Copy, Debug)]
enum Expected {
    /// The argument.
    Itself,
    Number(f64),
}

use Expected::{Itself, Number};

/// x · Φ(x), x · sigmoid(x) and their like are x where the gate is 1, and 0 where it vanishes faster than
/// x grows; x / (1 + |x|) rounds to ±1.
const LINES: &[Line] = &[
    ("Relu", &[], Itself, Number(0.0)),
    ("Elu", &[], Itself, Number(-1.0)),
    ("Gelu", &[("approximate", "none")], Itself, Number(0.0)),
    ("Gelu", &[("approximate", "tanh")], Itself, Number(0.0)),
    ("Mish", &[], Itself, Number(0.0)),
    ("Swish", &[], Itself, Number(0.0)),
    ("HardSwish", &[], Itself, Number(0.0)),
    ("Sigmoid", &[], Number(1.0), Number(0.0)),
    ("HardSigmoid", &[], Number(1.0), Number(0.0)),
    ("Tanh", &[], Number(1.0), Number(-1.0)),
    ("Softsign", &[], Number(1.0), Number(-1.0)),
    ("Softplus", &[], Itself, Number(0.0)),
    ("Erf", &[], Number(1.0), Number(-1.0)),
    ("ThresholdedRelu", &[], Itself, Number(0.0)),
    ("Shrink", &[], Itself, Itself),
    ("Abs", &[], Itself, Number(f64::MAX)),
];

/// Long enough for a vector of a kernel and a rest.
const COUNT: usize = 35;

fn model(operator: &str, attributes: &[(&str, &str)], x: &Tensor, constant: bool) -> Model {
    let value = Value::Tensor(x.clone());
    let info = |name: &str| ValueInfo {
        name: name.to_owned(),
        value_type: Some(value.value_type()),
    };
    let node = Node {
        operator: operator.to_owned(),
        inputs: vec!["x".to_owned()],
        outputs: vec!["y".to_owned()],
        attributes: attributes
            .iter()
            .map(|(name, text)| Attribute {
                name: (*name).to_owned(),
                value: AttributeValue::String(text.as_bytes().to_vec()),
            })
            .collect(),
        ..Node::default()
    };
    let mut graph = Graph {
        outputs: vec![info("y")],
        nodes: vec![node],
        ..Graph::default()
    };
    if constant {
        graph.initializers.push(("x".to_owned(), value))
    } else {
        graph.inputs.push(info("x"))
    }
    Model::new(24, graph)
}

#[track_caller]
fn check<T: Element + Real + PartialEq + std::fmt::Debug>(
    (operator, attributes, high, low): &Line,
    greatest: T,
    least: T,
) {
    for (x, expected) in [(greatest, *high), (least, *low)] {
        let expected = match expected {
            Itself => x,
            Number(f64::MAX) => greatest,
            Number(number) => T::from_f64(number),
        };
        for constant in [false, true] {
            let tensor = Tensor::new(&[COUNT], vec![x; COUNT]).expect("as many as the shape has");
            let request = LoadRequest {
                model: model(operator, attributes, &tensor, constant).encode().into(),
                folder: None,
                inputs: Vec::new(),
            };
            let mut session = Native::new(Settings::default()).load(request).expect("loads");
            let fed = [("x".to_owned(), Value::Tensor(tensor))];
            let results = session.run(if constant { &[] } else { &fed }).expect("runs");
            let y = results[0].1.as_tensor().expect("a tensor");
            let y = y.to_vec::<T>().expect("the type of the input");
            assert_eq!(
                y,
                vec![expected; COUNT],
                "{operator} {attributes:?} of {x:?}, constant: {constant}"
            );
        }
    }
}

#[test]
fn activations_of_the_greatest_numbers_are_their_limits() {
    for line in LINES {
        check(line, f64::MAX, f64::MIN);
        check(line, f32::MAX, f32::MIN);
        check(line, f16::MAX, f16::MIN);
    }
}
