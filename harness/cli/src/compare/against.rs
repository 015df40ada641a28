//! Two models: whether the second gives what the first gives.

use backend_api::Named;
use harness_console::note;
use harness_fetch::Lockfile;
use harness_investigate::inputs::shown;
use harness_investigate::runner::{RunRequest, Runner};
use harness_investigate::subject::Subject;
use harness_investigate::upgrade::{Known, UpgradeResult, known};
use harness_worker::Cancel;
use onnx_tensor::{Dim, ValueType};
use run_record::standing::Standing;
use run_record::{ErrorStage, Verdict};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Compare, Prepared};
use crate::columns::columns;
use crate::inputs::{REFERENCE, reference};
use crate::selection::fetcher;
use crate::workers::runner;
use crate::{CliError, Exit, parting};

/// Whether the second of two models may be a converted or optimized form of the first: it takes no inputs
/// that the first does not take. Says so if it does.
pub(super) fn is_pair([first, second]: [&Subject; 2]) -> bool {
    let inputs = |subject: &Subject| {
        let inputs = subject.model.graph.required_inputs();
        inputs.map(|info| info.name.clone()).collect::<Vec<String>>()
    };
    let (ours, theirs) = (inputs(first), inputs(second));
    let apart = if theirs.iter().all(|name| ours.contains(name)) {
        other_shape([first, second])
    } else {
        Some([names(&theirs), names(&ours)])
    };
    if let Some([theirs, ours]) = &apart {
        note(format_args!(
            "`{}` is not compared with `{}`: it takes {theirs}, and the other {ours}",
            second.name, first.name
        ));
    }
    apart.is_none()
}

/// The first input whose declared shapes no value has: of the second model and of the first.
fn other_shape([first, second]: [&Subject; 2]) -> Option<[String; 2]> {
    let shape = |value_type: &ValueType| match value_type {
        ValueType::Tensor { shape, .. } => shape.clone(),
        _ => None,
    };
    let differ = |(a, b): (&Dim, &Dim)| matches!((a, b), (Dim::Fixed(a), Dim::Fixed(b)) if a != b);
    let theirs = || second.model.graph.required_inputs();
    first.model.graph.required_inputs().find_map(|info| {
        let other = theirs().find(|other| other.name == info.name)?;
        let (ours, theirs) = (info.value_type.as_ref()?, other.value_type.as_ref()?);
        let (a, b) = (shape(ours)?, shape(theirs)?);
        let apart = a.len() != b.len() || a.iter().zip(&b).any(differ);
        apart.then(|| [theirs, ours].map(|declared| format!("`{}` as {}", info.name, shown(declared))))
    })
}

/// The names of inputs, at most eight.
fn names(inputs: &[String]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<String> = inputs
        .iter()
        .take(SHOWN)
        .map(|name| format!("`{name}`"))
        .collect();
    match inputs.len() {
        0 => "no inputs".to_owned(),
        count if count > SHOWN => format!("{} and {} more", shown.join(", "), count - SHOWN),
        _ => shown.join(", "),
    }
}

/// An answer of the second of two models.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Against {
    /// The name of the sample; empty if there is one.
    #[serde(skip_serializing_if = "String::is_empty")]
    sample: String,
    backend: String,
    /// Whether it is that of the first model, within its noise.
    passes: bool,
    /// The answer in words.
    words: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    reason: String,
}

impl Against {
    fn new(sample: &str, backend: &str, answer: &UpgradeResult) -> Against {
        Against {
            sample: sample.to_owned(),
            backend: backend.to_owned(),
            passes: answer.is_right(),
            words: answer.words(),
            reason: answer.reason(),
        }
    }

    fn cells(&self) -> Vec<String> {
        let words = match self.reason.as_str() {
            "" => self.words.clone(),
            reason => format!("{}: {reason}", self.words),
        };
        vec![self.sample.clone(), self.backend.clone(), words]
    }
}

/// Runs the second model on the inputs of the first, on the reference and on every backend, and judges the
/// answers by the outputs and the noise of the first. Says where the models part if the reference differs.
///
/// # Errors
/// A worker does not start, or the command is interrupted.
pub(super) fn compare(
    command: &Compare,
    first: &Prepared,
    second: &Subject,
    cancel: &Cancel,
) -> Result<(Exit, Vec<Against>), CliError> {
    let (lock, fetcher) = (Lockfile::embedded()?, fetcher()?);
    let workers = &command.backends.workers;
    let mut truth = reference(workers, command.strict, &lock, &fetcher, cancel)?;
    let texts = command
        .backends()
        .iter()
        .filter(|backend| backend.name() != REFERENCE);
    let mut backends: Vec<Runner> = texts
        .map(|text| runner(workers, text, &lock, &fetcher, cancel))
        .collect::<Result<_, _>>()?;
    let (mut exit, mut found, mut parted) = (Exit::Passed, Vec::new(), None);
    for (place, (inputs, _)) in first.sets.iter().enumerate() {
        let sample = first.names.get(place).map_or("", String::as_str);
        let answers = match answers((first, second), inputs, &mut backends, &mut truth)? {
            Ok(answers) => answers,
            Err(reason) => {
                note(format_args!(
                    "the reference does not answer on `{}` ({reason}): the models are not compared with each other",
                    first.subject.name
                ));
                return Ok((exit, found));
            }
        };
        for (backend, answer) in answers {
            let is_reference = backend == REFERENCE;
            if is_reference && parted.is_none() && matches!(answer, UpgradeResult::Wrong(_)) {
                parted = Some(inputs);
            }
            exit = match exit_of(&answer, is_reference) {
                Exit::Regression => Exit::Regression,
                other => exit.unless_passed(|| other),
            };
            found.push(Against::new(sample, &backend, &answer));
        }
    }
    command.say(&format!(
        "{} against {}: the same inputs, judged by the outputs and the noise of {}",
        second.name, first.subject.name, first.subject.name
    ))?;
    let rows: Vec<Vec<String>> = found.iter().map(Against::cells).collect();
    columns("  ", &rows)
        .iter()
        .try_for_each(|line| command.say(line))?;
    if let Some(inputs) = parted {
        let named = [&first.subject, second].map(|subject| (subject.name.as_str(), &subject.model));
        let lines = parting::lines(named.into(), inputs, &mut truth)?;
        lines.iter().try_for_each(|line| command.say(line))?;
    }
    Ok((exit, found))
}

/// The answers of the second model to the inputs, that of the reference first; why the reference does not
/// answer on the first model.
fn answers(
    (first, second): (&Prepared, &Subject),
    inputs: &[Named],
    backends: &mut [Runner],
    truth: &mut Runner,
) -> Result<Result<Vec<(String, UpgradeResult)>, String>, CliError> {
    let request = RunRequest {
        model: first.subject.bytes.clone(),
        external: first.subject.external.clone(),
        inputs: inputs.to_vec(),
    };
    let mut original = match known(&first.subject.model, request, truth)? {
        Known::Outputs(original) => original,
        Known::Nothing(judgement) => return Ok(Err(judgement.reason)),
    };
    // An optimizer removes inputs that nothing uses.
    let takes = |(name, _): &&Named| {
        second
            .model
            .graph
            .required_inputs()
            .any(|info| info.name == *name)
    };
    let request = RunRequest {
        model: second.bytes.clone(),
        external: second.external.clone(),
        inputs: inputs.iter().filter(takes).cloned().collect(),
    };
    let of_reference = original.after_request(None, truth, &request)?;
    let mut answers = vec![(REFERENCE.to_owned(), of_reference)];
    for backend in backends {
        let answer = original.after_request(Some(backend), truth, &request)?;
        answers.push((backend.name().to_owned(), answer));
    }
    Ok(Ok(answers))
}

/// What an answer of the second model says. A failure of a backend is reported where its answers to each
/// model are.
fn exit_of(answer: &UpgradeResult, of_reference: bool) -> Exit {
    match answer {
        UpgradeResult::Wrong(_) => Exit::Regression,
        // The first model takes these inputs, and the second does not.
        UpgradeResult::Failed(judgement)
            if of_reference && matches!(judgement.verdict, Verdict::Error(ErrorStage::Run)) =>
        {
            Exit::Regression
        }
        UpgradeResult::Right(local) if local.standing == Standing::CannotJudge => Exit::NoCases,
        UpgradeResult::Right(_) | UpgradeResult::Failed(_) => Exit::Passed,
    }
}
