//! Answers of a history as rows of text; the first row has the names of the columns.

use harness_history::{Bad, Place, Summary};
use run_record::trends::Change;
use run_record::{Outcome, VerdictKind};

fn header(names: &[&str]) -> Vec<Vec<String>> {
    vec![names.iter().map(|&name| name.to_owned()).collect()]
}

pub(super) fn summary_rows(items: &[Summary]) -> Vec<Vec<String>> {
    let names = [
        "run",
        "release",
        "backend",
        "version",
        "pass",
        "wrong",
        "broken",
        "not supported",
        "broke",
        "fixed",
        "max ULP",
        "label",
    ];
    let mut rows = header(&names);
    let or_dash = |count: Option<u64>| count.map_or_else(|| "–".to_owned(), |count| count.to_string());
    rows.extend(items.iter().map(|item| {
        vec![
            item.started.clone(),
            item.release.clone(),
            item.backend.clone(),
            item.version.clone(),
            item.verdict(VerdictKind::Pass).to_string(),
            item.count(Outcome::Wrong).to_string(),
            item.count(Outcome::Broken).to_string(),
            (item.verdict(VerdictKind::Unsupported) + item.verdict(VerdictKind::NotTaken)).to_string(),
            or_dash(item.broke),
            or_dash(item.fixed),
            item.max_ulp.map_or_else(String::new, |ulp| ulp.to_string()),
            item.label.clone(),
        ]
    }));
    rows
}

/// A line for each stretch of runs with the same verdict.
pub(super) fn place_rows(items: &[Place]) -> Vec<Vec<String>> {
    let mut rows = header(&[
        "case", "backend", "verdict", "from", "version", "to", "version", "runs", "reason",
    ]);
    let same = |a: &Place, b: &Place| (&a.test, &a.backend, &a.verdict) == (&b.test, &b.backend, &b.verdict);
    for stretch in items.chunk_by(same) {
        let (Some(first), Some(last)) = (stretch.first(), stretch.last()) else {
            continue;
        };
        rows.push(vec![
            first.test.clone(),
            first.backend.clone(),
            first.verdict.clone(),
            first.started.clone(),
            first.version.clone(),
            last.started.clone(),
            last.version.clone(),
            stretch.len().to_string(),
            last.reason.clone().unwrap_or_default(),
        ]);
    }
    rows
}

pub(super) fn bad_rows(items: &[Bad]) -> Vec<Vec<String>> {
    let mut rows = header(&["case", "last good", "first bad", "verdict", "reason"]);
    rows.extend(items.iter().map(|item| {
        let fields = [
            &item.test,
            &item.last_good,
            &item.first_bad,
            &item.verdict,
            &item.reason,
        ];
        fields.map(String::clone).to_vec()
    }));
    rows
}

pub(super) fn change_rows(items: &[Change]) -> Vec<Vec<String>> {
    let mut rows = header(&[
        "change since",
        "backend",
        "of",
        "what",
        "before",
        "after",
        "version",
        "cases",
        "p",
    ]);
    rows.extend(items.iter().map(|item| {
        vec![
            item.since.clone(),
            item.backend.clone(),
            item.about.clone(),
            item.title(),
            item.measure.figure(item.before),
            item.measure.figure(item.after),
            item.versions(),
            item.moved(),
            item.probability(),
        ]
    }));
    rows
}
