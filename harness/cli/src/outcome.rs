//! The exit code of a run, and its messages.

use std::fmt::Display;

use harness_console::note;
use run_record::Report;
use run_record::shown::one_line;
use run_record::text::counted;
use run_record::{CaseRecord, Outcome, VerdictKind};

use super::Exit;
use super::fail_on::{FailOn, fails};

/// The exit code of a run in which some backends must pass the number of cases in `floors`, and none
/// may have a verdict of `fail_on`. An incomplete run takes precedence over its results.
pub(super) fn exit(report: &Report, floors: &[(String, u64)], fail_on: &[FailOn]) -> Exit {
    if let Some(reason) = nothing_judged(report) {
        note(format_args!("error: no case could be run: {reason}"));
        return Exit::NoCases;
    }
    if let Some(exit) = unfinished(report) {
        return exit;
    }
    let below = below_floors(report, floors);
    let fails = fails(report, fail_on);
    match report.unreadable().len() {
        _ if below || fails => Exit::Regression,
        0 => data_exit(report),
        count => unreadable(count, report.selected()),
    }
}

/// Whether any backend gave a wrong answer, or no answer although it should.
pub(super) fn any_failure(report: &Report) -> bool {
    let is_failure = |kind: VerdictKind| matches!(kind.outcome(), Outcome::Wrong | Outcome::Broken);
    report
        .backends
        .iter()
        .any(|backend| backend.tally.sum(is_failure) > 0)
}

/// The maximum number of failures whose reasons are printed.
const FEW: usize = 5;

/// A line with the reason of each failure, if there are few; the reports have all.
pub(super) fn few_failures(report: &Report) -> Vec<String> {
    let is_failure =
        |record: &&CaseRecord| matches!(record.verdict.kind().outcome(), Outcome::Wrong | Outcome::Broken);
    let failures = || report.cases.iter().filter(is_failure);
    if failures().nth(FEW).is_some() {
        return Vec::new();
    }
    let line = |record: &CaseRecord| {
        let kind = record.verdict.kind().label();
        one_line(&format!(
            "{} on {}: {kind}: {}",
            record.case, record.backend, record.reason
        ))
        .into_owned()
    };
    failures().map(line).collect()
}

/// The exit code if `count` of `of` selected cases cannot be read, with a message on stderr.
pub(super) fn unreadable(count: usize, of: impl Display) -> Exit {
    note(format_args!("error: {count} of {of} cases cannot be read"));
    Exit::NoCases
}

/// Whether the stored outputs are in doubt. No verdict on a backend hides this.
pub(super) fn data_exit(report: &Report) -> Exit {
    match report.data_findings.len() {
        0 => Exit::Passed,
        count => {
            note(format_args!(
                "error: the reference disagrees with the stored outputs of {}",
                counted(count, "data set")
            ));
            Exit::DataDisagrees
        }
    }
}

/// The exit code of a run that is incomplete on some backend; `None` if it is complete.
pub(super) fn unfinished(report: &Report) -> Option<Exit> {
    let not_run: u64 = report.backends.iter().map(|backend| backend.not_run()).sum();
    if !report.complete {
        note(format_args!(
            "error: the run is incomplete: {} missing",
            counted(not_run, "result")
        ));
    }
    match (report.missing.is_empty(), report.complete) {
        (false, _) => Some(Exit::BackendMissing),
        (true, false) => Some(Exit::Incomplete),
        (true, true) => None,
    }
}

fn below_floors(report: &Report, floors: &[(String, u64)]) -> bool {
    let mut below = false;
    for (name, floor) in floors {
        let passed = report
            .backend(name)
            .map_or(0, |backend| backend.tally.get(VerdictKind::Pass));
        if passed < *floor {
            note(format_args!(
                "error: {name} passes {}, its floor is {floor}",
                counted(passed, "case")
            ));
            below = true;
        }
    }
    below
}

/// The first reason if no backend could run any case: an empty run is never a success. The errata may
/// give the reason.
fn nothing_judged(report: &Report) -> Option<&str> {
    let unusable = |record: &CaseRecord| record.attempts == 0 && record.verdict.kind() != VerdictKind::NotRun;
    let first = report.cases.first()?;
    report.cases.iter().all(unusable).then_some(first.reason.as_str())
}
