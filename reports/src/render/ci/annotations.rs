//! Annotations of GitHub: a workflow command for each change against a baseline, at the baseline's file and line.

use super::super::RenderError;
use crate::record::VerdictKind;
use crate::shown::one_line;
use crate::text::{clip, thousands};
use crate::{Change, GateReport, Report};

/// GitHub shows so many annotations of each level for a step, and drops the others without a word.
const SHOWN: usize = 10;

/// Most characters of a message.
const CLIPPED: usize = 1000;

/// A line for each change, as a step writes it to its standard output: what forbids a release is an error, the rest a warning, a waiver that is expired or due a notice. Of
/// more than GitHub shows, the last of a level counts the others. Without a gate there is no line.
pub fn annotations(report: &Report) -> Result<String, RenderError> {
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
        // Below warnings, so that they push out none.
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

/// The text of a command: what would end it is written by number.
fn data(text: &str) -> String {
    one_line(text).replace('%', "%25")
}

/// The value of a property: what would end it is written by number.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
