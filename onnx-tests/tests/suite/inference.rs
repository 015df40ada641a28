//! Inferred shapes of all official and own cases that are not disputed, against their stored outputs: as the
//! models are, and with open extents of all inputs.
#![allow(clippy::print_stdout, reason = "a test that prints what it counted")]

use std::collections::BTreeMap;

use harness_conformance::case::{Case, DataSet};
use harness_corpus::errata::Errata;
use harness_corpus::{CaseFiles, Filter, own};
use harness_fetch::{Cache, Fetcher, Lockfile};
use onnx_model::Model;
use onnx_shapes::{Agreement, Run, infer, opened};

/// Cases whose inputs do not have the declared extents: nothing else in them can be held.
const UNDECLARED: &[&str] = &["onnx-1.4.1/simple/test_shrink"];

fn cases() -> Vec<CaseFiles> {
    let fetcher = Fetcher::new(Cache::from_env().expect("a cache"), |event| eprintln!("{event}"));
    let lock = Lockfile::embedded().expect("a lock file");
    let mut corpora =
        harness_fetch::releases(&lock.releases(), &lock, &fetcher).unwrap_or_else(|error| panic!("{error}"));
    corpora.push(own::corpus().expect("own cases"));
    Filter::default().select(&corpora).expect("cases").cases
}

/// The contradictions of a model and its data sets, and how much is known of the outputs.
fn held(model: &Model, sets: &[DataSet]) -> (Vec<String>, Agreement) {
    let mut inference = infer(model);
    let mut wrong: Vec<String> = inference.findings.iter().map(ToString::to_string).collect();
    let mut known = Agreement::default();
    for set in sets {
        let run = Run {
            inputs: &set.inputs,
            values: &set.expected,
        };
        match inference.agrees(&run) {
            Ok(agreement) => {
                known.extents += agreement.extents;
                known.exact += agreement.exact;
            }
            Err(text) => wrong.push(text),
        }
    }
    (wrong, known)
}

#[test]
fn official_and_own_cases_hold() {
    let mut known: BTreeMap<&str, Agreement> = BTreeMap::new();
    let mut wrong = Vec::new();
    let mut open: BTreeMap<String, usize> = BTreeMap::new();
    let (cases, errata) = (cases(), Errata::embedded().expect("errata"));
    for files in &cases {
        // A model or an output of a disputed case may contradict the text.
        let id = files.id.to_string();
        if errata.find(files.ids()).is_some() || UNDECLARED.contains(&id.as_str()) {
            continue;
        }
        let Ok((case, model)) = Case::decode_plain(files) else {
            wrong.push(format!("{id}: not decoded"));
            continue;
        };
        for (form, model) in [("given", &model), ("open", &opened(&model))] {
            let (found, agreement) = held(model, &case.data_sets);
            let sum = known.entry(form).or_default();
            sum.extents += agreement.extents;
            sum.exact += agreement.exact;
            if form == "given" && agreement.exact < agreement.extents {
                let operator = model.graph.nodes.last().map_or("", |node| &node.operator);
                *open.entry(operator.to_owned()).or_default() += agreement.extents - agreement.exact;
            }
            wrong.extend(found.into_iter().map(|text| format!("{id} ({form}): {text}")));
        }
    }
    println!("{} cases", cases.len());
    for (form, agreement) in &known {
        println!(
            "{form}: {} of {} extents exact",
            agreement.exact, agreement.extents
        );
    }
    println!("open, by last operator: {open:?}");
    // What is open depends on values: operands that give a shape or axes, numbers of selected elements,
    // iterations, texts. What an output declares is no answer.
    let given = known.get("given").copied().unwrap_or_default();
    assert!(given.exact * 100 >= given.extents * 91, "{given:?}");
    let count = wrong.len();
    wrong.truncate(200);
    assert!(wrong.is_empty(), "{count} contradictions\n{}", wrong.join("\n"));
}
