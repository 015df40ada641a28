//! Renderers of the comparison of two runs.

mod page;
mod text;

pub use page::diff_html;
pub use text::{diff_markdown, diff_text};

use super::RenderError;
use run_record::diff::{BackendDiff, CaseDiff, ChangeKind, Diff, Side};
use run_record::shown;

/// The comparison for programs; its version is [`DIFF_VERSION`](run_record::diff::DIFF_VERSION).
pub fn diff_json(diff: &Diff) -> Result<String, RenderError> {
    let mut text = shown::json(&serde_json::to_string_pretty(diff)?);
    text.push('\n');
    Ok(text)
}

/// The kinds of changes of the backend, with their changes.
fn parts(backend: &BackendDiff) -> impl Iterator<Item = (ChangeKind, Vec<&CaseDiff>)> {
    let of = |kind: ChangeKind| {
        let changes = backend.changes.iter().filter(|change| change.kind == kind);
        (kind, changes.collect::<Vec<_>>())
    };
    ChangeKind::ALL
        .into_iter()
        .map(of)
        .filter(|(_, changes)| !changes.is_empty())
}

/// `1 broken, 3 fixed`, or `nothing changed`.
pub(super) fn counts(backend: &BackendDiff) -> String {
    let present = ChangeKind::ALL
        .into_iter()
        .filter(|kind| backend.count(*kind) > 0);
    let words = present.map(|kind| kind.counted(backend.count(kind)));
    match words.collect::<Vec<_>>().join(", ") {
        words if words.is_empty() => "nothing changed".to_owned(),
        words => words,
    }
}

/// `pass, 1 ULP → mismatch (numeric): the reason`.
fn sides(change: &CaseDiff) -> String {
    let words = |side: &Option<Side>| side.as_ref().map_or("none".to_owned(), Side::words);
    let both = [&change.after, &change.before].into_iter().flatten();
    let mut reasons = both.map(|side| side.reason.as_str());
    let reason = reasons.find(|reason| !reason.is_empty()).unwrap_or_default();
    let sides = match (&change.before, &change.after) {
        (Some(_), Some(_)) => format!("{} → {}", words(&change.before), words(&change.after)),
        (one, other) => words(if one.is_some() { one } else { other }),
    };
    match reason {
        "" => sides,
        reason => format!("{sides}: {reason}"),
    }
}

/// The differences between the runs other than results, one per line.
fn conditions(diff: &Diff) -> Vec<String> {
    let (before, after) = (&diff.before, &diff.after);
    let pairs = [
        ("cases of", &before.release, &after.release),
        ("policy", &before.policy, &after.policy),
        ("processor", &before.cpu, &after.cpu),
        ("harness", &before.harness, &after.harness),
    ];
    let differ = pairs.into_iter().filter(|(_, old, new)| old != new);
    let mut lines: Vec<String> = differ
        .map(|(what, old, new)| format!("{what} {old} → {new}"))
        .collect();
    for backend in &diff.backends {
        let options = backend.options.iter();
        lines.extend(
            options
                .map(|(name, [old, new])| format!("{}: option {name} `{old}` → `{new}`", backend.names[1])),
        );
    }
    let incomplete = [("earlier", before), ("later", after)];
    let incomplete = incomplete.into_iter().filter(|(_, run)| !run.complete);
    lines.extend(incomplete.map(|(which, _)| format!("the {which} run is incomplete")));
    lines.extend(
        diff.only_before
            .iter()
            .map(|name| format!("only the earlier run has {name}")),
    );
    lines.extend(
        diff.only_after
            .iter()
            .map(|name| format!("only the later run has {name}")),
    );
    lines
}

/// `2026-11-20 19:40:00 UTC`.
pub(super) fn when(started: &str) -> String {
    started.replace('T', " ").replace('Z', " UTC")
}
