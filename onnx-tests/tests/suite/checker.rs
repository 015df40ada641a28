//! The checker on the official models: it has no findings in them, finds planted errors, and never
//! panics.

use std::sync::Arc;

use harness_fetch::{Cache, Fetcher, Lockfile};
use onnx_checker::{Rule, check, usage};
use onnx_model::{Graph, Limits, Model, Source};
use onnx_tensor::{DType, ValueType};

/// The name and the bytes of every official model.
fn models() -> Vec<(String, Vec<u8>)> {
    let fetcher = Fetcher::new(Cache::from_env().expect("a cache"), |event| eprintln!("{event}"));
    let lock = Lockfile::embedded().expect("a lock file");
    let corpus =
        harness_fetch::pinned("onnx-1.22.0", &lock, &fetcher).unwrap_or_else(|error| panic!("{error}"));
    let model = |case: &harness_corpus::CaseFiles| {
        let bytes = case.model.read().unwrap_or_else(|error| panic!("{error}"));
        (case.id.to_string(), bytes.to_vec())
    };
    corpus.cases().iter().map(model).collect()
}

fn decode(name: &str, bytes: &[u8]) -> Result<Model, onnx_model::ModelError> {
    Model::decode(bytes.to_vec(), &Source::named(name), &Limits::default())
}

/// The model with a changed main graph.
fn changed(model: &Model, change: impl FnOnce(&mut Graph)) -> Model {
    let mut graph = Graph::clone(&model.graph);
    change(&mut graph);
    Model {
        graph: Arc::new(graph),
        ..model.clone()
    }
}

fn rules(model: &Model) -> Vec<Rule> {
    check(model).list.iter().map(|finding| finding.rule()).collect()
}

#[test]
fn the_official_models_satisfy_every_rule_and_every_node_is_typed() {
    let (mut wrong, mut open) = (Vec::new(), Vec::new());
    for (name, bytes) in models() {
        let model = decode(&name, &bytes).expect("an official model");
        wrong.extend(
            check(&model)
                .list
                .iter()
                .map(|finding| format!("{name}: {finding}")),
        );
        for node in usage(&model) {
            let parameters = node.inputs.iter().chain(&node.outputs);
            let untyped = parameters.filter(|parameter| parameter.given && parameter.value_type.is_none());
            open.extend(untyped.map(|parameter| (node.operator.clone(), parameter.name)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // The text leaves the type of a state open if no earlier value determines it.
    open.sort();
    open.dedup();
    assert_eq!(open, [("LinearAttention".to_owned(), "present_state")]);
}

/// Checks an error that must be found in every model with this construct.
fn must_break(name: &str, broken: &Model, expected: &[Rule]) {
    let found = rules(broken);
    assert!(
        found.iter().any(|rule| expected.contains(rule)),
        "{name}: {expected:?} expected, found {found:?}"
    );
}

#[test]
fn planted_errors_in_official_models_are_found() {
    for (name, bytes) in models() {
        let model = decode(&name, &bytes).expect("an official model");
        let graph = &model.graph;
        for (index, node) in graph.nodes.iter().enumerate().take(40) {
            let is_read = |output: &String| {
                let others = graph.nodes.iter().flat_map(|node| &node.inputs);
                !output.is_empty()
                    && (others.chain(graph.outputs.iter().map(|info| &info.name))).any(|name| name == output)
            };
            if node.outputs.iter().any(is_read) {
                let without = changed(&model, |graph| drop(graph.nodes.remove(index)));
                must_break(&name, &without, &[Rule::ValueUndefined, Rule::OutputUndefined]);
            }
            if let Some(input) = node.inputs.iter().find(|input| !input.is_empty()) {
                let twice = changed(&model, |graph| graph.nodes[index].outputs[0] = input.clone());
                must_break(&name, &twice, &[Rule::ValueTwice, Rule::Cycle]);
            }
            let unknown = changed(&model, |graph| graph.nodes[index].operator.push_str("Nonsense"));
            must_break(&name, &unknown, &[Rule::OperatorUnknown]);
        }
        if let Some(ValueType::Tensor { dtype, .. }) = graph.outputs[0].value_type {
            let other = if dtype == DType::Bool {
                DType::Float
            } else {
                DType::Bool
            };
            let swapped = changed(&model, |graph| {
                graph.outputs[0].value_type = Some(ValueType::tensor(other))
            });
            must_break(&name, &swapped, &[Rule::DeclaredType]);
        }
    }
}

/// Changed bytes: everything that can be decoded is checked completely.
#[test]
fn no_byte_makes_the_check_panic() {
    let mut decoded = 0;
    for (round, (name, bytes)) in models().into_iter().enumerate() {
        for step in 0..12 {
            // Positions and values distributed over the file, without random numbers.
            let at = (step * 7919 + round * 104_729) % bytes.len();
            let mut mutated = bytes.clone();
            mutated[at] = mutated[at].wrapping_add(1 + (step as u8) * 21);
            if let Ok(model) = decode(&name, &mutated) {
                decoded += 1;
                let (found, used) = (check(&model), usage(&model));
                assert!(found.list.len() <= 1000 && used.len() >= model.graph.nodes.len());
            }
        }
    }
    assert!(decoded > 1000, "only {decoded} of the mutated files decode");
}
