//! Reductions of generated networks with planted faults: the failure stays the same, and few nodes
//! remain.

use std::num::NonZeroUsize;

use harness_investigate::InvestigateError;
use harness_investigate::given::Given;
use harness_investigate::keep::{Provenance, ToKeep, write};
use harness_investigate::reduce::{Options, Reduced, reduce};
use harness_investigate::subject;
use run_record::VerdictKind;

use super::faulty;
use super::networks::{Network, network};
use super::planted::count;

fn reduced(network: &Network, fault: &str) -> Result<Reduced, InvestigateError> {
    reduced_by(network, fault, 2000, 1)
}

fn reduced_by(
    network: &Network,
    fault: &str,
    trials: usize,
    jobs: usize,
) -> Result<Reduced, InvestigateError> {
    let (mut reference, mut backend) = (faulty("none"), faulty(fault));
    let options = Options {
        trials,
        jobs: NonZeroUsize::new(jobs).expect("a number of jobs"),
    };
    let given = Given::model(&network.model, network.inputs.clone());
    reduce(&given, &mut reference, &mut backend, options)
}

/// Checks that the failure on the reduced model is the planted one, and that no other node can cause it.
#[track_caller]
fn check(fault: &str, reduced: &Reduced, kind: VerdictKind) {
    let node = fault.split(':').next().expect("a node");
    let nodes = &reduced.part.model.graph.nodes;
    assert!(
        nodes.iter().any(|left| left.name == node),
        "{fault}: the node is missing"
    );
    assert_eq!(
        reduced.judgement.verdict.kind(),
        kind,
        "{fault}: {}",
        reduced.judgement.reason
    );
    assert_eq!(reduced.signature.verdict, reduced.judgement.verdict, "{fault}");
}

#[test]
fn the_failure_persists_and_few_nodes_remain() {
    let (mut seed, mut left) = (1000, Vec::new());
    let others = [
        ("error", VerdictKind::Error),
        ("unsupported", VerdictKind::Unsupported),
        ("abort", VerdictKind::Crash),
    ];
    while (left.len() as u64) < count() {
        seed += 1;
        let (network, planted) = network(seed, 100 + (seed as usize * 37) % 300);
        let (fault, kind) = match others.get(left.len() % 6) {
            Some((how, kind)) => (
                format!("{}:{how}", planted.split(':').next().expect("a node")),
                *kind,
            ),
            None => (planted, VerdictKind::Mismatch),
        };
        match reduced(&network, &fault) {
            Ok(reduced) => {
                check(&fault, &reduced, kind);
                left.push(reduced.part.model.graph.nodes.len());
            }
            // A fault that changes no output does not count.
            Err(InvestigateError::NoFailure { .. }) => {}
            Err(error) => panic!("{fault}: {error}"),
        }
    }
    left.sort_unstable();
    println!(
        "{} failures reduced; remaining nodes: median {}, most {}",
        left.len(),
        left[left.len() / 2],
        left[left.len() - 1]
    );
    assert!(left[left.len() / 2] <= 3, "{left:?}");
}

#[test]
fn a_reduction_is_kept_as_a_case_that_states_its_origin() {
    let folder = tempfile::tempdir().expect("a folder");
    let (network, _) = network(5, 60);
    let original = folder.path().join("net.onnx");
    std::fs::write(&original, network.model.encode()).expect("a file");
    let gemm = network
        .model
        .graph
        .nodes
        .iter()
        .find(|node| node.operator == "Sub" && node.inputs[1].ends_with("_c"));
    let fault = format!("{}:swap", gemm.expect("a subtraction").name);
    let reduced = reduced(&network, &fault).expect("a reduction");
    let subject = subject::open(&original)
        .expect("a file")
        .next()
        .expect("one")
        .expect("a model");
    let provenance = Provenance::of(
        &reduced,
        &subject,
        ("cmd:faulty", "faulty 1".to_owned()),
        (7, None),
    );
    let place = folder.path().join("reduced");
    write(&reduced, &provenance, &place).expect("a folder");
    let kept = ToKeep::read(&place)
        .and_then(|case| case.write(&folder.path().join("kept"), true))
        .expect("a case");
    let corpus = harness_corpus::Corpus::local(&kept.cases).expect("cases");
    let ids: Vec<String> = corpus.cases().iter().map(|case| case.id.to_string()).collect();
    assert_eq!(ids.join(" "), kept.id);
    let text = |part: &str| {
        let file = kept
            .files
            .iter()
            .find(|file| file.display().to_string().contains(part));
        std::fs::read_to_string(file.unwrap_or_else(|| panic!("no {part}: {:?}", kept.files)))
            .expect("a text")
    };
    assert!(
        text("/own/").contains("computed by the reference"),
        "{}",
        text("/own/")
    );
    let issue = text("/issues/");
    for part in [
        "# Sub-13: mismatch (numeric) on faulty 1",
        "= Sub (",
        "--filter local/kept/",
        "1 of 61 nodes",
    ] {
        assert!(issue.contains(part), "{part}: {issue}");
    }
}

#[test]
fn the_result_is_the_same_for_any_number_of_jobs() {
    // Mismatches, errors and crashes; the last two reach the limit of trials.
    let check = |seed: u64, how: Option<&str>, trials: usize| {
        let (network, planted) = network(seed, 60);
        let fault = match how {
            Some(how) => format!("{}:{how}", planted.split(':').next().expect("a node")),
            None => planted,
        };
        let by = |jobs: usize| reduced_by(&network, &fault, trials, jobs).expect("a reduction");
        let alone = by(1);
        for jobs in [2, 3] {
            let found = by(jobs);
            let context = format!("seed {seed}, {fault}, {jobs} jobs");
            assert_eq!(found.part.model.encode(), alone.part.model.encode(), "{context}");
            let bytes = |reduced: &Reduced| -> Vec<Vec<u8>> {
                let inputs = reduced.part.inputs.iter();
                inputs
                    .map(|(name, value)| onnx_model::encode_value(value, name))
                    .collect()
            };
            assert_eq!(bytes(&found), bytes(&alone), "{context}");
            assert_eq!(found.signature, alone.signature, "{context}");
            // The reasons of errors differ by addresses, which the signature omits.
            if how.is_none() {
                assert_eq!(found.judgement, alone.judgement, "{context}");
            }
            assert_eq!(
                (found.trials, found.gave_up, found.nodes, found.elements),
                (alone.trials, alone.gave_up, alone.nodes, alone.elements),
                "{context}"
            );
        }
        assert_eq!(alone.gave_up, alone.trials >= trials);
    };
    check(1001, None, 2000);
    check(1001, Some("error"), 2000);
    check(1001, Some("abort"), 2000);
    check(1001, None, 5);
    check(1001, Some("error"), 8);
}

#[test]
fn a_backend_that_does_not_fail_is_not_reduced() {
    let (network, _) = network(5, 30);
    let error = reduced(&network, "none").expect_err("nothing to reduce");
    assert!(error.to_string().contains("does not fail"), "{error}");
}
