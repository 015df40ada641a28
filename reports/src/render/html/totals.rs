//! Counts of verdicts, and a stacked bar of them.

use super::super::columns::columns;
use run_record::text::{seconds, thousands};
use run_record::{Outcome, VerdictKind};
use run_record::{Report, Tally};

/// The table of totals.
pub(super) struct Totals {
    /// The verdicts that occur: each has a column.
    pub columns: Vec<VerdictKind>,
    pub rows: Vec<Row>,
}

pub(super) struct Row {
    pub name: String,
    pub counts: Vec<Count>,
    pub wall: String,
}

/// One count, under the verdict's column.
pub(super) struct Count {
    pub text: String,
    pub zero: bool,
}

/// A stacked bar, and its content as text for assistive technology.
pub(super) struct Bar {
    pub segments: Vec<Segment>,
    pub words: String,
}

pub(super) struct Segment {
    pub key: &'static str,
    pub width: String,
    pub title: String,
    /// The number of wrong or missing answers, which is shown in the bar itself; empty for others.
    pub text: String,
}

pub(super) fn totals(report: &Report) -> Totals {
    let columns = columns(report);
    let rows = report.backends.iter().map(|backend| Row {
        name: backend.info.name.clone(),
        counts: columns.iter().map(|&kind| count(&backend.tally, kind)).collect(),
        wall: if backend.wall_s > 0.0 {
            seconds(backend.wall_s)
        } else {
            String::new()
        },
    });
    Totals {
        rows: rows.collect(),
        columns,
    }
}

fn count(tally: &Tally, kind: VerdictKind) -> Count {
    let count = tally.get(kind);
    Count {
        text: thousands(count),
        zero: count == 0,
    }
}

/// The bar of `tally`, each segment as wide as its share.
pub(super) fn bar(tally: &Tally) -> Bar {
    let present = || tally.iter().filter(|(_, count)| *count > 0);
    let segments = present().map(|(kind, count)| Segment {
        key: kind.key(),
        width: format!("{:.3}", count as f64 / tally.total() as f64 * 100.0),
        title: format!("{} {}", thousands(count), kind.label()),
        text: match kind.outcome() {
            Outcome::Wrong | Outcome::Broken => thousands(count),
            Outcome::Passed | Outcome::NotJudged => String::new(),
        },
    });
    let words: Vec<String> = present()
        .map(|(kind, count)| format!("{} {}", thousands(count), kind.label()))
        .collect();
    Bar {
        segments: segments.collect(),
        words: if words.is_empty() {
            "no case".to_owned()
        } else {
            words.join(", ")
        },
    }
}
