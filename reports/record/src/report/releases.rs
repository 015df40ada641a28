//! The results by release: a case that is in several releases is run once and counted for each.

use std::collections::{BTreeMap, BTreeSet};

use super::{Fold, Tally};
use crate::{CaseRecord, Release};

/// The results of the cases of one corpus.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReleaseReport {
    /// The corpus, `onnx-1.22.0` or `local`.
    pub corpus: String,
    /// Its cases.
    pub cases: u64,
    /// The number of its cases that no older corpus of the run has; over all corpora they sum to the
    /// cases that were run.
    pub distinct: u64,
    /// The verdicts, by backend as in the report.
    pub tallies: Vec<Tally>,
}

/// Sorts corpora, and the cases in them, by release and not as text; other corpora come first.
pub fn rank(corpus: &str) -> (Option<Release>, &str) {
    (Release::of_corpus(corpus), corpus)
}

/// The cases of which a corpus is the oldest, by suite and name, and its row.
type Row<'r> = (BTreeSet<(&'r str, &'r str)>, ReleaseReport);

/// One row for each corpus, oldest first. `records` are sorted, so that the results of one case are
/// adjacent.
pub(super) fn releases<'r>(fold: &'r Fold, backends: usize) -> Vec<ReleaseReport> {
    let mut rows: BTreeMap<_, Row<'r>> = BTreeMap::new();
    for (key, record) in &fold.cases {
        for (age, corpus) in record.corpora().enumerate() {
            let (distinct, row) = rows.entry(rank(corpus)).or_default();
            row.tallies.resize(backends, Tally::default());
            row.tallies[key.backend].add(record.verdict.kind());
            if age == 0 {
                distinct.insert(name(record));
            }
        }
    }
    rows.into_iter()
        .map(|((_, corpus), (distinct, row))| ReleaseReport {
            corpus: corpus.to_owned(),
            cases: row.tallies.iter().map(Tally::total).max().unwrap_or(0),
            distinct: distinct.len() as u64,
            tallies: row.tallies,
        })
        .collect()
}

/// The identity of the cases of which a corpus is the oldest: their names are unique.
fn name(record: &CaseRecord) -> (&str, &str) {
    let id = crate::CaseId::parse(&record.case);
    (id.suite, id.name)
}
