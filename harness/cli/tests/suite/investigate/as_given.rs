//! Failures of generated networks on thirteen kinds of backends: what `locate` and `reduce` say is the
//! failure of the file as it was given.
//!
//! Two failures of each kind by default;
//! `PLANTED_FAILURES=260 cargo test -p harness-cli --test suite investigate::as_given -- --nocapture`
//! plants 260.

use std::num::NonZeroUsize;
use std::sync::Arc;

use harness_investigate::InvestigateError;
use harness_investigate::given::Given;
use harness_investigate::locate::{self, Finding, Team, locate};
use harness_investigate::property::Property;
use harness_investigate::reduce::{Options, Reduced, reduce};
use harness_investigate::runner::{Answer, Outputs, RunRequest, Runner};
use onnx_model::{Graph, Model, Node, ValueInfo};
use onnx_tensor::{DType, Dim, ValueType};
use run_record::Verdict;

use super::networks::{Network, info, network};
use super::{faulty, refusing};

/// A kind of backend with a kind of failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// A node gives other values.
    Mismatch,
    /// A node gives NaN.
    NotANumber,
    /// Two nodes give other values if both are in a model.
    Fused,
    /// The process dies when it loads an operator.
    Crash,
    /// A node that does not compile, an operator without a kernel, a node that fails in a run.
    LoadError,
    Unsupported,
    RunError,
    /// A node gives other values; every output needs a shape, or every inner value does.
    OutputShapes,
    InnerShapes,
    /// A stale `value_info`, a symbolic extent, an import, a dead node ends the load.
    Stale,
    Symbol,
    Import,
    DeadNode,
}

const KINDS: [Kind; 13] = [
    Kind::Mismatch,
    Kind::NotANumber,
    Kind::Fused,
    Kind::Crash,
    Kind::LoadError,
    Kind::Unsupported,
    Kind::RunError,
    Kind::OutputShapes,
    Kind::InnerShapes,
    Kind::Stale,
    Kind::Symbol,
    Kind::Import,
    Kind::DeadNode,
];

/// A model that fails on a backend.
struct Failure {
    kind: Kind,
    network: Network,
    fault: String,
    refuses: Option<&'static str>,
    /// The node that the failure names; empty if it names none.
    node: String,
}

impl Failure {
    fn plant(kind: Kind, seed: u64) -> Failure {
        let (mut network, planted) = network(seed, 20 + (seed as usize * 37) % 60);
        let node = planted.split(':').next().unwrap_or_default().to_owned();
        let graph = Arc::make_mut(&mut network.model.graph);
        let (fault, refuses) = match kind {
            Kind::Mismatch => (planted, None),
            Kind::NotANumber => (format!("{node}:nan"), None),
            Kind::Fused => (fused(graph, &planted), None),
            Kind::Crash => (format!("{node}:abort"), None),
            Kind::LoadError => (format!("{node}:error"), None),
            Kind::Unsupported => (format!("{node}:unsupported"), None),
            Kind::RunError => (format!("{node}:run-error"), None),
            Kind::OutputShapes => (planted, Some("no-output-shape")),
            Kind::InnerShapes => (planted, Some("no-inner-shape")),
            Kind::Stale => ("none".to_owned(), Some("stale")),
            Kind::Symbol => ("none".to_owned(), Some("symbol")),
            Kind::Import => ("none".to_owned(), Some("import")),
            Kind::DeadNode => ("none".to_owned(), Some("dead-node")),
        };
        match kind {
            Kind::InnerShapes => graph.value_info = inner(graph, ""),
            Kind::Stale => graph.value_info = inner(graph, &node),
            Kind::Symbol => graph.inputs = vec![typed("x", vec![Dim::Named("N".to_owned()), Dim::Fixed(16)])],
            Kind::DeadNode => graph.nodes.push(Node {
                name: "dead".to_owned(),
                operator: "Relu".to_owned(),
                inputs: vec!["x".to_owned()],
                outputs: vec!["unread".to_owned()],
                ..Node::default()
            }),
            _ => {}
        }
        if kind == Kind::Import {
            network.model.opset_imports.insert("unused".to_owned(), 1);
        }
        let names_a_node = !matches!(kind, Kind::Symbol | Kind::Import | Kind::DeadNode);
        Failure {
            kind,
            network,
            fault,
            refuses,
            node: if names_a_node { node } else { String::new() },
        }
    }

    fn backend(&self) -> Runner {
        refusing(&self.fault, self.refuses)
    }

    fn given(&self) -> Given<'_> {
        Given::model(&self.network.model, self.network.inputs.clone())
    }

    /// How the backend fails on the file; `None` if its answer is right.
    fn of_file(&self) -> Option<Seen> {
        seen(&self.given().request, &mut self.backend())
    }
}

/// The planted fault, only together with the first node that reads the changed one.
fn fused(graph: &Graph, planted: &str) -> String {
    let (node, kind) = planted.split_once(':').expect("a fault");
    let changed = graph
        .nodes
        .iter()
        .find(|known| known.name == node)
        .expect("the node");
    let reader = graph
        .nodes
        .iter()
        .find(|other| other.inputs.contains(&changed.outputs[0]));
    format!("{node}&{}:{kind}", reader.expect("a reader").name)
}

fn typed(name: &str, shape: Vec<Dim>) -> ValueInfo {
    ValueInfo {
        name: name.to_owned(),
        value_type: Some(ValueType::Tensor {
            dtype: DType::Float,
            shape: Some(shape),
        }),
    }
}

/// The types of all inner values, a wrong one for the output of a node.
fn inner(graph: &Graph, stale: &str) -> Vec<ValueInfo> {
    let outputs = graph.nodes.iter().filter(|node| node.outputs != ["y"]);
    let declared = outputs.map(|node| {
        if node.name == stale {
            typed(&node.outputs[0], vec![Dim::Fixed(4), Dim::Fixed(17)])
        } else {
            info(&node.outputs[0])
        }
    });
    declared.collect()
}

/// A failure as a person sees it: the verdict, and the reason without names and numbers.
#[derive(PartialEq, Debug)]
struct Seen {
    verdict: Verdict,
    words: Vec<String>,
}

/// How a backend fails on a request, by its answer and that of a right backend. Not by the code under test.
fn seen(request: &RunRequest, backend: &mut Runner) -> Option<Seen> {
    let expected: Answer<Outputs> = faulty("none").run(request).expect("a worker");
    let expected = expected.expect("the reference answers");
    let verdict = match backend.run(request).expect("a worker") {
        Err(judgement) => {
            let plain = |word: &&str| word.chars().all(|c| c.is_ascii_alphabetic());
            let words = judgement
                .reason
                .split_whitespace()
                .filter(plain)
                .map(str::to_owned);
            return Some(Seen {
                verdict: judgement.verdict,
                words: words.collect(),
            });
        }
        Ok(outputs) => harness_compare::compare(
            &expected.values,
            &outputs.values,
            harness_compare::Tolerance {
                relative: 1e-6,
                absolute: 0.0,
            },
        )
        .mismatch
        .map(|mismatch| Verdict::Mismatch(mismatch.kind))?,
    };
    Some(Seen {
        verdict,
        words: Vec::new(),
    })
}

fn check_located(failure: &Failure) -> Result<(), String> {
    let (mut reference, mut backend) = (faulty("none"), failure.backend());
    let mut team = Team {
        reference: &mut reference,
        backend: &mut backend,
        others: &mut [],
    };
    let found = locate(&failure.given(), locate::Options::default(), &mut team).expect("a location");
    let named = match (failure.kind, &found.finding) {
        (Kind::DeadNode, Finding::WholeFile(whole)) => whole.properties == [Property::DeadNodes],
        (Kind::Symbol | Kind::Import, Finding::Fails(fault)) => fault.index == 0,
        (Kind::Fused, Finding::Together { run: Some(run), .. }) => {
            run.nodes.iter().any(|(name, _)| *name == failure.node)
        }
        (
            Kind::Mismatch | Kind::NotANumber | Kind::OutputShapes | Kind::InnerShapes,
            Finding::Node(fault),
        ) => fault.path == [failure.node.as_str()],
        (_, Finding::Fails(fault)) => fault.node == failure.node,
        _ => false,
    };
    if named {
        Ok(())
    } else {
        Err(format!("{:?}, notes {:?}", found.finding, found.notes))
    }
}

fn check_reduced(failure: &Failure, of_file: &Seen) -> Result<usize, String> {
    let (mut reference, mut backend) = (faulty("none"), failure.backend());
    let options = Options {
        trials: 2000,
        jobs: NonZeroUsize::MIN,
    };
    let reduced: Reduced = match reduce(&failure.given(), &mut reference, &mut backend, options) {
        Ok(reduced) => reduced,
        Err(InvestigateError::WholeFile { properties, .. }) if failure.kind == Kind::DeadNode => {
            return if properties == [Property::DeadNodes] {
                Ok(failure.network.model.graph.nodes.len())
            } else {
                Err(format!("{properties:?}"))
            };
        }
        Err(error) => return Err(error.to_string()),
    };
    let request = RunRequest::of(&reduced.part.model, reduced.part.inputs.clone());
    let left = &reduced.part.model.graph.nodes;
    match seen(&request, &mut failure.backend()) {
        Some(seen) if seen == *of_file => {}
        seen => return Err(format!("reduced: {seen:?}, file: {of_file:?}")),
    }
    let stays = failure.node.is_empty() || left.iter().any(|node| node.name == failure.node);
    if stays {
        Ok(left.len())
    } else {
        Err(format!(
            "`{}` is not in the reduced model: {left:?}",
            failure.node
        ))
    }
}

#[test]
fn the_failure_that_is_reported_is_that_of_the_file() {
    let asked = std::env::var("PLANTED_FAILURES").ok();
    let count = asked
        .and_then(|text| text.parse().ok())
        .unwrap_or(2 * KINDS.len());
    let (mut seed, mut wrong, mut left) = (0, Vec::new(), Vec::new());
    for number in 0..count {
        let kind = KINDS[number % KINDS.len()];
        let (failure, of_file) = loop {
            seed += 1;
            let failure = Failure::plant(kind, seed);
            // A fault that changes no output does not count.
            if let Some(of_file) = failure.of_file() {
                break (failure, of_file);
            }
        };
        let place = format!("seed {seed}, {kind:?}, {}", failure.fault);
        wrong.extend(
            check_located(&failure)
                .err()
                .map(|why| format!("{place}: locate: {why}")),
        );
        match check_reduced(&failure, &of_file) {
            Ok(nodes) if kind != Kind::DeadNode => left.push(nodes),
            Ok(_) => {}
            Err(why) => wrong.push(format!("{place}: reduce: {why}")),
        }
    }
    left.sort_unstable();
    println!(
        "{count} failures: {} wrong; remaining nodes: median {}, most {}",
        wrong.len(),
        left[left.len() / 2],
        left[left.len() - 1]
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A model keeps what the file declares only as long as the failure needs it.
#[test]
fn a_reduced_model_declares_what_the_failure_needs() {
    let declared = |kind: Kind| -> Model {
        let failure = (1..)
            .map(|seed| Failure::plant(kind, seed))
            .find(|failure| failure.of_file().is_some())
            .expect("a failure");
        let (mut reference, mut backend) = (faulty("none"), failure.backend());
        let options = Options {
            trials: 2000,
            jobs: NonZeroUsize::MIN,
        };
        let reduced = reduce(&failure.given(), &mut reference, &mut backend, options);
        reduced.expect("a reduction").part.model
    };
    let shape = |info: &ValueInfo| matches!(&info.value_type, Some(ValueType::Tensor { shape: Some(_), .. }));
    assert!(declared(Kind::OutputShapes).graph.outputs.iter().all(shape));
    assert!(declared(Kind::Import).opset_imports.contains_key("unused"));
    assert!(declared(Kind::Mismatch).graph.value_info.is_empty());
    let stale = declared(Kind::Stale);
    assert!(stale.graph.value_info.len() <= 1, "{:?}", stale.graph.value_info);
}
