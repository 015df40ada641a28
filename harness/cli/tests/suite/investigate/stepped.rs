//! A backend that is off by a step of a quantization, as an honest one may be, and wrong in two nodes.

use std::time::Duration;

use harness_investigate::given::Given;
use harness_investigate::locate::{Finding, Options, Team, locate};
use harness_investigate::runner::Runner;
use harness_worker::{Cancel, WorkerSpec};
use onnx_model::Graph;
use onnx_tensor::{Tensor, Value};

use super::inside::node;
use super::networks::{info, model};

/// Quotients next to a tie of the quantization, then two nodes that are wrong only together.
#[test]
fn a_fault_behind_honest_steps_is_located() {
    let scalar = |name: &str, value: f32| (name.to_owned(), Value::from(Tensor::scalar(value)));
    let graph = Graph {
        inputs: vec![info("x")],
        outputs: vec![info("y")],
        initializers: vec![
            scalar("part", 0.3),
            scalar("scale", 0.1),
            ("zero".to_owned(), Tensor::scalar(0_i8).into()),
            scalar("factor", 2.0),
        ],
        nodes: vec![
            node("m", "Mul", &["x", "part"], "a"),
            node("q", "QuantizeLinear", &["a", "scale", "zero"], "b"),
            node("d", "DequantizeLinear", &["b", "scale", "zero"], "c"),
            node("s", "Sigmoid", &["c"], "e"),
            node("t", "Mul", &["e", "factor"], "y"),
        ],
        ..Graph::default()
    };
    let x: Vec<f32> = (-32..32).map(|step| (step as f32 + 0.5) / 3.0).collect();
    let inputs = vec![(
        "x".to_owned(),
        Tensor::new(&[4, 16], x).expect("64 elements").into(),
    )];
    let worker = |options: &[(&str, &str)]| {
        let mut spec = WorkerSpec::new("faulty", env!("CARGO_BIN_EXE_faulty-worker"));
        let options = options
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        spec.options.extend(options);
        Runner::start(spec, Cancel::default(), Duration::from_secs(20)).expect("a worker")
    };
    let mut reference = worker(&[("fault", "none")]);
    let mut backend = worker(&[("fault", "t&s:constant"), ("noise", "77")]);
    let mut team = Team {
        reference: &mut reference,
        backend: &mut backend,
        others: &mut [],
    };
    let model = model(graph);
    let found = locate(&Given::model(&model, inputs), Options::default(), &mut team).expect("a location");
    let Finding::Together {
        near, run: Some(run), ..
    } = found.finding
    else {
        panic!("{found:?}");
    };
    let names: Vec<&str> = run.nodes.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!((near.as_deref(), names), (Some("q"), vec!["s", "t"]));
}
