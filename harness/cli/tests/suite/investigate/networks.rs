//! Generated networks of chains and branches, with a fault planted in one node.

use std::collections::HashSet;

use backend_api::Named;
use onnx_model::{Attribute, AttributeValue, Graph, Model, Node, ValueInfo};
use onnx_tensor::{DType, Dim, Tensor, Value, ValueType};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

const ROWS: usize = 4;
const COLUMNS: usize = 16;

/// A model with values of its inputs.
pub struct Network {
    pub model: Model,
    pub inputs: Vec<Named>,
}

/// A kind of node: its operator, whether it has a constant, its attributes, and the faults that change
/// its outputs.
struct Kind {
    operator: &'static str,
    values: usize,
    constant: Option<&'static [usize]>,
    attributes: &'static [(&'static str, f32)],
    faults: &'static [&'static str],
}

const fn kind(operator: &'static str, values: usize) -> Kind {
    Kind {
        operator,
        values,
        constant: None,
        attributes: &[],
        faults: &[],
    }
}

const ROW: &[usize] = &[COLUMNS];
const SQUARE: &[usize] = &[COLUMNS, COLUMNS];

const KINDS: [Kind; 14] = [
    kind("Relu", 1),
    kind("Sigmoid", 1),
    kind("Softplus", 1),
    kind("Abs", 1),
    kind("Add", 2),
    kind("Max", 2),
    Kind {
        attributes: &[("alpha", 0.2)],
        faults: &["attribute"],
        ..kind("LeakyRelu", 1)
    },
    Kind {
        attributes: &[("alpha", 0.7)],
        faults: &["attribute"],
        ..kind("Elu", 1)
    },
    Kind {
        faults: &["swap"],
        ..kind("Sub", 2)
    },
    Kind {
        constant: Some(ROW),
        faults: &["constant"],
        ..kind("Add", 1)
    },
    Kind {
        constant: Some(ROW),
        faults: &["constant"],
        ..kind("Mul", 1)
    },
    Kind {
        constant: Some(ROW),
        faults: &["constant", "swap"],
        ..kind("Sub", 1)
    },
    Kind {
        constant: Some(SQUARE),
        faults: &["constant"],
        ..kind("MatMul", 1)
    },
    Kind {
        constant: Some(SQUARE),
        attributes: &[("alpha", 0.9)],
        faults: &["constant", "attribute"],
        ..kind("Gemm", 1)
    },
];

/// A network of at least `size` nodes, and the fault (`NODE:KIND`) of one of them.
pub fn network(seed: u64, size: usize) -> (Network, String) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut graph = Graph {
        inputs: vec![info("x")],
        ..Graph::default()
    };
    let (mut values, mut unread, mut faults) = (vec!["x".to_owned()], HashSet::new(), Vec::new());
    for number in 0..size {
        // An occasional squashing function keeps values in range.
        let tanh = kind("Tanh", 1);
        let kind = match number % 5 {
            4 => &tanh,
            _ => &KINDS[rng.random_range(0..KINDS.len())],
        };
        let name = format!("n{number}");
        let mut inputs: Vec<String> = (0..kind.values)
            .map(|position| {
                // The first input continues a chain, mostly the newest; others come from a branch.
                let back = if position == 0 && rng.random_bool(0.8) {
                    1
                } else {
                    rng.random_range(1..=8)
                };
                values[values.len().saturating_sub(back)].clone()
            })
            .collect();
        unread.retain(|name| !inputs.contains(name));
        if let Some(shape) = kind.constant {
            let constant = format!("{name}_c");
            let scale = 1.0 / (shape.len() as f32 * 4.0).sqrt();
            graph
                .initializers
                .push((constant.clone(), normal(shape, scale, &mut rng)));
            inputs.push(constant);
        }
        let attribute = |(name, value): &(&str, f32)| Attribute {
            name: (*name).to_owned(),
            value: AttributeValue::Float(*value),
        };
        graph.nodes.push(Node {
            name: name.clone(),
            operator: kind.operator.to_owned(),
            inputs,
            outputs: vec![format!("v{number}")],
            attributes: kind.attributes.iter().map(attribute).collect(),
            ..Node::default()
        });
        faults.extend(kind.faults.iter().map(|fault| format!("{name}:{fault}")));
        values.push(format!("v{number}"));
        unread.insert(format!("v{number}"));
    }
    let mut ends: Vec<String> = unread.into_iter().collect();
    ends.sort();
    graph.nodes.push(Node {
        name: "end".to_owned(),
        operator: "Sum".to_owned(),
        inputs: ends,
        outputs: vec!["y".to_owned()],
        ..Node::default()
    });
    graph.outputs = vec![info("y")];
    let fault = faults.swap_remove(rng.random_range(0..faults.len()));
    let inputs = vec![("x".to_owned(), normal(&[ROWS, COLUMNS], 1.0, &mut rng))];
    let network = Network {
        model: model(graph),
        inputs,
    };
    (network, fault)
}

pub fn model(graph: Graph) -> Model {
    Model::new(13, graph)
}

pub fn info(name: &str) -> ValueInfo {
    ValueInfo {
        name: name.to_owned(),
        value_type: Some(ValueType::Tensor {
            dtype: DType::Float,
            shape: Some(vec![Dim::Fixed(ROWS), Dim::Fixed(COLUMNS)]),
        }),
    }
}

pub fn normal(shape: &[usize], scale: f32, rng: &mut ChaCha8Rng) -> Value {
    let count = shape.iter().product::<usize>();
    let elements = (0..count)
        .map(|_| scale * rng.sample::<f32, _>(StandardNormal))
        .collect();
    Tensor::new(shape, elements).expect("a tensor").into()
}
