//! Planted fall-backs: models of which the provider ggml takes no node or only some, and a provider that
//! fails at its creation. None of them may give an answer, because the CPU provider would have computed it.
//!
//! `PLANTED_FALL_BACKS=1000 cargo test -p backend-ort --test adapter planted -- --nocapture` tries 1,000.

use std::collections::BTreeMap;
use std::sync::Arc;

use backend_api::BackendError;
use onnx_model::{Graph, Model, Node};

use crate::plugins::{declined, provider, start, started, whole};

/// Operators of one input that ggml takes.
const TAKEN: [&str; 8] = ["Abs", "Neg", "Exp", "Sqrt", "Relu", "Sigmoid", "Floor", "Ceil"];

/// Operators of one input that it leaves to the CPU provider.
const LEFT: [&str; 8] = [
    "Hardmax",
    "Selu",
    "Softsign",
    "Softplus",
    "Celu",
    "Cosh",
    "Asinh",
    "LogSoftmax",
];

/// The longest chain of nodes.
const LONGEST: u32 = 6;

/// The number of models without the variable.
const USUAL: u32 = 48;

/// A chain of nodes, and how many of them ggml takes.
struct Chain {
    model: Model,
    taken: usize,
}

/// The chain of this number. Bit k of its pattern says whether ggml takes node k; the pattern never has all.
fn chain(number: u32) -> Chain {
    let length = 1 + number % LONGEST;
    let pattern = (number / LONGEST) % ((1 << length) - 1);
    let operators: Vec<&str> = (0..length)
        .map(|at| {
            let choice = ((number + at) % 8) as usize;
            match pattern >> at & 1 {
                1 => TAKEN[choice],
                _ => LEFT[choice],
            }
        })
        .collect();
    let name = |at: usize| match at {
        0 => "x0".to_owned(),
        at if at == operators.len() => "y".to_owned(),
        at => format!("t{at}"),
    };
    let nodes = operators.iter().enumerate().map(|(at, operator)| Node {
        operator: (*operator).to_owned(),
        inputs: vec![name(at)],
        outputs: vec![name(at + 1)],
        ..Node::default()
    });
    let base = whole();
    let graph = Graph {
        nodes: nodes.collect(),
        ..(*base.graph).clone()
    };
    Chain {
        model: Model {
            graph: Arc::new(graph),
            ..base
        },
        taken: operators
            .iter()
            .filter(|operator| TAKEN.contains(operator))
            .count(),
    }
}

#[test]
fn no_model_with_a_node_elsewhere_is_loaded() {
    let Some(library) = provider() else { return };
    let library = library.display().to_string();
    let asked = std::env::var("PLANTED_FALL_BACKS").ok();
    let count = asked.and_then(|text| text.parse().ok()).unwrap_or(USUAL);
    // With `partial` the provider takes what it can of a model.
    let [all, some] = ["0", "1"].map(|partial| [("ep-library", &*library), ("ep.partial", partial)]);
    let mut workers = [started(&all), started(&some)];
    let mut planted: BTreeMap<&str, u32> = BTreeMap::new();
    for number in 0..count {
        let chain = chain(number);
        let worker = &mut workers[(number % 2) as usize];
        match declined(worker, &chain.model) {
            Some(BackendError::NotTaken { .. }) => {}
            other => panic!("model {number}: {other:?}"),
        }
        let kind = match chain.taken {
            0 => "takes nothing",
            _ => "takes some nodes",
        };
        *planted.entry(kind).or_default() += 1;
    }
    eprintln!("{planted:?}");
    assert_eq!(planted.len(), 2, "both kinds are planted");
    // The workers answer: a model that is taken whole is loaded.
    for worker in &mut workers {
        assert_eq!(declined(worker, &whole()), None);
    }
}

#[test]
fn a_provider_that_fails_at_its_creation_runs_nothing() {
    let Some(library) = provider() else { return };
    let library = library.display().to_string();
    for fallback in ["off", "on"] {
        let options = [
            ("ep-library", &*library),
            ("ep.device", "gpu"),
            ("fallback", fallback),
        ];
        let error = start(&options).expect_err("there is no GPU").to_string();
        assert!(
            error.contains("cannot be created"),
            "fallback={fallback}: {error}"
        );
    }
}
