//! The comparison for a terminal and for a CI job's summary.

use std::fmt::Write;

use super::{conditions, counts, parts, sides, when};
use crate::render::RenderError;
use crate::render::news::shared_words;
use run_record::diff::{CaseDiff, ChangeKind, Diff};
use run_record::shown::{markdown as escape, one_line};
use run_record::text::{clip, thousands};

/// The maximum number of listed changes of one kind without `--all`; JSON has all.
fn most(kind: ChangeKind) -> usize {
    match kind {
        ChangeKind::Broken | ChangeKind::FailsDifferently | ChangeKind::LessAccurate => 20,
        ChangeKind::Fixed | ChangeKind::Went => 10,
        ChangeKind::AnswerChanged
        | ChangeKind::MoreAccurate
        | ChangeKind::NotComparable
        | ChangeKind::Came => 3,
    }
}

/// The maximum number of characters of a line.
const CLIPPED: usize = 300;

/// The comparison as plain lines: the conditions that differ, then the changes by backend and kind, all
/// of them or the first of each kind.
pub fn diff_text(diff: &Diff, all: bool) -> String {
    let mut lines = vec![format!(
        "{} → {}",
        when(&diff.before.started),
        when(&diff.after.started)
    )];
    lines.extend(conditions(diff));
    for backend in &diff.backends {
        lines.push(format!(
            "{}: {} of {} cases compared",
            backend.title(),
            counts(backend),
            thousands(backend.compared)
        ));
        lines.extend(
            backend
                .shared
                .iter()
                .map(|shared| format!("  {}", shared_words(shared))),
        );
        for (kind, changes) in parts(backend) {
            lines.push(format!("  {} ({})", kind.label(), kind.about()));
            let (listed, more) = listed(kind, &changes, all);
            lines.extend(
                listed.map(|change| format!("    {}: {}", change.case, clip(&sides(change), CLIPPED))),
            );
            lines.extend(more.map(|more| format!("    and {more} more (--all lists them)")));
        }
    }
    let lines: Vec<_> = lines.iter().map(|line| one_line(line).into_owned()).collect();
    lines.join("\n")
}

/// The comparison as Markdown: counts of each kind by backend, then the changes.
pub fn diff_markdown(diff: &Diff, all: bool) -> Result<String, RenderError> {
    let mut text = String::new();
    let (before, after) = (when(&diff.before.started), when(&diff.after.started));
    writeln!(text, "## Changes: {} → {}\n", escape(&before), escape(&after))?;
    for line in conditions(diff) {
        writeln!(text, "- {}", escape(&line))?;
    }
    for backend in &diff.backends {
        let compared = thousands(backend.compared);
        let (title, counts) = (escape(&backend.title()), counts(backend));
        writeln!(text, "\n### {title}: {counts} of {compared} cases compared")?;
        for shared in &backend.shared {
            writeln!(text, "\n**{}**", escape(&shared_words(shared)))?;
        }
        for (kind, changes) in parts(backend) {
            writeln!(text, "\n**{}** ({})\n", kind.label(), kind.about())?;
            let (listed, more) = listed(kind, &changes, all);
            for change in listed {
                let words = clip(&sides(change), CLIPPED);
                writeln!(text, "- {}: {}", escape(&change.case), escape(&words))?;
            }
            if let Some(more) = more {
                writeln!(text, "- and {more} more (--all lists them)")?;
            }
        }
    }
    Ok(text)
}

/// The listed changes of a kind, and the number of others.
fn listed<'a>(
    kind: ChangeKind,
    changes: &'a [&'a CaseDiff],
    all: bool,
) -> (impl Iterator<Item = &'a &'a CaseDiff>, Option<String>) {
    let most = if all { changes.len() } else { most(kind) };
    let more = changes.len().checked_sub(most).filter(|more| *more > 0);
    (changes.iter().take(most), more.map(|more| thousands(more as u64)))
}
