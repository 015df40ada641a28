//! The reasons why a gate is closed, as sentences.

use harness_conformance::gate::{Finding, Transition};
use harness_console::note;
use reports::render::caveats;
use run_record::Report;
use run_record::text::counted;

use super::Gate;

/// The maximum number of cases in a sentence.
const NAMED: usize = 3;

/// The reasons against a release, the most severe first; empty if the gate is open.
pub(super) fn reasons(gate: &Gate, report: &Report, findings: &[Finding]) -> Vec<String> {
    let of = |transition: Transition, lapsed: bool| -> Vec<&str> {
        let wanted =
            |finding: &&Finding| finding.transition == transition && finding.lapse.is_some() == lapsed;
        findings
            .iter()
            .filter(wanted)
            .map(|finding| finding.case.as_str())
            .collect()
    };
    let mut reasons = Vec::new();
    reasons.extend(sentence(
        &of(Transition::Regression, false),
        "is worse",
        "are worse",
        "than the baseline says",
    ));
    reasons.extend(sentence(
        &of(Transition::Regression, true),
        "fails",
        "fail",
        "by a waiver that is not valid any more",
    ));
    reasons.extend(sentence(
        &of(Transition::Vanished, false),
        "no longer exists",
        "no longer exist",
        "although the baseline lists it",
    ));
    let on_fall_back = on_fall_back(gate, report);
    if on_fall_back > 0 {
        reasons.push(format!(
            "{} passed on another provider than the requested one",
            counted(on_fall_back, "case")
        ));
    }
    if !report.complete || !report.missing.is_empty() {
        reasons.extend(caveats(report));
    }
    if gate.strict {
        let stale = [
            of(Transition::UnexpectedPass, false),
            of(Transition::Improvement, false),
        ]
        .concat();
        reasons.extend(sentence(
            &stale,
            "is better",
            "are better",
            "than the baseline says (--strict)",
        ));
    }
    if !report.data_findings.is_empty() {
        reasons.push(format!(
            "the reference disagrees with the stored outputs of {}",
            counted(report.data_findings.len(), "data set")
        ));
    }
    reasons
}

/// Drops the cases that an earlier run of some cases has not: it may not have selected them.
pub(super) fn forget_unselected(gate: &Gate, findings: &mut Vec<Finding>, report: &Report) {
    let selection = &report.started.selection;
    if gate.run.is_none() || !gate.cases.filters.is_empty() || selection.is_empty() {
        return;
    }
    let before = findings.len();
    findings.retain(|finding| finding.transition != Transition::Vanished);
    let dropped = before - findings.len();
    if dropped > 0 {
        note(format_args!(
            "the run has the cases of `{selection}` only: {} of the baseline that it has not {} not looked for",
            counted(dropped, "case"),
            if dropped == 1 { "is" } else { "are" }
        ));
    }
}

/// The cases that passed on another provider, if none may.
pub(super) fn on_fall_back(gate: &Gate, report: &Report) -> u64 {
    let backend = report.backend(gate.name()).filter(|_| gate.no_fallback);
    backend.map_or(0, |backend| backend.passed_on_fall_back)
}

/// `2 cases are worse than the baseline says: a, b`; `None` without cases.
fn sentence(cases: &[&str], one: &str, several: &str, than: &str) -> Option<String> {
    let named = cases.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    let count = match cases.len() {
        0 => return None,
        1 => format!("1 case {one}"),
        count => format!("{} {several}", counted(count, "case")),
    };
    Some(match cases.len().saturating_sub(NAMED) {
        0 => format!("{count} {than}: {named}"),
        more => format!("{count} {than}: {named} and {more} more"),
    })
}
