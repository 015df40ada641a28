//! Suites × backends.

use std::collections::BTreeMap;

use super::operators::{Cell, cell};
use super::totals::{Bar, bar};
use crate::record::CaseId;
use crate::{Report, Tally};

/// One suite of one corpus.
pub(super) struct Row {
    pub corpus: String,
    pub suite: String,
    pub cells: Vec<(Cell, Bar)>,
}

pub(super) fn suites(report: &Report) -> Vec<Row> {
    let mut rows: BTreeMap<(&str, &str), Vec<Tally>> = BTreeMap::new();
    for (rank, backend) in report.backends.iter().enumerate() {
        for record in report.cases_of(&backend.info.name) {
            let CaseId { corpus, suite, .. } = CaseId::parse(&record.case);
            let row = rows
                .entry((corpus, suite))
                .or_insert_with(|| vec![Tally::default(); report.backends.len()]);
            row[rank].add(record.verdict.kind());
        }
    }
    rows.into_iter()
        .map(|((corpus, suite), tallies)| Row {
            corpus: corpus.to_owned(),
            suite: suite.to_owned(),
            cells: tallies.iter().map(|tally| (cell(tally), bar(tally))).collect(),
        })
        .collect()
}
