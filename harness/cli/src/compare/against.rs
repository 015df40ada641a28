//! Two models: whether the second gives what the first gives.

use harness_console::{note, outln};
use harness_fetch::Lockfile;
use harness_investigate::runner::{RunRequest, Runner};
use harness_investigate::subject::Subject;
use harness_investigate::upgrade::{Known, UpgradeResult, known};
use harness_worker::Cancel;
use run_record::standing::Standing;
use run_record::{ErrorStage, Verdict};

use super::{Compare, Prepared};
use crate::columns::columns;
use crate::inputs::{REFERENCE, reference};
use crate::selection::fetcher;
use crate::workers::runner;
use crate::{CliError, Exit, parting};

/// Whether the second of two models may be a converted or optimized form of the first: they take the same
/// inputs. Says so if they do not.
pub(super) fn is_pair([first, second]: [&Subject; 2]) -> bool {
    let inputs = |subject: &Subject| {
        let inputs = subject.model.graph.required_inputs();
        inputs.map(|info| info.name.clone()).collect::<Vec<String>>()
    };
    let (ours, theirs) = (inputs(first), inputs(second));
    if ours != theirs {
        note(format_args!(
            "`{}` is not compared with `{}`: it takes {}, and the other {}",
            second.name,
            first.name,
            names(&theirs),
            names(&ours)
        ));
    }
    ours == theirs
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

/// Runs the second model on the inputs of the first, on the reference and on every backend, and judges the
/// answers by the outputs and the noise of the first. Prints a table.
///
/// # Errors
/// A worker does not start, or the command is interrupted.
pub(super) fn compare(
    command: &Compare,
    first: &Prepared,
    second: &Subject,
    cancel: &Cancel,
) -> Result<Exit, CliError> {
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
    let (mut exit, mut rows, mut parted) = (Exit::Passed, Vec::new(), None);
    for (place, (inputs, _)) in first.sets.iter().enumerate() {
        let request = RunRequest {
            model: first.subject.bytes.clone(),
            external: first.subject.external.clone(),
            inputs: inputs.clone(),
        };
        let mut original = match known(&first.subject.model, request, &mut truth)? {
            Known::Outputs(original) => original,
            Known::Nothing(judgement) => {
                note(format_args!(
                    "the reference does not answer on `{}` ({}): the models are not compared with each other",
                    first.subject.name, judgement.reason
                ));
                return Ok(exit);
            }
        };
        let (bytes, external) = (&second.bytes, &second.external);
        let of_reference = original.after(None, &mut truth, bytes, external)?;
        if parted.is_none() && matches!(of_reference, UpgradeResult::Wrong(_)) {
            parted = Some(inputs);
        }
        let mut answers = vec![(REFERENCE.to_owned(), of_reference)];
        for backend in &mut backends {
            let answer = original.after(Some(backend), &mut truth, bytes, external)?;
            answers.push((backend.name().to_owned(), answer));
        }
        let sample = first.names.get(place).map_or("", String::as_str);
        for (backend, answer) in answers {
            exit = match exit_of(&answer, backend == REFERENCE) {
                Exit::Regression => Exit::Regression,
                other => exit.unless_passed(|| other),
            };
            let words = match answer.reason().as_str() {
                "" => answer.words(),
                reason => format!("{}: {reason}", answer.words()),
            };
            rows.push(vec![sample.to_owned(), backend, words]);
        }
    }
    outln(format_args!(
        "{} against {}: the same inputs, judged by the outputs and the noise of {}",
        second.name, first.subject.name, first.subject.name
    ))?;
    for line in columns("  ", &rows) {
        outln(format_args!("{line}"))?;
    }
    if let Some(inputs) = parted {
        let named = [&first.subject, second].map(|subject| (subject.name.as_str(), &subject.model));
        parting::tell(named.into(), inputs, &mut truth)?;
    }
    Ok(exit)
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
