//! The page's data: every result other than a pass, for the script that filters and lists results.
//!
//! The data is JSON in a script element that is not executed. Texts are already safe to show, and cannot
//! end the element.

use std::collections::BTreeMap;

use serde::Serialize;

use super::super::repeat::{literal_filter, repeat_prefix};
use super::super::severity::{Class, sign};
use super::blocks::plain;
use super::facts::facts;
use super::failures::Failures;
use super::heat::{Numbers, is_shown};
use super::rows::{Row, Types, needed_opset};
use crate::render::RenderError;
use run_record::Report;
use run_record::rank;
use run_record::{CaseRecord, VerdictKind};

#[derive(Serialize)]
struct Data<'a> {
    backends: Vec<&'a str>,
    /// Key, label, class and sign of each verdict; cases refer to them by index.
    verdicts: Vec<(&'static str, &'static str, &'static str, &'static str)>,
    corpora: Vec<&'a str>,
    /// Sets of corpora, to which cases refer.
    places: Vec<Vec<usize>>,
    operators: Vec<&'a str>,
    types: Vec<&'a str>,
    labels: Vec<&'static str>,
    /// Commands without the case at their end.
    commands: Vec<String>,
    cases: Vec<Case<'a>>,
    results: Vec<Entry>,
}

/// Id, operators, types, needed opset (0 if there is none), set of corpora, row of the heat map, verdict
/// by backend (−1 if there is none).
type Case<'a> = (&'a str, Vec<usize>, Vec<usize>, u32, usize, usize, Vec<i32>);

/// Case, backend (−1 for an excluded case, which concerns all), group, reason if it differs from the
/// group's, facts, command, and the name of the case in the command if it differs from its id.
type Entry = (usize, i32, usize, String, Vec<(usize, String)>, usize, String);

/// Texts in the order of their first occurrence.
#[derive(Default)]
struct Interned<T>(BTreeMap<T, usize>);

impl<T: Ord + Clone> Interned<T> {
    fn place(&mut self, value: T) -> usize {
        let next = self.0.len();
        *self.0.entry(value).or_insert(next)
    }

    fn list(self) -> Vec<T> {
        let mut list: Vec<(usize, T)> = self.0.into_iter().map(|(value, place)| (place, value)).collect();
        list.sort_by_key(|(place, _)| *place);
        list.into_iter().map(|(_, value)| value).collect()
    }
}

/// The data as JSON that can be inserted into a script element.
pub(super) fn data(
    report: &Report,
    rows: &[Row<'_>],
    failures: &Failures<'_>,
    numbers: &Numbers,
) -> Result<String, RenderError> {
    let names = report.backends.iter().map(|backend| backend.info.name.as_str());
    let names: Vec<&str> = names.collect();
    let (mut cases, mut places) = (Cases::new(report), BTreeMap::new());
    for row in rows {
        let kinds = row.kinds();
        if is_shown(&kinds) {
            let number = numbers.get(&kinds).copied().unwrap_or_default();
            places.insert(row.case, cases.list.len());
            cases.add(row, number);
        }
    }
    let mut results = Results::default();
    for backend in &failures.backends {
        for group in backend.sections.iter().flat_map(|section| &section.groups) {
            for record in &group.records {
                let Some(&case) = places.get(record.case.as_str()) else {
                    continue;
                };
                let reason = if group.varies() {
                    record.reason.as_str()
                } else {
                    ""
                };
                results.add(report, record, case, place(&names, record), group.number, reason);
            }
        }
    }
    let data = Data {
        backends: names,
        verdicts: VerdictKind::ALL
            .map(|kind| (kind.key(), kind.label(), Class::of(kind).key(), sign(kind)))
            .into(),
        corpora: cases.corpora,
        places: cases.places.list(),
        operators: cases.operators.list(),
        types: cases.types.list(),
        labels: results.labels.list(),
        commands: results.commands.list(),
        cases: cases.list,
        results: results.list,
    };
    plain(&data)
}

/// The backend's index; −1 for an excluded case.
fn place(names: &[&str], record: &CaseRecord) -> i32 {
    if Class::of(record.verdict.kind()) == Class::Excluded {
        return -1;
    }
    let place = names.iter().position(|name| *name == record.backend);
    place.and_then(|place| i32::try_from(place).ok()).unwrap_or(-1)
}

struct Cases<'a> {
    of_types: Types<'a>,
    corpora: Vec<&'a str>,
    places: Interned<Vec<usize>>,
    operators: Interned<&'a str>,
    types: Interned<&'a str>,
    list: Vec<Case<'a>>,
}

impl<'a> Cases<'a> {
    fn new(report: &'a Report) -> Self {
        let mut corpora: Vec<&str> = report
            .releases
            .iter()
            .map(|release| release.corpus.as_str())
            .collect();
        corpora.sort_by_key(|corpus| std::cmp::Reverse(rank(corpus)));
        Self {
            of_types: Types::of(report),
            corpora,
            places: Interned::default(),
            operators: Interned::default(),
            types: Interned::default(),
            list: Vec::new(),
        }
    }

    fn add(&mut self, row: &Row<'a>, number: usize) {
        let Some(record) = row.any() else {
            return;
        };
        let mut corpora: Vec<usize> = record
            .corpora()
            .filter_map(|corpus| self.corpora.iter().position(|other| *other == corpus))
            .collect();
        corpora.sort_unstable();
        let place = |kind: VerdictKind| VerdictKind::ALL.iter().position(|other| *other == kind);
        let verdict = |kind: Option<VerdictKind>| {
            let place = kind.and_then(place);
            place.and_then(|place| i32::try_from(place).ok()).unwrap_or(-1)
        };
        let operators = record
            .operators
            .iter()
            .map(|operator| self.operators.place(operator));
        let operators = operators.collect();
        let types = self.of_types.of_case(row.case).map(|name| self.types.place(name));
        let types = types.collect();
        self.list.push((
            row.case,
            operators,
            types,
            needed_opset(&record.operators).unwrap_or_default(),
            self.places.place(corpora),
            number,
            row.kinds().into_iter().map(verdict).collect(),
        ));
    }
}

#[derive(Default)]
struct Results {
    labels: Interned<&'static str>,
    commands: Interned<String>,
    list: Vec<Entry>,
}

impl Results {
    fn add(
        &mut self,
        report: &Report,
        record: &CaseRecord,
        case: usize,
        backend: i32,
        group: usize,
        reason: &str,
    ) {
        let prefix = repeat_prefix(&report.started.repeat, &record.backend, &record.case);
        let named = literal_filter(&record.case);
        let facts = facts(record);
        let facts = facts
            .into_iter()
            .map(|(label, value)| (self.labels.place(label), value));
        let facts = facts.collect();
        self.list.push((
            case,
            backend,
            group,
            reason.to_owned(),
            facts,
            self.commands.place(prefix),
            if named == record.case {
                String::new()
            } else {
                named
            },
        ));
    }
}
