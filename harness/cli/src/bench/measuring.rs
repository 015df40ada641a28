//! Runs a bench according to its plan, and writes the reports.

use std::fs;
use std::path::Path;

use harness_bench::gate::SavedRun;
use harness_bench::{Plan, Task, Team, ToMeasure, conclusive, run};
use harness_conformance::run::{Earlier, RunDirectory};
use harness_console::{info, look, note, outln, progress};
use harness_worker::{Cancel, WorkerSpec};
use reports::{View, render, write_all};
use run_record::LatencyRecord;
use run_record::Report;
use run_record::text::counted;

use super::deciding;
use crate::running::started;
use crate::{CliError, Exit};

/// The bench in a folder, which must not be the output folder.
pub(super) fn saved(folder: &Path, out: &Path) -> Result<SavedRun, CliError> {
    if fs::canonicalize(out).is_ok_and(|out| fs::canonicalize(folder).is_ok_and(|folder| folder == out)) {
        return Err(CliError::Usage(format!(
            "`{}` is the folder of --out: this run would overwrite its own baseline",
            folder.display()
        )));
    }
    Ok(SavedRun::read(folder, &started(String::new(), 0).environment)?)
}

/// Spinning is not an option of a single backend.
pub(super) fn no_spinning(spec: &WorkerSpec) -> Result<(), CliError> {
    if spec.options.contains_key("spinning") {
        Err(CliError::Usage(format!(
            "backend `{}`: spinning is one setting for all backends of a bench; use --spinning",
            spec.name
        )))
    } else {
        Ok(())
    }
}

/// Measures, prints and writes the reports to `out`.
pub(super) fn measure(plan: &Plan, out: &Path, cancel: &Cancel) -> Result<Report, CliError> {
    for model in &plan.models {
        if let ToMeasure::User(model) = model {
            for line in &model.notes {
                note(format_args!("{line}"));
            }
        }
    }
    let directory = RunDirectory::take(out)?;
    let team = Team::start(plan, cancel)?;
    team.check_saved(plan)?;
    let mut opened = directory.open_log(&team.started(plan), Earlier::REPLACED)?;
    let report = run(plan, team, &mut opened.log, cancel, progress())?;
    let report = View::from(report);
    let written = write_all(&report, out);
    let table = render::latency_table(&report, look())?;
    outln(format_args!("{table}"))?;
    if let Task::Noise(design) = &plan.task {
        for line in deciding::noise(&report, design) {
            outln(format_args!("{line}"))?;
        }
    }
    for file in written? {
        info(format_args!("wrote {}", file.display()));
    }
    Ok(report.report)
}

/// Reports on stderr which series are not valid, and what gates decided.
pub(super) fn decide(report: &Report, task: &Task) -> Exit {
    let mut exit = Exit::Passed;
    for record in &report.latencies {
        if let Some(problem) = problem(record, task) {
            let LatencyRecord {
                model,
                backend,
                threads,
                ..
            } = record;
            note(format_args!(
                "inconclusive: {model}, {backend}, {}: {problem}",
                counted(*threads, "thread")
            ));
            exit = Exit::Inconclusive;
        }
    }
    if let Some(decided) = deciding::decide(report, task) {
        exit = decided;
    }
    match (
        report.complete,
        report.missing.is_empty(),
        report.latencies.is_empty(),
    ) {
        (false, ..) => Exit::Incomplete,
        (true, false, _) => Exit::BackendMissing,
        (true, true, true) => Exit::Inconclusive,
        (true, true, false) => exit,
    }
}

/// Why a series is not valid.
fn problem(record: &LatencyRecord, task: &Task) -> Option<String> {
    if record.valid_median_ns().is_none() {
        let reason = if record.reason.is_empty() {
            &record.caching
        } else {
            &record.reason
        };
        return Some(reason.clone());
    }
    // A gate itself reports whether its pairs are enough.
    let few = matches!(task, Task::Measure) && !conclusive(record.samples);
    few.then(|| format!("{} timed runs are too few for a median", record.samples))
}
