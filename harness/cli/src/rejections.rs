//! `conformance --rejections`: shows which backends accept models that must be refused.

use harness_conformance::rejections::{Rejected, Verdict, rejected};
use harness_console::{note, outln};
use harness_fetch::Lockfile;
use harness_worker::Cancel;
use onnx_rejections::Rejection;

use super::selection::fetcher;
use super::workers::Backends;
use super::{CliError, Exit};

/// The columns of the table.
const COLUMNS: [&str; 5] = [
    "refused",
    "unsupported",
    "unpredictable, allowed",
    "accepted wrongly",
    "broken",
];

/// Runs the models on the backends and prints a table, and each model that a backend accepts wrongly.
pub(super) fn run(backends: &Backends) -> Result<Exit, CliError> {
    let (lock, fetcher) = (Lockfile::embedded()?, fetcher()?);
    let cancel = Cancel::on_signals().map_err(CliError::Signals)?;
    let models = onnx_rejections::all();
    let (specs, missing) = backends.specs(&lock, &fetcher)?;
    for missing in &missing {
        note(format_args!("error: {}", missing.reason));
    }
    let workers = &backends.workers;
    let mut all = Vec::new();
    for spec in specs {
        all.push(rejected(
            spec,
            &models,
            backends.jobs.count(),
            workers.timeout,
            &cancel,
        )?);
    }
    outln(format_args!("{}", table(&all, &models)))?;
    let faults = all
        .iter()
        .flat_map(|rejected| rejected.verdicts.values())
        .any(Verdict::is_fault);
    let complete = all.iter().all(|rejected| rejected.verdicts.len() == models.len());
    Ok(match (missing.is_empty(), complete, faults) {
        (false, _, _) => Exit::BackendMissing,
        (true, false, _) => Exit::Incomplete,
        (true, true, true) => Exit::Regression,
        (true, true, false) => Exit::Passed,
    })
}

fn table(all: &[Rejected], models: &[Rejection]) -> String {
    let mut text = format!("{} models that must be refused\n{:<16}", models.len(), "backend");
    for column in COLUMNS {
        text.push_str(&format!("{column:>24}"));
    }
    for rejected in all {
        text.push_str(&format!("\n{:<16}", rejected.backend));
        for column in COLUMNS {
            text.push_str(&format!("{:>24}", rejected.count(column)));
        }
    }
    for rejected in all {
        for (index, verdict) in rejected.verdicts.iter().filter(|(_, verdict)| verdict.is_fault()) {
            let Some(model) = models.get(*index) else { continue };
            let why = match verdict {
                Verdict::Broken(reason) => format!("{}: {reason}", verdict.label()),
                _ => verdict.label().to_owned(),
            };
            text.push_str(&format!(
                "\n{}: {} {why}: {}",
                rejected.backend, model.name, model.rule
            ));
        }
    }
    text
}
