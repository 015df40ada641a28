//! The comparison as an HTML page.

use askama::Template;

use super::{conditions, parts, when};
use crate::render::RenderError;
use crate::render::html::{COMMON_SCRIPT, FRONT_STYLE, STYLE, TABLES_SCRIPT};
use run_record::common::Shared;
use run_record::diff::{CaseDiff, ChangeKind, Diff, Side};
use run_record::text::{counted, thousands};

#[derive(Template)]
#[template(path = "diff.html", whitespace = "minimize")]
struct Page {
    title: String,
    lead: String,
    conditions: Vec<String>,
    styles: [&'static str; 2],
    scripts: [&'static str; 2],
    backends: Vec<Backend>,
}

struct Backend {
    title: String,
    summary: String,
    /// The class of the worst change, which determines the colour of the card.
    worst: &'static str,
    counts: Vec<(ChangeKind, String, bool)>,
    /// What the regressions have in common.
    shared: Vec<String>,
    parts: Vec<Part>,
}

/// The changes of one kind.
struct Part {
    kind: ChangeKind,
    count: String,
    open: bool,
    rows: Vec<Row>,
    /// The number of changes that are not listed.
    more: Option<String>,
}

struct Row {
    case: String,
    operators: String,
    before: String,
    after: String,
    reason: String,
}

/// The maximum number of rows of one kind; JSON has all.
const LISTED: usize = 1000;

/// The comparison as one HTML document, without network access, external fonts or scripts.
pub fn diff_html(diff: &Diff) -> Result<String, RenderError> {
    let page = Page {
        title: "Changes between two runs".to_owned(),
        lead: format!("{} → {}", when(&diff.before.started), when(&diff.after.started)),
        conditions: conditions(diff),
        styles: [STYLE, FRONT_STYLE],
        scripts: [COMMON_SCRIPT, TABLES_SCRIPT],
        backends: diff
            .backends
            .iter()
            .map(|backend| Backend {
                title: backend.title(),
                summary: format!("{} compared", counted(backend.compared, "case")),
                worst: match (backend.count(ChangeKind::Broken), backend.changes.is_empty()) {
                    (1.., _) => "wrong",
                    (0, true) => "passed",
                    (0, false) => "unsupported",
                },
                counts: ChangeKind::ALL
                    .map(|kind| (kind, thousands(backend.count(kind)), backend.count(kind) == 0))
                    .into(),
                shared: backend.shared.iter().map(Shared::words).collect(),
                parts: parts(backend)
                    .map(|(kind, changes)| part(kind, &changes))
                    .collect(),
            })
            .collect(),
    };
    Ok(page.render()?)
}

fn part(kind: ChangeKind, changes: &[&CaseDiff]) -> Part {
    let more = changes.len().checked_sub(LISTED).filter(|more| *more > 0);
    Part {
        kind,
        count: thousands(changes.len() as u64),
        open: matches!(kind, ChangeKind::Broken | ChangeKind::LessAccurate),
        rows: changes.iter().take(LISTED).map(|change| row(change)).collect(),
        more: more.map(|more| thousands(more as u64)),
    }
}

fn row(change: &CaseDiff) -> Row {
    let words = |side: &Option<Side>| side.as_ref().map(Side::words).unwrap_or_default();
    let sides = [&change.after, &change.before].into_iter().flatten();
    let mut reasons = sides
        .map(|side| side.reason.clone())
        .filter(|reason| !reason.is_empty());
    Row {
        case: change.case.clone(),
        operators: change
            .operators
            .iter()
            .take(3)
            .cloned()
            .collect::<Vec<_>>()
            .join(" "),
        before: words(&change.before),
        after: words(&change.after),
        reason: reasons.next().unwrap_or_default(),
    }
}
