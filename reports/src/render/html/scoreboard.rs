//! Results by backend and by domain, opset, type, suite and release.

use std::collections::BTreeMap;

use super::operators::{Cell, cell, parse};
use super::rows::{Row, Types, needed_opset};
use run_record::CaseId;
use run_record::text::thousands;
use run_record::{Report, Tally};

/// One table.
pub(super) struct Board {
    /// The name in the filter of failures, and the table's id.
    pub id: &'static str,
    pub title: &'static str,
    pub about: &'static str,
    /// Whether the filter of failures supports these rows.
    pub linked: bool,
    pub rows: Vec<BoardRow>,
}

/// One domain, opset, type, suite or release.
pub(super) struct BoardRow {
    pub name: String,
    /// The value for the filter of failures.
    pub value: String,
    pub cases: String,
    pub cells: Vec<Cell>,
}

/// The tables with more than one row; for several releases, the rows of one table.
pub(super) fn boards(report: &Report, rows: &[Row<'_>]) -> Vec<Board> {
    let types = Types::of(report);
    let mut boards = vec![
        board(
            report,
            rows,
            (
                "domain",
                "Domain",
                "By the domain of the operator that a case tests.",
            ),
            |row| vec![domain(row)],
        ),
        board(
            report,
            rows,
            (
                "opset",
                "Opset",
                "By the opset that a case needs: the newest version among its operators. A model of opset 17 uses rows up to 17.",
            ),
            |row| {
                let opset = row.any().and_then(|record| needed_opset(&record.operators));
                opset.map(|opset| format!("{opset:>3}")).into_iter().collect()
            },
        ),
        board(
            report,
            rows,
            (
                "type",
                "Type",
                "By the types of inputs and outputs. A case counts for each of its types.",
            ),
            |row| types.of_case(row.case).map(str::to_owned).collect(),
        ),
        board(
            report,
            rows,
            ("suite", "Suite", "By the suite of the corpus."),
            |row| vec![CaseId::parse(row.case).suite.to_owned()],
        ),
    ];
    boards.push(releases(report));
    boards.retain(|board| board.rows.len() > 1);
    boards
}

fn board(
    report: &Report,
    rows: &[Row<'_>],
    (id, title, about): (&'static str, &'static str, &'static str),
    parts: impl Fn(&Row<'_>) -> Vec<String>,
) -> Board {
    let mut found: BTreeMap<String, Vec<Tally>> = BTreeMap::new();
    for row in rows {
        for part in parts(row) {
            let tallies = found
                .entry(part)
                .or_insert_with(|| vec![Tally::default(); report.backends.len()]);
            for (tally, kind) in tallies.iter_mut().zip(row.kinds()) {
                kind.into_iter().for_each(|kind| tally.add(kind));
            }
        }
    }
    let rows = found.into_iter().map(|(name, tallies)| BoardRow {
        name: name.trim().to_owned(),
        value: name.trim().to_owned(),
        cases: thousands(tallies.iter().map(Tally::total).max().unwrap_or_default()),
        cells: tallies.iter().map(cell).collect(),
    });
    Board {
        id,
        title,
        about,
        linked: matches!(id, "opset" | "type"),
        rows: rows.collect(),
    }
}

/// The releases, newest first.
fn releases(report: &Report) -> Board {
    let rows = report.releases.iter().rev().map(|release| BoardRow {
        name: match release.distinct {
            distinct if distinct == release.cases => release.corpus.clone(),
            distinct => format!("{} ({} new)", release.corpus, thousands(distinct)),
        },
        value: release.corpus.clone(),
        cases: thousands(release.cases),
        cells: release.tallies.iter().map(cell).collect(),
    });
    Board {
        id: "release",
        title: "Release",
        about: "A case that is in several releases, byte for byte, was run once and counts for each.",
        linked: true,
        rows: rows.collect(),
    }
}

/// The domain of the operator that a case tests.
fn domain(row: &Row<'_>) -> String {
    let about = row.any().and_then(|record| record.accountable_operator());
    match about.and_then(parse) {
        Some(("", ..)) => "ai.onnx".to_owned(),
        Some((domain, ..)) => domain.to_owned(),
        None => "models of several operators".to_owned(),
    }
}
