//! The reasons why a gate is closed, as sentences.

use harness_conformance::gate::{Finding, Transition};
use reports::render::caveats;
use run_record::Report;

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
    let on_fall_back = report
        .backend(gate.name())
        .map_or(0, |backend| backend.passed_on_fall_back);
    if gate.no_fallback && on_fall_back > 0 {
        reasons.push(format!(
            "{on_fall_back} cases passed on another provider than the requested one"
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
        let count = report.data_findings.len();
        reasons.push(format!(
            "the reference disagrees with the stored outputs of {count} data sets"
        ));
    }
    reasons
}

/// `2 cases are worse than the baseline says: a, b`; `None` without cases.
fn sentence(cases: &[&str], one: &str, several: &str, than: &str) -> Option<String> {
    let named = cases.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    let count = match cases.len() {
        0 => return None,
        1 => format!("1 case {one}"),
        count => format!("{count} cases {several}"),
    };
    Some(match cases.len().saturating_sub(NAMED) {
        0 => format!("{count} {than}: {named}"),
        more => format!("{count} {than}: {named} and {more} more"),
    })
}
