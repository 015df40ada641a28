//! Failures as a heat map of cases × backends: cases with the same verdicts on all backends are one row,
//! which can be expanded.
//!
//! Cases in which only one backend fails come first, because such a failure is most likely a fault of
//! the backend.

use std::collections::BTreeMap;

use super::super::severity::{Class, severity, sign};
use super::rows::Row;
use run_record::Report;
use run_record::common::unversioned;
use run_record::text::{counted, thousands};
use run_record::{CaseId, VerdictKind};

pub(super) struct Heat {
    pub cases: String,
    pub bands: Vec<Band>,
}

/// Cases in which the same number of backends fail.
pub(super) struct Band {
    pub title: String,
    pub patterns: Vec<Pattern>,
}

/// Cases with the same verdicts.
pub(super) struct Pattern {
    /// The number of the row in the page's data.
    pub number: usize,
    pub count: String,
    /// The operators of most of the cases.
    pub operators: String,
    pub cells: Vec<Cell>,
}

/// One backend.
pub(super) struct Cell {
    pub class: &'static str,
    pub key: &'static str,
    pub sign: &'static str,
    pub label: &'static str,
}

/// The verdicts of a case by backend.
type Kinds = Vec<Option<VerdictKind>>;

/// The numbers of the rows by their verdicts.
pub(super) type Numbers = BTreeMap<Kinds, usize>;

/// The band of a row: its kind, and the backend or the number of backends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    OneFails(usize),
    SomeFail(usize),
    AllFail,
    NotSupported,
    Excluded,
    NotRun,
}

/// The maximum number of operators in a row.
const NAMED: usize = 3;

pub(super) fn heat(report: &Report, rows: &[Row<'_>]) -> (Heat, Numbers) {
    let mut found: BTreeMap<Kinds, Vec<&Row<'_>>> = BTreeMap::new();
    for row in rows.iter().filter(|row| is_shown(&row.kinds())) {
        found.entry(row.kinds()).or_default().push(row);
    }
    let cases: usize = found.values().map(Vec::len).sum();
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by_key(|(kinds, rows)| (band(kinds), worst(kinds), std::cmp::Reverse(rows.len())));
    let numbers = found.iter().enumerate();
    let numbers = numbers
        .map(|(number, (kinds, _))| (kinds.clone(), number))
        .collect();
    let mut bands: Vec<(Kind, Vec<Pattern>)> = Vec::new();
    for (number, (kinds, rows)) in found.iter().enumerate() {
        let kind = band(kinds);
        if bands.last().is_none_or(|(last, _)| *last != kind) {
            bands.push((kind, Vec::new()));
        }
        if let Some((_, patterns)) = bands.last_mut() {
            patterns.push(pattern(number, kinds, rows));
        }
    }
    let bands = bands.into_iter().map(|(kind, patterns)| Band {
        title: title(report, kind),
        patterns,
    });
    let heat = Heat {
        cases: thousands(cases as u64),
        bands: bands.collect(),
    };
    (heat, numbers)
}

/// Whether any backend does not pass.
pub(super) fn is_shown(kinds: &[Option<VerdictKind>]) -> bool {
    kinds.iter().flatten().any(|kind| *kind != VerdictKind::Pass)
}

fn fails(kind: &Option<VerdictKind>) -> bool {
    kind.is_some_and(|kind| matches!(Class::of(kind), Class::Wrong | Class::Broken))
}

fn band(kinds: &Kinds) -> Kind {
    let failing = kinds.iter().filter(|kind| fails(kind)).count();
    let has = |class| kinds.iter().flatten().any(|&kind| Class::of(kind) == class);
    match failing {
        1 => Kind::OneFails(kinds.iter().position(fails).unwrap_or_default()),
        0 if has(Class::Unsupported) => Kind::NotSupported,
        0 if has(Class::Excluded) => Kind::Excluded,
        0 => Kind::NotRun,
        all if all == kinds.len() => Kind::AllFail,
        // Rows with fewer failures come first.
        some => Kind::SomeFail(some),
    }
}

fn worst(kinds: &Kinds) -> usize {
    let all = kinds.iter().flatten().map(|&kind| severity(kind));
    all.min().unwrap_or_default()
}

/// Whether all cases are models of the user, of `compare`.
fn is_of_user(report: &Report) -> bool {
    report.cases.iter().all(|record| {
        let id = CaseId::parse(&record.case);
        (id.corpus, id.suite) == ("local", "models")
    })
}

fn title(report: &Report, kind: Kind) -> String {
    let name = |place: usize| {
        report
            .backends
            .get(place)
            .map_or("", |backend| &backend.info.name)
    };
    match (kind, report.backends.len()) {
        (Kind::OneFails(place), 1) => format!("{} fails", name(place)),
        (Kind::OneFails(place), _) => format!("Only {} fails", name(place)),
        (Kind::SomeFail(count), _) => format!("{count} backends fail"),
        // A model of the user has no stored outputs that could be faulty.
        (Kind::AllFail, _) if is_of_user(report) => {
            "All backends fail: they may share a fault, or the model leaves room for several answers"
                .to_owned()
        }
        (Kind::AllFail, _) => "All backends fail: the test may be faulty".to_owned(),
        (Kind::NotSupported, _) => "No backend fails, but some do not support the case".to_owned(),
        (Kind::Excluded, _) => "Excluded: the test is faulty or cannot be read".to_owned(),
        (Kind::NotRun, _) => "Not run".to_owned(),
    }
}

fn pattern(number: usize, kinds: &Kinds, rows: &[&Row<'_>]) -> Pattern {
    Pattern {
        number,
        count: counted(rows.len(), "case"),
        operators: operators(rows),
        cells: kinds.iter().map(cell).collect(),
    }
}

fn cell(kind: &Option<VerdictKind>) -> Cell {
    match kind {
        Some(kind) => Cell {
            class: Class::of(*kind).key(),
            key: kind.key(),
            sign: sign(*kind),
            label: kind.label(),
        },
        None => Cell {
            class: "none",
            key: "none",
            sign: "",
            label: "no result",
        },
    }
}

/// `Resize, Cast and 12 more`: names without versions, the most frequent first.
fn operators(rows: &[&Row<'_>]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for record in rows.iter().filter_map(|row| row.any()) {
        let about = record
            .accountable_operator()
            .unwrap_or("models of several operators");
        let name = unversioned(about);
        *counts.entry(name).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    let named: Vec<&str> = counts.iter().take(NAMED).map(|(name, _)| *name).collect();
    match counts.len().saturating_sub(NAMED) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, Kinds, band};
    use run_record::VerdictKind::{self, *};

    fn check(kinds: &[VerdictKind], expected: Kind) {
        let kinds: Kinds = kinds.iter().copied().map(Some).collect();
        assert!(band(&kinds) == expected, "{kinds:?}");
    }

    #[test]
    fn a_backend_that_fails_alone_comes_first() {
        check(&[Pass, Crash, Unsupported], Kind::OneFails(1));
        check(&[Mismatch, Crash, Unsupported], Kind::SomeFail(2));
        check(&[Mismatch, Crash], Kind::AllFail);
        check(&[Pass, Unsupported], Kind::NotSupported);
        check(&[Disputed, Disputed], Kind::Excluded);
        check(&[Pass, NotRun], Kind::NotRun);
        assert!(Kind::OneFails(7) < Kind::SomeFail(2) && Kind::SomeFail(2) < Kind::SomeFail(3));
        assert!(Kind::SomeFail(9) < Kind::AllFail && Kind::AllFail < Kind::NotSupported);
    }
}
