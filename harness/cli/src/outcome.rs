//! How a run went: its exit code, and what is said beside its tables.

use std::fmt::Display;

use harness_console::note;
use reports::Report;
use reports::record::{CaseRecord, Outcome, VerdictKind};

use super::Exit;

/// The exit code of a run, of whose backends some must pass `floors` cases. What keeps the results from being whole comes
/// before what they say.
pub(super) fn exit(report: &Report, floors: &[(String, u64)]) -> Exit {
    if let Some(reason) = nothing_judged(report) {
        note(format_args!("error: no case could be run: {reason}"));
        return Exit::NoCases;
    }
    if let Some(exit) = unfinished(report) {
        return exit;
    }
    let below = below_floors(report, floors);
    match report.unreadable().len() {
        _ if below => Exit::Regression,
        0 => data_exit(report),
        count => unreadable(count, report.selected()),
    }
}

/// Whether any backend gave a wrong answer, or none where it owed one.
pub(super) fn any_failure(report: &Report) -> bool {
    let is_failure = |kind: VerdictKind| matches!(kind.outcome(), Outcome::Wrong | Outcome::Broken);
    report
        .backends
        .iter()
        .any(|backend| backend.tally.sum(is_failure) > 0)
}

/// The exit code where `count` of `of` selected cases cannot be read, which is said on stderr.
pub(super) fn unreadable(count: usize, of: impl Display) -> Exit {
    note(format_args!("error: {count} of {of} cases cannot be read"));
    Exit::NoCases
}

/// Whether the stored outputs themselves are in doubt, which no verdict on a backend may hide.
pub(super) fn data_exit(report: &Report) -> Exit {
    match report.data_findings.len() {
        0 => Exit::Passed,
        count => {
            note(format_args!(
                "error: the reference disagrees with the stored outputs of {count} data sets"
            ));
            Exit::DataDisagrees
        }
    }
}

/// The exit code of a run that did not come to its end on every backend; none of one that did.
pub(super) fn unfinished(report: &Report) -> Option<Exit> {
    let not_run: u64 = report.backends.iter().map(|backend| backend.not_run()).sum();
    if !report.complete {
        note(format_args!(
            "error: the run is incomplete, {not_run} results are missing; --resume goes on with it"
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
                "error: {name} passes {passed} cases, its floor is {floor}"
            ));
            below = true;
        }
    }
    below
}

/// The first reason, where no case could be given to a backend: an empty run is never a success. The errata may know why.
fn nothing_judged(report: &Report) -> Option<&str> {
    let unusable = |record: &CaseRecord| record.attempts == 0 && record.verdict.kind() != VerdictKind::NotRun;
    let first = report.cases.first()?;
    report.cases.iter().all(unusable).then_some(first.reason.as_str())
}
