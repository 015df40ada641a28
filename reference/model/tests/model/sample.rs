//! A small model that uses every type of this crate.

use std::collections::BTreeMap;
use std::sync::Arc;

use onnx_model::{Attribute, AttributeKind, AttributeValue, Function, Graph, Model, Node, ValueInfo};
use onnx_tensor::{DType, Dim, SparseTensor, Tensor, Value, ValueType};

pub fn attribute(name: &str, value: AttributeValue) -> Attribute {
    Attribute {
        name: name.to_owned(),
        value,
    }
}

pub fn node(operator: &str, inputs: &[&str], output: &str, attributes: Vec<Attribute>) -> Node {
    Node {
        operator: operator.to_owned(),
        inputs: inputs.iter().map(|&input| input.to_owned()).collect(),
        outputs: vec![output.to_owned()],
        attributes,
        ..Node::default()
    }
}

pub fn model(graph: Graph) -> Model {
    Model {
        ir_version: 10,
        opset_imports: BTreeMap::from([(String::new(), 21), ("local".to_owned(), 1)]),
        graph: Arc::new(graph),
        functions: Vec::new(),
        producer_name: "sample".to_owned(),
        producer_version: "1".to_owned(),
        oddities: Vec::new(),
    }
}

fn info(name: &str, value_type: Option<ValueType>) -> ValueInfo {
    ValueInfo {
        name: name.to_owned(),
        value_type,
    }
}

fn sparse() -> SparseTensor {
    SparseTensor {
        values: Tensor::vector(vec![1_u8]),
        indices: Tensor::vector(vec![3_i64]),
        shape: vec![2, 2],
    }
}

/// One attribute of each type.
fn attributes() -> Vec<Attribute> {
    let body = Arc::new(Graph {
        nodes: vec![node("Identity", &["x"], "", vec![])],
        ..Graph::default()
    });
    let string = |text: &str| Tensor::scalar(text.to_owned());
    vec![
        attribute("float", AttributeValue::Float(0.0)),
        attribute("int", AttributeValue::Int(-1)),
        attribute("string", AttributeValue::String(vec![0xFF])),
        attribute("tensor", AttributeValue::Tensor(string("a"))),
        attribute("graph", AttributeValue::Graph(Arc::clone(&body))),
        attribute("sparse", AttributeValue::Sparse(sparse())),
        attribute("type", AttributeValue::Type(ValueType::tensor(DType::Int2))),
        attribute("floats", AttributeValue::Floats(vec![1.5, f32::INFINITY])),
        attribute("ints", AttributeValue::Ints(vec![i64::MIN, 0])),
        attribute("strings", AttributeValue::Strings(vec![vec![], b"b".to_vec()])),
        attribute(
            "tensors",
            AttributeValue::Tensors(vec![string("c"), Tensor::scalar(true)]),
        ),
        attribute("graphs", AttributeValue::Graphs(vec![body])),
        attribute("sparses", AttributeValue::Sparses(vec![sparse()])),
        attribute(
            "types",
            AttributeValue::Types(vec![ValueType::Sequence(Box::new(ValueType::tensor(
                DType::Bool,
            )))]),
        ),
        attribute("empty", AttributeValue::Ints(vec![])),
    ]
}

fn function() -> Function {
    let alpha = attribute(
        "alpha",
        AttributeValue::Reference("scale".to_owned(), Some(AttributeKind::Float)),
    );
    Function {
        domain: "local".to_owned(),
        name: "Leaky".to_owned(),
        overload: "f32".to_owned(),
        inputs: vec!["x".to_owned()],
        outputs: vec!["y".to_owned()],
        attributes: vec!["other".to_owned()],
        attribute_defaults: vec![attribute("scale", AttributeValue::Float(0.1))],
        opset_imports: BTreeMap::from([(String::new(), 20)]),
        nodes: vec![node("LeakyRelu", &["x"], "y", vec![alpha])],
    }
}

/// A model that uses every type of this crate.
pub fn everything() -> Model {
    let shape = vec![Dim::Fixed(2), Dim::Named("n".to_owned()), Dim::Unknown];
    let float = ValueType::Tensor {
        dtype: DType::Float,
        shape: Some(shape.clone()),
    };
    let map = ValueType::Map {
        key: DType::String,
        value: Box::new(float.clone()),
    };
    let call = Node {
        domain: "local".to_owned(),
        overload: "f32".to_owned(),
        ..node("Leaky", &["x"], "z", vec![])
    };
    let graph = Graph {
        name: "main".to_owned(),
        inputs: vec![
            info("x", Some(float.clone())),
            info("w", Some(ValueType::tensor(DType::Int4))),
        ],
        outputs: vec![
            info("y", Some(ValueType::Optional(Box::new(map)))),
            info("z", None),
        ],
        initializers: vec![
            (
                "w".to_owned(),
                Value::Tensor(Tensor::vector([1, -2, 3].map(onnx_tensor::I4::wrap).to_vec())),
            ),
            ("s".to_owned(), Value::Sparse(sparse())),
        ],
        nodes: vec![
            Node {
                name: "all".to_owned(),
                ..node("Custom", &["x", "", "w"], "y", attributes())
            },
            call,
        ],
        value_info: vec![info(
            "s",
            Some(ValueType::Sparse {
                dtype: DType::Uint8,
                shape: Some(vec![]),
            }),
        )],
    };
    Model {
        functions: vec![Arc::new(function())],
        ..model(graph)
    }
}
