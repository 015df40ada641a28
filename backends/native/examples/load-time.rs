//! Measures the load time of models with many nodes:
//! `cargo run -p backend-native --example load-time -- 5000 10000 20000`.
//!
//! It prints one line for each kind of graph: the seconds to load it and to run it once, for each number of
//! nodes. Twice the nodes should take twice the time.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use backend_api::{Backend, BackendError, LoadRequest};
use backend_native::{Native, Settings};
use onnx_model::{Attribute, AttributeValue, Graph, Model, Node, ValueInfo};
use onnx_tensor::{DType, Dim, Tensor, Value, ValueType};

type Build = fn(usize) -> Graph;

const KINDS: [(&str, Build); 12] = [
    ("chain of Relu", |count| {
        chain(count, |_, x, y| vec![node("Relu", &[x], y)])
    }),
    ("chain of Mul by one constant each", |count| {
        with_constants(count, "Mul", vec![1.0])
    }),
    ("chain of Add of one row each", |count| {
        with_constants(count, "Add", vec![0.5; 4])
    }),
    ("chain of Transpose", |count| {
        chain(count, |_, x, y| {
            let mut turn = node("Transpose", &[x], y);
            turn.attributes = vec![ints("perm", &[0, 1, 3, 2])];
            vec![turn]
        })
    }),
    ("QuantizeLinear and DequantizeLinear in turn", |count| {
        let mut graph = chain(count / 2, |at, x, y| {
            let bytes = format!("q{at}");
            vec![
                node("QuantizeLinear", &[x, "scale", "zero"], &bytes),
                node("DequantizeLinear", &[&bytes, "scale", "zero"], y),
            ]
        });
        constant(&mut graph, "scale", Tensor::scalar(0.5_f32));
        constant(&mut graph, "zero", Tensor::scalar(3_u8));
        graph
    }),
    ("Conv, BatchNormalization, Relu in turn", |count| {
        let mut graph = chain(count / 3, |at, x, y| {
            let (a, b) = (format!("a{at}"), format!("b{at}"));
            vec![
                node("Conv", &[x, "w"], &a),
                node("BatchNormalization", &[&a, "p", "p", "p", "p"], &b),
                node("Relu", &[&b], y),
            ]
        });
        constant(
            &mut graph,
            "w",
            Tensor::new(&[2, 2, 1, 1], vec![0.5_f32; 4]).expect("four weights"),
        );
        constant(&mut graph, "p", Tensor::vector(vec![1.0_f32, 2.0]));
        graph
    }),
    ("all into one Concat", |count| wide(count, "Concat")),
    ("all into one Sum", |count| wide(count, "Sum")),
    ("Concat of Concat", |count| {
        chain(count, |_, x, y| {
            let mut join = node("Concat", &[x, "none"], y);
            join.attributes = vec![Attribute {
                name: "axis".to_owned(),
                value: AttributeValue::Int(0),
            }];
            vec![join]
        })
    }),
    ("30 If inside one another, open condition", |count| {
        nested(count, 30, false)
    }),
    ("30 If inside one another, constant condition", |count| {
        nested(count, 30, true)
    }),
    ("initializers as inputs", |count| {
        let mut graph = with_constants(count, "Add", vec![0.5]);
        let known = |(name, value): &(String, Value)| ValueInfo {
            name: name.clone(),
            value_type: Some(value.value_type()),
        };
        let listed: Vec<ValueInfo> = graph.initializers.iter().map(known).collect();
        graph.inputs.extend(listed);
        graph
    }),
];

fn node(operator: &str, inputs: &[&str], output: &str) -> Node {
    Node {
        operator: operator.to_owned(),
        inputs: inputs.iter().map(|&name| name.to_owned()).collect(),
        outputs: vec![output.to_owned()],
        ..Node::default()
    }
}

fn ints(name: &str, values: &[i64]) -> Attribute {
    Attribute {
        name: name.to_owned(),
        value: AttributeValue::Ints(values.to_vec()),
    }
}

fn constant(graph: &mut Graph, name: &str, tensor: Tensor) {
    graph.initializers.push((name.to_owned(), Value::Tensor(tensor)));
}

fn info(name: &str, shape: &[usize]) -> ValueInfo {
    let shape = shape.iter().map(|&extent| Dim::Fixed(extent)).collect();
    ValueInfo {
        name: name.to_owned(),
        value_type: Some(ValueType::Tensor {
            dtype: DType::Float,
            shape: Some(shape),
        }),
    }
}

/// Links in sequence from `x0` to the output.
fn chain(count: usize, link: impl Fn(usize, &str, &str) -> Vec<Node>) -> Graph {
    let mut graph = Graph {
        inputs: vec![info("x0", &[1, 2, 3, 4])],
        ..Graph::default()
    };
    constant(
        &mut graph,
        "none",
        Tensor::new(&[0, 2, 3, 4], Vec::<f32>::new()).expect("no elements"),
    );
    for at in 0..count {
        graph
            .nodes
            .extend(link(at, &format!("x{at}"), &format!("x{}", at + 1)));
    }
    graph.outputs = vec![ValueInfo {
        name: format!("x{count}"),
        value_type: None,
    }];
    graph
}

fn with_constants(count: usize, operator: &str, values: Vec<f32>) -> Graph {
    let mut graph = chain(count, |at, x, y| vec![node(operator, &[x, &format!("c{at}")], y)]);
    for at in 0..count {
        constant(&mut graph, &format!("c{at}"), Tensor::vector(values.clone()));
    }
    graph
}

/// This number of parallel nodes, all of which one more node reads.
fn wide(count: usize, last: &str) -> Graph {
    let names: Vec<String> = (0..count).map(|at| format!("a{at}")).collect();
    let mut join = node(last, &names.iter().map(String::as_str).collect::<Vec<_>>(), "y");
    if last == "Concat" {
        join.attributes = vec![Attribute {
            name: "axis".to_owned(),
            value: AttributeValue::Int(1),
        }];
    }
    // Each has a different exponent, so that they are not merged.
    let nodes = names.iter().enumerate().map(|(at, name)| {
        let mut elu = node("Elu", &["x0"], name);
        elu.attributes = vec![Attribute {
            name: "alpha".to_owned(),
            value: AttributeValue::Float(at as f32),
        }];
        elu
    });
    Graph {
        inputs: vec![info("x0", &[1, 2, 3, 4])],
        nodes: nodes.chain([join]).collect(),
        outputs: vec![ValueInfo {
            name: "y".to_owned(),
            value_type: None,
        }],
        ..Graph::default()
    }
}

/// Nested conditions with this number of nodes in each body; the other branch of each is a single node.
fn nested(count: usize, depth: usize, constant_condition: bool) -> Graph {
    let mut graph: Option<Graph> = None;
    for at in 0..depth {
        let mut body = chain(count / depth, |_, x, y| vec![node("Relu", &[x], y)]);
        let last = body.outputs[0].name.clone();
        let result = format!("result{at}");
        // Names are unique in a body and in all bodies inside of it.
        let own = |name: &str| format!("{name}.{at}");
        for node in &mut body.nodes {
            node.inputs[0] = own(&node.inputs[0]);
            node.outputs[0] = own(&node.outputs[0]);
        }
        body.nodes.insert(0, node("Relu", &["x0"], &own("x0")));
        let branch = |name: &str, graph: Graph| Attribute {
            name: name.to_owned(),
            value: AttributeValue::Graph(Arc::new(graph)),
        };
        let chosen = match graph.take() {
            None => node("Relu", &[&own(&last)], &result),
            Some(inner) => Node {
                attributes: vec![
                    branch("then_branch", inner),
                    branch("else_branch", bare(vec![node("Neg", &["x0"], "e")], "e")),
                ],
                ..node("If", &["condition"], &result)
            },
        };
        body.nodes.push(chosen);
        graph = Some(bare(body.nodes, &result));
    }
    let mut graph = graph.unwrap_or_default();
    graph.inputs = vec![info("x0", &[1, 2, 3, 4])];
    constant(&mut graph, "zero", Tensor::scalar(0.0_f32));
    if constant_condition {
        constant(&mut graph, "condition", Tensor::scalar(true));
        return graph;
    }
    let mut most = node("ReduceMax", &["x0"], "most");
    most.attributes = vec![Attribute {
        name: "keepdims".to_owned(),
        value: AttributeValue::Int(0),
    }];
    let condition = node("Greater", &["most", "zero"], "condition");
    graph.nodes.splice(0..0, [most, condition]);
    graph
}

/// A body without inputs.
fn bare(nodes: Vec<Node>, output: &str) -> Graph {
    Graph {
        nodes,
        outputs: vec![ValueInfo {
            name: output.to_owned(),
            value_type: None,
        }],
        ..Graph::default()
    }
}

/// Returns the seconds to load and to run once.
fn measure(graph: Graph) -> Result<[f64; 2], BackendError> {
    let model = Model {
        ir_version: 10,
        ..Model::new(20, graph)
    };
    let request = LoadRequest {
        model: model.encode().into(),
        folder: None,
        inputs: Vec::new(),
    };
    let start = Instant::now();
    let mut session = Native::new(Settings::default()).load(request)?;
    let loaded = start.elapsed();
    let x = Tensor::new(&[1, 2, 3, 4], vec![0.5_f32; 24]).map_err(BackendError::run)?;
    session.run(&[("x0".to_owned(), Value::Tensor(x))])?;
    Ok([loaded, start.elapsed() - loaded].map(|time| time.as_secs_f64()))
}

#[allow(clippy::print_stdout)]
fn main() -> ExitCode {
    let counts: Vec<usize> = std::env::args()
        .skip(1)
        .filter_map(|text| text.parse().ok())
        .collect();
    let counts = if counts.is_empty() {
        vec![5_000, 20_000]
    } else {
        counts
    };
    let mut failed = false;
    for (name, build) in KINDS {
        let times = counts.iter().map(|&count| match measure(build(count)) {
            Ok([load, run]) => format!("{count}: {load:.3} s + {run:.3} s"),
            Err(error) => {
                failed = true;
                format!("{count}: {error}")
            }
        });
        println!("{name:45} {}", times.collect::<Vec<_>>().join("   "));
    }
    ExitCode::from(u8::from(failed))
}
