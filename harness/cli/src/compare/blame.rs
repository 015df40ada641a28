//! The node at which a wrong answer arises, and what of a provider explains it, where the search is cheap.

use std::time::{Duration, Instant};

use backend_api::protocol::External;
use harness_conformance::judge::Judgement;
use harness_console::note;
use harness_corpus::errata::{Entry, Errata};
use harness_fetch::Lockfile;
use harness_investigate::given::Given;
use harness_investigate::locate::{Finding, Options, Team, locate};
use harness_investigate::runner::{RunRequest, Runner, RunnerError};
use harness_investigate::truth::Truth;
use harness_investigate::unsigned::{clamps, with_unsigned_weights};
use harness_investigate::upgrade::{Known, UpgradeResult, known};
use harness_investigate::{InvestigateError, replay};
use harness_worker::Cancel;
use onnx_model::Model;
use run_record::Report;
use run_record::standing::{Standing, samples};
use run_record::{CaseId, CaseRecord, Erratum, MismatchKind, Verdict};

use super::witnesses::Court;
use super::{Compare, Prepared};
use crate::inputs::reference;
use crate::selection::fetcher;
use crate::workers::runner;
use crate::{CliError, parting};

/// The time that the judgement of a model may have taken for a search to be cheap: it takes about as long.
const CHEAP: Duration = Duration::from_secs(20);

/// The time of one search.
const WITHIN: Duration = Duration::from_secs(20);

/// The maximum number of searches.
const MOST: usize = 4;

/// Searches the node for the wrong answers of `report`, which took `elapsed`, and prints it.
///
/// # Errors
/// A worker does not start, or the command is interrupted.
pub(super) fn tell(
    command: &Compare,
    report: &Report,
    prepared: &[Prepared],
    elapsed: Duration,
    cancel: &Cancel,
) -> Result<(), CliError> {
    // The verdict on a node names it.
    let is_named = |record: &CaseRecord| record.verdict == Verdict::Mismatch(MismatchKind::Node);
    let is_wrong = |record: &&CaseRecord| {
        record.backend != replay::NAME && Standing::of(record).is_wrong() && !is_named(record)
    };
    let wrong: Vec<&CaseRecord> = report.cases.iter().filter(is_wrong).collect();
    let count = u32::try_from(prepared.len()).unwrap_or(u32::MAX).max(1);
    if wrong.is_empty() {
        return Ok(());
    }
    let (lock, fetcher) = (Lockfile::embedded()?, fetcher()?);
    let court = Court {
        command,
        report,
        lock: &lock,
        fetcher: &fetcher,
        cancel,
    };
    if elapsed / count > CHEAP {
        note(format_args!(
            "`locate` finds the node at which a wrong answer arises"
        ));
        return wrong
            .into_iter()
            .take(MOST)
            .try_for_each(|record| court.tell_named(record));
    }
    let workers = &command.backends.workers;
    let mut truth = reference(workers, command.strict, &lock, &fetcher, cancel)?;
    for record in wrong.into_iter().take(MOST) {
        let name = CaseId::parse(&record.case).name;
        let referred = |model: &&Prepared| model.subject.name == name && model.truth == Truth::Reference;
        let model = prepared.iter().find(referred);
        let text = command
            .backends()
            .iter()
            .find(|backend| backend.name() == record.backend);
        let (Some(model), Some(text)) = (model, text) else {
            continue;
        };
        let worst = samples(record).map_or(0, |samples| samples.worst);
        let Some((inputs, _)) = model.sets.get(worst) else {
            continue;
        };
        let mut backend = runner(workers, text, &lock, &fetcher, cancel)?;
        let mut team = Team {
            reference: &mut truth,
            backend: &mut backend,
            others: &mut [],
        };
        let given = Given::file(&model.subject, inputs.clone());
        let options = Options {
            until: Some(Instant::now() + WITHIN),
            ..Options::default()
        };
        match locate(&given, options, &mut team) {
            Ok(location) => {
                if location.is_late {
                    note(format_args!(
                        "{name} on {}: the search for the node ended after {} s; `locate` searches on",
                        record.backend,
                        WITHIN.as_secs()
                    ));
                }
                let disputed = match &location.finding {
                    Finding::Node(fault) => disputed(&fault.operator)?,
                    _ => Vec::new(),
                };
                for words in words(location.finding).into_iter().chain(disputed) {
                    command.say(&format!("{name} on {}: {words}", record.backend))?;
                }
            }
            Err(InvestigateError::Runner(RunnerError::Cancelled)) => {
                return Err(RunnerError::Cancelled.into());
            }
            Err(error) => note(format_args!(
                "{name} on {}: the search stopped: {error}",
                record.backend
            )),
        }
        let request = RunRequest {
            model: model.subject.bytes.clone(),
            external: model.subject.external.clone(),
            inputs: inputs.clone(),
        };
        if let Some(words) = unsigned(&model.subject.model, &request, &mut backend, &mut truth)? {
            command.say(&format!("{name} on {}: {words} {CLAMPED}", record.backend))?;
        }
        court.tell(record, model, request, &mut truth)?;
    }
    Ok(())
}

/// What is said of a backend that is not wrong with the same weights in another type.
const CLAMPED: &str = "with the same weights as uint8; this processor has no VNNI: products of uint8 and int8 are \
                       added in pairs that are clamped to 16 bits: quantize with weights of 7 bits (reduce_range) or of uint8";

/// How good the answer of a backend is with the int8 weights of a model as uint8; `None` if it is wrong, if
/// there are no such weights, or if this processor does not clamp their products.
fn unsigned(
    model: &Model,
    request: &RunRequest,
    backend: &mut Runner,
    truth: &mut Runner,
) -> Result<Option<&'static str>, InvestigateError> {
    let Some(unsigned) = with_unsigned_weights(model).filter(|_| clamps()) else {
        return Ok(None);
    };
    match known(model, request.clone(), truth)? {
        Known::Outputs(mut original) => {
            let (bytes, external) = (unsigned.encode().into(), External::of(&unsigned));
            Ok(match original.after(Some(backend), truth, &bytes, &external)? {
                UpgradeResult::Right(_) => Some("right"),
                UpgradeResult::Wrong(local) if local.standing != Standing::Wrong => {
                    Some("less accurate, and not wrong,")
                }
                UpgradeResult::Wrong(_) | UpgradeResult::Failed(_) => None,
            })
        }
        Known::Nothing(_) => Ok(None),
    }
}

/// The official data that are wrong about an operator version (`RoiAlign-16`): runtimes may compute what they
/// say.
fn disputed(operator: &str) -> Result<Vec<String>, CliError> {
    let is_about = |entry: &&Entry| {
        let source = entry
            .evidence
            .source
            .split(|letter: char| " ,;:".contains(letter));
        entry.kind == Erratum::WrongData && source.into_iter().any(|word| word == operator)
    };
    let words = |entry: &Entry| {
        let right = entry.right.as_deref().unwrap_or("another answer");
        format!(
            "ONNX's own test of {operator}, `{}`, is disputed (wrong data), and runtimes may compute what it says; right is: {right}",
            entry.case
        )
    };
    let errata = Errata::embedded()?;
    Ok(errata.entries().iter().filter(is_about).map(words).collect())
}

/// The result of a search in one line; `None` if it found nothing.
fn words(finding: Finding) -> Option<String> {
    match finding {
        Finding::Node(fault) => Some(format!("wrong at {}: {}", fault.label(), fault.local.reason)),
        Finding::Together { run: Some(run), .. } => {
            let nodes = run
                .nodes
                .iter()
                .map(|(node, operator)| format!("`{node}` ({operator})"));
            let nodes: Vec<String> = nodes.collect();
            Some(format!(
                "wrong at nodes that are right one by one: {}",
                parting::shown(&nodes)
            ))
        }
        Finding::Together { near: Some(near), .. } => Some(format!(
            "every node is right alone; the error is first large after `{near}`"
        )),
        Finding::Fails(fault) => Some(format!(
            "fails from node `{}` ({}) on",
            fault.node, fault.operator
        )),
        Finding::WholeFile(failure) => {
            let reason = failure.judgement.map(|Judgement { reason, .. }| reason);
            Some(format!(
                "wrong only on the whole file, on no part of it{}",
                reason.map_or(String::new(), |reason| format!(": {reason}"))
            ))
        }
        Finding::Right { .. } | Finding::Together { .. } => None,
    }
}
