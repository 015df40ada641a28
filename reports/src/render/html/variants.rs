//! Variants compared with their plain cases.

use super::super::variants::{ABOUT, cell, not_applicable, what};
use run_record::Report;

pub(super) struct Variants {
    pub about: &'static str,
    pub rows: Vec<Row>,
}

/// One kind of variant.
pub(super) struct Row {
    pub kind: &'static str,
    pub what: &'static str,
    /// One text for each backend, and whether any variant differs.
    pub cells: Vec<(String, bool)>,
    /// Why it does not apply, and to how many cases.
    pub reasons: Vec<String>,
}

pub(super) fn variants(report: &Report) -> Variants {
    let rows = report.variants.iter().map(|kind| Row {
        kind: kind.kind.key(),
        what: what(kind.kind),
        cells: kind
            .tallies
            .iter()
            .map(|tally| (cell(tally), tally.differ > 0))
            .collect(),
        reasons: not_applicable(kind),
    });
    Variants {
        about: ABOUT,
        rows: rows.collect(),
    }
}
