//! The answers of the backends to open questions of the specification.

use std::collections::BTreeMap;

use run_record::Report;
use run_record::text::thousands;

/// A description of the section.
pub(super) const ABOUT: &str = "The specification leaves some questions open. Each row is one of them; a cell has the answers that a \
    backend follows in the cases that depend on it. Answers other than the default are marked. `onnx-conformance readings` has the \
    sentences and the evidence.";

/// The answers to one question.
#[derive(Debug)]
pub(super) struct Row<'a> {
    pub question: &'a str,
    pub default: &'a str,
    /// The answers of each backend of the report, and whether one of them differs from the default.
    pub cells: Vec<(String, bool)>,
}

/// A row for each question on which a case depends, sorted.
pub(super) fn rows(report: &Report) -> Vec<Row<'_>> {
    let mut questions: BTreeMap<&str, &str> = BTreeMap::new();
    for one in &report.readings {
        questions.insert(&one.question, &one.default);
    }
    let row = |(question, default)| Row {
        question,
        default,
        cells: report
            .backends
            .iter()
            .map(|backend| cell(report, question, default, &backend.info.name))
            .collect(),
    };
    questions.into_iter().map(row).collect()
}

fn cell(report: &Report, question: &str, default: &str, backend: &str) -> (String, bool) {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    let of = report
        .readings
        .iter()
        .filter(|one| one.question == question && one.backend == backend);
    for one in of {
        *counts
            .entry(one.answer.as_deref().unwrap_or("another"))
            .or_default() += 1;
    }
    let departs = counts.keys().any(|answer| *answer != default);
    let text = counts
        .iter()
        .map(|(answer, count)| format!("{answer} {}", thousands(*count)));
    match text.collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => ("–".to_owned(), false),
        text => (text, departs),
    }
}
