//! Suites × backends, and releases × backends.

use std::collections::BTreeMap;

use super::operators::{Cell, cell};
use super::totals::{Bar, bar};
use crate::record::CaseId;
use crate::text::thousands;
use crate::{Report, Tally};

/// A table of backends against something that cases are parted by.
pub(super) struct Matrix {
    pub id: &'static str,
    pub title: &'static str,
    pub lead: &'static str,
    pub rows: Vec<Row>,
}

/// A suite, or a release.
pub(super) struct Row {
    pub name: String,
    /// What else is to be said of it.
    pub note: String,
    pub cells: Vec<(Cell, Bar)>,
}

/// The suites and, where there are several, the releases.
pub(super) fn matrices(report: &Report) -> Vec<Matrix> {
    let mut matrices = vec![Matrix {
        id: "suites",
        title: "Suites",
        lead: "",
        rows: suites(report),
    }];
    if report.releases.len() > 1 {
        matrices.push(Matrix {
            id: "releases",
            title: "Releases",
            lead: "A case that several releases have, byte for byte, was run once and counts under each.",
            rows: releases(report),
        });
    }
    matrices
}

/// The suites, over all releases: of a case that several have, there is one result.
fn suites(report: &Report) -> Vec<Row> {
    let mut rows: BTreeMap<&str, Vec<Tally>> = BTreeMap::new();
    for (rank, backend) in report.backends.iter().enumerate() {
        for record in report.cases_of(&backend.info.name) {
            let row = rows
                .entry(CaseId::parse(&record.case).suite)
                .or_insert_with(|| vec![Tally::default(); report.backends.len()]);
            row[rank].add(record.verdict.kind());
        }
    }
    let note = match &*report.releases {
        [only] => only.corpus.clone(),
        _ => String::new(),
    };
    rows.into_iter()
        .map(|(suite, tallies)| row(suite, note.clone(), &tallies))
        .collect()
}

/// The releases, newest first.
fn releases(report: &Report) -> Vec<Row> {
    let releases = report.releases.iter().rev();
    releases
        .map(|release| {
            let (cases, distinct) = (thousands(release.cases), thousands(release.distinct));
            row(
                &release.corpus,
                format!("{cases} cases, {distinct} new"),
                &release.tallies,
            )
        })
        .collect()
}

fn row(name: &str, note: String, tallies: &[Tally]) -> Row {
    Row {
        name: name.to_owned(),
        note,
        cells: tallies.iter().map(|tally| (cell(tally), bar(tally))).collect(),
    }
}
