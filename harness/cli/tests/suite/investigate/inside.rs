//! Faults in functions, branches and loops, and faults without an answer.

use std::sync::Arc;

use harness_investigate::given::Given;
use harness_investigate::locate::{Finding, Location, Options, Team, locate};
use onnx_model::{Attribute, AttributeValue, Function, Graph, Model, Node, ValueInfo};
use onnx_tensor::{DType, Tensor, ValueType};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use run_record::VerdictKind;
use run_record::standing::Standing;

use super::faulty;
use super::networks::{info, model, network, normal};

pub fn node(name: &str, operator: &str, inputs: &[&str], output: &str) -> Node {
    Node {
        name: name.to_owned(),
        operator: operator.to_owned(),
        inputs: inputs.iter().map(|name| (*name).to_owned()).collect(),
        outputs: vec![output.to_owned()],
        ..Node::default()
    }
}

pub fn body(name: &str, graph: Graph) -> Attribute {
    Attribute {
        name: name.to_owned(),
        value: AttributeValue::Graph(Arc::new(graph)),
    }
}

/// The result of `locate` for a model with the input x on a backend with a fault.
fn located(model: &Model, fault: &str) -> Location {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let inputs = [("x".to_owned(), normal(&[4, 16], 1.0, &mut rng))];
    let (mut reference, mut backend) = (faulty("none"), faulty(fault));
    let mut others = [faulty("none")];
    let mut team = Team {
        reference: &mut reference,
        backend: &mut backend,
        others: &mut others,
    };
    locate(
        &Given::model(model, inputs.to_vec()),
        Options::default(),
        &mut team,
    )
    .expect("a location")
}

#[track_caller]
fn check(model: &Model, fault: &str, path: &[&str], operator: &str) {
    match located(model, fault).finding {
        Finding::Node(found) => {
            assert_eq!(
                (found.path.as_slice(), found.operator.as_str()),
                (
                    path.iter()
                        .map(|part| (*part).to_owned())
                        .collect::<Vec<_>>()
                        .as_slice(),
                    operator
                )
            );
            let [(_, Ok(blame))] = found.others.as_slice() else {
                panic!("{:?}", found.others)
            };
            assert!(!blame.is_wrong(), "{blame:?}");
        }
        other => panic!("{other:?}"),
    }
}

/// A model of `before`, Relu and `wrapped`, which computes y from r.
fn around(wrapped: Node) -> Model {
    model(Graph {
        inputs: vec![info("x")],
        outputs: vec![info("y")],
        nodes: vec![node("first", "Relu", &["x"], "r"), wrapped],
        ..Graph::default()
    })
}

#[test]
fn a_fault_in_a_branch_is_located_inside() {
    let branch = |name: &str, operator: &str| Graph {
        outputs: vec![ValueInfo {
            name: format!("{name}_o"),
            value_type: Some(ValueType::tensor(DType::Float)),
        }],
        nodes: vec![
            node(&format!("{name}_1"), "Abs", &["r"], &format!("{name}_i")),
            node(
                &format!("{name}_2"),
                operator,
                &[&format!("{name}_i"), "c"],
                &format!("{name}_o"),
            ),
        ],
        ..Graph::default()
    };
    let mut wrapped = node("if", "If", &["true"], "y");
    wrapped.attributes = vec![
        body("then_branch", branch("t", "Sub")),
        body("else_branch", branch("e", "Add")),
    ];
    let mut model = around(wrapped);
    let graph = Arc::make_mut(&mut model.graph);
    graph
        .initializers
        .push(("true".to_owned(), Tensor::scalar(true).into()));
    graph
        .initializers
        .push(("c".to_owned(), Tensor::scalar(2.5_f32).into()));
    check(&model, "t_2:swap", &["if", "then_branch", "t_2"], "Sub-13");
}

#[test]
fn a_fault_in_a_loop_is_located_in_its_iteration() {
    let typed = |name: &str, dtype| ValueInfo {
        name: name.to_owned(),
        value_type: Some(ValueType::tensor(dtype)),
    };
    let mut wrapped = node("loop", "Loop", &["count", "", "r"], "y");
    let mut elu = node("elu", "Elu", &["shifted"], "next");
    elu.attributes.push(Attribute {
        name: "alpha".to_owned(),
        value: AttributeValue::Float(0.5),
    });
    wrapped.attributes.push(body(
        "body",
        Graph {
            inputs: vec![
                typed("i", DType::Int64),
                typed("go", DType::Bool),
                typed("carried", DType::Float),
            ],
            outputs: vec![typed("on", DType::Bool), typed("next", DType::Float)],
            nodes: vec![
                node("keep", "Identity", &["go"], "on"),
                // The Elu has negative inputs only from the second iteration on.
                node("number", "Cast", &["i"], "number"),
                node("shift", "Sub", &["carried", "number"], "shifted"),
                elu,
            ],
            ..Graph::default()
        },
    ));
    let mut model = around(wrapped);
    let graph = Arc::make_mut(&mut model.graph);
    graph
        .initializers
        .push(("count".to_owned(), Tensor::scalar(3_i64).into()));
    if let AttributeValue::Graph(body) = &mut graph.nodes[1].attributes[0].value {
        Arc::make_mut(body).nodes[1].attributes.push(Attribute {
            name: "to".to_owned(),
            value: AttributeValue::Int(1),
        });
    }
    check(&model, "elu:attribute", &["loop", "iteration 1", "elu"], "Elu-6");
}

#[test]
fn a_fault_in_a_function_is_located_inside() {
    let mut call = node("call", "Shifted", &["r"], "y");
    call.domain = "local".to_owned();
    call.attributes.push(Attribute {
        name: "slope".to_owned(),
        value: AttributeValue::Float(0.3),
    });
    let mut model = around(call);
    model.opset_imports.insert("local".to_owned(), 1);
    let mut leaky = node("leaky", "LeakyRelu", &["m"], "leaked");
    leaky.attributes.push(Attribute {
        name: "alpha".to_owned(),
        value: AttributeValue::Float(0.1),
    });
    let mut elu = node("elu", "Elu", &["leaked"], "out");
    elu.attributes.push(Attribute {
        name: "alpha".to_owned(),
        value: AttributeValue::Reference("slope".to_owned(), None),
    });
    model.functions.push(Arc::new(Function {
        domain: "local".to_owned(),
        name: "Shifted".to_owned(),
        inputs: vec!["in".to_owned()],
        outputs: vec!["out".to_owned()],
        attributes: vec!["slope".to_owned()],
        opset_imports: [(String::new(), 13)].into(),
        nodes: vec![node("neg", "Neg", &["in"], "m"), leaky, elu],
        ..Function::default()
    }));
    check(
        &model,
        "leaky:attribute",
        &["call", "function", "leaky"],
        "LeakyRelu-6",
    );
}

#[test]
fn a_backend_without_an_answer_fails_at_a_node() {
    let (network, _) = network(5, 60);
    for (kind, verdict) in [
        ("error", VerdictKind::Error),
        ("unsupported", VerdictKind::Unsupported),
        ("abort", VerdictKind::Crash),
    ] {
        match located(&network.model, &format!("n30:{kind}")).finding {
            Finding::Fails(found) => {
                assert_eq!((found.node.as_str(), found.alone), ("n30", Some(true)), "{kind}");
                assert_eq!(found.judgement.verdict.kind(), verdict);
            }
            other => panic!("{kind}: {other:?}"),
        }
    }
}

#[test]
fn nodes_that_are_wrong_only_together_are_located_together() {
    let (network, _) = network(5, 60);
    let nodes = &network.model.graph.nodes;
    // A node whose constant is wrong only in models that contain its input node.
    let fused = nodes.iter().skip(20).find_map(|node| {
        let constant = node.inputs.get(1)?.ends_with("_c");
        constant.then_some((node.name.clone(), node.inputs.first()?.replace('v', "n")))
    });
    let (last, first) = fused.expect("a node with a constant");
    match located(&network.model, &format!("{last}&{first}:constant")).finding {
        Finding::Together { run: Some(run), .. } => {
            let names: Vec<&str> = run.nodes.iter().map(|(name, _)| name.as_str()).collect();
            assert_eq!(
                (names.first(), names.last()),
                (Some(&first.as_str()), Some(&last.as_str())),
                "{names:?}"
            );
            assert!(
                matches!(run.others.as_slice(), [(_, Ok(local))] if !local.is_wrong()),
                "{:?}",
                run.others
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_right_backend_has_nothing_to_locate() {
    let (network, _) = network(5, 60);
    let location = located(&network.model, "none");
    assert!(
        matches!(
            location.finding,
            Finding::Right {
                standing: Standing::Exact,
                ..
            }
        ),
        "{location:?}"
    );
    assert_eq!(location.outputs, Some(0.0));
}
