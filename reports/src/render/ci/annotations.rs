//! GitHub annotations: a workflow command for each change relative to a baseline, at the baseline's file
//! and line.

use super::super::RenderError;
use crate::View;
use run_record::VerdictKind;
use run_record::shown::one_line;
use run_record::text::{clip, thousands};
use run_record::{Change, GateReport};

/// The number of annotations of each level that GitHub shows for a step; it ignores the others.
const SHOWN: usize = 10;

/// The maximum number of characters of a message.
const CLIPPED: usize = 1000;

/// The lines for the standard output of a step: a change that forbids a release is an error, other
/// changes are warnings, a waiver that is expired or due is a notice. If there are more than GitHub
/// shows, the last of a level counts the others. Empty without a gate.
pub fn annotations(report: &View) -> Result<String, RenderError> {
    let mut text = String::new();
    for gate in &report.gates {
        for (level, closes) in [("error", true), ("warning", false)] {
            let changes: Vec<&Change> = gate
                .changes
                .iter()
                .filter(|change| change.closes == closes)
                .collect();
            let shown = match changes.len() {
                all if all > SHOWN => SHOWN - 1,
                all => all,
            };
            for change in changes.iter().take(shown) {
                text.push_str(&annotation(
                    level,
                    gate,
                    change.line,
                    &title(gate, change),
                    &message(change),
                ));
            }
            if let Some(more) = changes.len().checked_sub(shown).filter(|more| *more > 0) {
                let message = format!("{} more changes, see report.html", thousands(more as u64));
                text.push_str(&annotation(level, gate, None, &gate.backend, &message));
            }
        }
        // Below warnings, so that they do not displace any.
        for waiver in gate.waivers.iter().take(SHOWN) {
            let title = format!("{}: waiver of {}", gate.backend, waiver.case);
            let message = clip(&waiver.words(), CLIPPED);
            text.push_str(&annotation("notice", gate, waiver.line, &title, &message));
        }
    }
    Ok(text)
}

fn title(gate: &GateReport, change: &Change) -> String {
    format!("{}: {} of {}", gate.backend, change.transition, change.case)
}

fn message(change: &Change) -> String {
    let observed = change.observed.map_or("gone", VerdictKind::label);
    let expected = change.expected.label();
    match change.reason.as_str() {
        "" => format!("expected {expected}, got {observed}"),
        reason => format!("expected {expected}, got {observed}: {}", clip(reason, CLIPPED)),
    }
}

fn annotation(level: &str, gate: &GateReport, line: Option<usize>, title: &str, message: &str) -> String {
    let file = property(&gate.baseline);
    let line = line.map_or(String::new(), |line| format!(",line={line}"));
    let (title, message) = (property(&clip(title, 200)), data(message));
    format!("::{level} file={file}{line},title={title}::{message}\n")
}

/// The value of a command, with special characters escaped.
fn data(text: &str) -> String {
    one_line(text).replace('%', "%25")
}

/// The value of a property, with special characters escaped.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
