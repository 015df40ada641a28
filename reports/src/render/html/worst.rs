//! The worst findings, for a first look.

use std::collections::BTreeMap;

use super::super::news::{Changed, Newness};
use super::super::repeat_command;
use super::super::severity::{Class, severity};
use super::brief::brief;
use super::case_link;
use super::failures::verdict_words;
use super::rows::Row;
use crate::View;
use run_record::Report;
use run_record::text::thousands;
use run_record::{CaseRecord, VerdictKind};

pub(super) struct Finding {
    pub key: &'static str,
    pub verdict: String,
    pub backend: String,
    pub case: String,
    /// The address of the page about the case.
    pub link: String,
    pub reason: String,
    /// Whether it is a regression.
    pub new: bool,
    /// The reason without parts that do not help to distinguish it.
    pub brief: String,
    /// The results of the other backends: `the other 3 pass`.
    pub others: String,
    /// The number of other results of this backend with the same verdict on the same operator.
    pub similar: String,
    pub command: String,
}

/// The maximum number of findings.
const LISTED: usize = 8;

/// The sort key of findings: severity, number of other backends that do not pass, and error. A failure
/// of only one backend is most likely its own fault.
type Rank = (usize, usize, std::cmp::Reverse<u64>);

/// The worst findings, one for each backend, verdict and operator; wrong answers come before
/// crashes, crashes before errors.
pub(super) fn worst<'a>(report: &View, rows: &'a [Row<'a>]) -> Result<Vec<Finding>, askama::Error> {
    let changed = Changed::of(report);
    let mut found: BTreeMap<(usize, VerdictKind, &str), Candidate<'a>> = BTreeMap::new();
    for row in rows {
        for (place, record) in row.records.iter().enumerate() {
            let Some(record) = record.filter(|record| is_finding(record)) else {
                continue;
            };
            let kind = record.verdict.kind();
            let about = record.accountable_operator().unwrap_or(&record.case);
            let candidate = Candidate {
                rank: rank(record, row),
                record,
                row,
                count: 1,
            };
            let key = (place, kind, about);
            let known = found.remove(&key);
            found.insert(key, known.map_or(candidate, |known| known.and(candidate)));
        }
    }
    let mut found: Vec<Candidate<'a>> = found.into_values().collect();
    let newness = |found: &Candidate<'_>| changed.newness(&found.record.backend, &found.record.case);
    found.sort_by_key(|found| {
        (
            newness(found),
            found.rank,
            &found.record.case,
            &found.record.backend,
        )
    });
    found
        .iter()
        .take(LISTED)
        .map(|found| finding(report, &changed, found))
        .collect()
}

/// The worst of the results with the same backend, verdict and operator, and their number.
#[derive(Clone, Copy)]
struct Candidate<'a> {
    rank: Rank,
    record: &'a CaseRecord,
    row: &'a Row<'a>,
    count: u64,
}

impl Candidate<'_> {
    fn and(self, other: Self) -> Self {
        let worse = if other.rank < self.rank { other } else { self };
        Self {
            count: self.count + other.count,
            ..worse
        }
    }
}

fn is_finding(record: &CaseRecord) -> bool {
    matches!(Class::of(record.verdict.kind()), Class::Wrong | Class::Broken)
}

fn rank(record: &CaseRecord, row: &Row<'_>) -> Rank {
    let error = record.worst(|output| output.max_rel).unwrap_or(f64::INFINITY);
    (
        severity(record.verdict.kind()),
        row.records
            .iter()
            .flatten()
            .filter(|other| is_finding(other))
            .count(),
        // Floats of one sign are sorted like their bit patterns.
        std::cmp::Reverse(error.abs().to_bits()),
    )
}

fn finding(report: &Report, changed: &Changed<'_>, found: &Candidate<'_>) -> Result<Finding, askama::Error> {
    let Candidate {
        record, row, count, ..
    } = *found;
    Ok(Finding {
        key: Class::of(record.verdict.kind()).key(),
        verdict: verdict_words(record),
        backend: record.backend.clone(),
        case: record.case.clone(),
        link: case_link(&record.case)?,
        brief: brief(&record.reason),
        reason: record.reason.clone(),
        new: changed.newness(&record.backend, &record.case) == Newness::Regressed,
        others: others(record, row),
        similar: match count {
            1 => String::new(),
            2 => "and 1 more like it".to_owned(),
            count => format!("and {} more like it", thousands(count - 1)),
        },
        command: repeat_command(&report.started.repeat, &record.backend, &record.case),
    })
}

/// The results of the other backends.
fn others(record: &CaseRecord, row: &Row<'_>) -> String {
    let others: Vec<Class> = row
        .records
        .iter()
        .flatten()
        .filter(|other| other.backend != record.backend)
        .map(|other| Class::of(other.verdict.kind()))
        .collect();
    let all = others.len();
    let count = |class| others.iter().filter(|&&other| other == class).count();
    let failed = count(Class::Wrong) + count(Class::Broken);
    if all == 0 || count(Class::Passed) == all || failed == all {
        return match (all, failed) {
            (0, _) => String::new(),
            (_, 0) => "all other backends pass".to_owned(),
            _ => "all other backends fail too".to_owned(),
        };
    }
    let parts = [
        (count(Class::Passed), "passes", "pass"),
        (failed, "fails", "fail"),
        (
            count(Class::Unsupported),
            "does not support it",
            "do not support it",
        ),
    ];
    let parts = parts.into_iter().filter(|(count, ..)| *count > 0);
    let parts =
        parts.map(|(count, one, several)| format!("{count} {}", if count == 1 { one } else { several }));
    let parts: Vec<String> = parts.collect();
    format!("others: {}", parts.join(", "))
}
