//! What is new in a run: against the baseline of a gate, or else against an earlier run.
//!
//! Terminal, Markdown, JUnit and HTML begin with it, in the same order: what the regressions have in common,
//! the regressions by severity and operator, what is fixed, and the number of failures that are known.

mod markdown;
mod page;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use crate::View;
use run_record::common::{Shared, unversioned};
use run_record::diff::{BackendDiff, ChangeKind, Side};
use run_record::shown::one_line;
use run_record::text::thousands;
use run_record::{CaseRecord, Change, GateReport, Outcome, VerdictKind, accountable_operator};

use super::diff::when;
use super::severity::Class;

pub(super) use markdown::news_markdown;
pub(super) use page::{Section, sections};
pub use text::news_text;
pub(super) use text::shared_words;

/// What is new on one backend.
pub(super) struct News<'a> {
    pub backend: &'a str,
    /// `the baseline ort.toml`, `the run of 2026-11-20 19:40:12 UTC`.
    pub against: String,
    /// The regressions, the most severe and then the largest group first.
    pub groups: Vec<Group<'a>>,
    /// What the regressions have in common.
    pub shared: &'a [Shared],
    pub fixed: Vec<Entry<'a>>,
    /// The number of failures that were there before.
    pub known: u64,
}

/// Regressions of one severity and operator.
pub(super) struct Group<'a> {
    /// None for cases that no longer exist.
    pub class: Option<Class>,
    /// The operator without its version; empty for models of several.
    pub operator: &'a str,
    pub entries: Vec<Entry<'a>>,
}

/// One case whose result is new.
pub(super) struct Entry<'a> {
    pub case: &'a str,
    /// `regression`, `vanished`, `unexpected pass`.
    pub kind: &'a str,
    pub was: &'static str,
    pub is: &'static str,
    pub why: &'a str,
}

fn class_label(class: Option<Class>) -> &'static str {
    class.map_or("gone", Class::label)
}

impl Group<'_> {
    /// `wrong: Softmax`.
    pub fn title(&self) -> String {
        let of = match self.operator {
            "" => "models of several operators",
            operator => operator,
        };
        format!("{}: {}", class_label(self.class), one_line(of))
    }
}

impl News<'_> {
    /// Whether nothing is new.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty() && self.fixed.is_empty()
    }

    /// The number of regressions.
    pub fn regressions(&self) -> u64 {
        self.groups.iter().map(|group| group.entries.len() as u64).sum()
    }

    /// `44 new (43 wrong, 1 broken), 2 fixed, 608 known`.
    pub fn counts(&self) -> String {
        let mut by_class: BTreeMap<(bool, Option<Class>), u64> = BTreeMap::new();
        for group in &self.groups {
            *by_class.entry((group.class.is_none(), group.class)).or_default() += group.entries.len() as u64;
        }
        let classes = by_class
            .iter()
            .map(|((_, class), count)| format!("{} {}", thousands(*count), class_label(*class)));
        let new = match self.regressions() {
            0 => "nothing new fails".to_owned(),
            count => format!(
                "{} new ({})",
                thousands(count),
                classes.collect::<Vec<_>>().join(", ")
            ),
        };
        let (fixed, known) = (self.fixed.len() as u64, self.known);
        format!("{new}, {} fixed, {} known", thousands(fixed), thousands(known))
    }
}

/// What is new, for each backend that a gate judged, or else that the earlier run has.
pub(super) fn news(report: &View) -> Vec<News<'_>> {
    let operators = Operators::of(report);
    let mut found: Vec<News<'_>> = report
        .gates
        .iter()
        .map(|gate| of_gate(report, gate, &operators))
        .collect();
    if let (true, Some(diff)) = (found.is_empty(), &report.since) {
        let against = format!("the run of {}", when(&diff.before.started));
        found.extend(
            diff.backends
                .iter()
                .map(|backend| of_diff(report, backend, &against)),
        );
    }
    found
}

/// The operators of each case.
struct Operators<'a>(BTreeMap<&'a str, &'a [String]>);

impl<'a> Operators<'a> {
    fn of(report: &'a View) -> Self {
        let cases = report.cases.iter();
        Self(
            cases
                .map(|record| (record.case.as_str(), record.operators.as_slice()))
                .collect(),
        )
    }

    fn family(&self, case: &'a str) -> &'a str {
        family(case, self.0.get(case).copied().unwrap_or_default())
    }
}

fn family<'a>(case: &'a str, operators: &'a [String]) -> &'a str {
    accountable_operator(case, operators).map_or("", unversioned)
}

fn of_gate<'a>(report: &'a View, gate: &'a GateReport, operators: &Operators<'a>) -> News<'a> {
    let entry = |change: &'a Change| Entry {
        case: &change.case,
        kind: &change.transition,
        was: change.expected.label(),
        is: change.observed.map_or("gone", VerdictKind::label),
        why: &change.reason,
    };
    let is_fixed = |change: &&Change| {
        change
            .observed
            .is_some_and(|observed| observed == VerdictKind::Pass)
    };
    let (fixed, worse): (Vec<&Change>, Vec<&Change>) = gate.changes.iter().partition(is_fixed);
    let worse = worse.into_iter().map(|change| {
        let class = change.observed.map(Class::of);
        (class, operators.family(&change.case), entry(change))
    });
    let changed: BTreeSet<&str> = gate.changes.iter().map(|change| change.case.as_str()).collect();
    let is_known = |record: &&CaseRecord| {
        !changed.contains(record.case.as_str())
            && gate
                .expects(&record.case, record.verdict.kind())
                .is_some_and(|known| known.verdict != VerdictKind::Pass)
    };
    News {
        backend: &gate.backend,
        against: format!("the baseline {}", gate.baseline),
        groups: groups(worse),
        shared: &gate.shared,
        fixed: fixed.into_iter().map(entry).collect(),
        known: report.cases_of(&gate.backend).filter(is_known).count() as u64,
    }
}

fn of_diff<'a>(report: &'a View, backend: &'a BackendDiff, against: &str) -> News<'a> {
    let changes = |kind: ChangeKind| backend.changes.iter().filter(move |change| change.kind == kind);
    let label = |side: &Option<Side>| side.as_ref().map_or("gone", |side| side.verdict.label());
    let entry = |change: &'a run_record::diff::CaseDiff| Entry {
        case: &change.case,
        kind: change.kind.label(),
        was: label(&change.before),
        is: label(&change.after),
        why: change.after.as_ref().map_or("", |side| &side.reason),
    };
    let worse = changes(ChangeKind::Broken).map(|change| {
        let class = change.after.as_ref().map(|side| Class::of(side.verdict));
        (class, family(&change.case, &change.operators), entry(change))
    });
    let new: BTreeSet<&str> = changes(ChangeKind::Broken)
        .map(|change| change.case.as_str())
        .collect();
    let is_known = |record: &&CaseRecord| {
        let fails = matches!(record.verdict.kind().outcome(), Outcome::Wrong | Outcome::Broken);
        fails && !new.contains(record.case.as_str())
    };
    News {
        backend: &backend.names[1],
        against: against.to_owned(),
        groups: groups(worse),
        shared: &backend.shared,
        fixed: changes(ChangeKind::Fixed).map(entry).collect(),
        known: report.cases_of(&backend.names[1]).filter(is_known).count() as u64,
    }
}

/// The groups, sorted by severity, then by size.
fn groups<'a>(entries: impl Iterator<Item = (Option<Class>, &'a str, Entry<'a>)>) -> Vec<Group<'a>> {
    let mut found: BTreeMap<(Option<Class>, &str), Vec<Entry<'a>>> = BTreeMap::new();
    for (class, operator, entry) in entries {
        found.entry((class, operator)).or_default().push(entry);
    }
    let mut groups: Vec<Group<'a>> = found
        .into_iter()
        .map(|((class, operator), entries)| Group {
            class,
            operator,
            entries,
        })
        .collect();
    groups.sort_by_key(|group| {
        (
            group.class.is_none(),
            group.class,
            std::cmp::Reverse(group.entries.len()),
        )
    });
    groups
}

/// How new the results of a case are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Newness {
    /// New failures.
    Regressed,
    /// It passes now.
    Fixed,
    /// As before.
    Known,
}

impl Newness {
    /// The key in the page of cases.
    pub fn key(self) -> &'static str {
        match self {
            Self::Regressed => "new",
            Self::Fixed => "fixed",
            Self::Known => "",
        }
    }
}

/// The results that are new, by backend and case.
pub(super) struct Changed<'a>(BTreeMap<(&'a str, &'a str), Newness>);

impl<'a> Changed<'a> {
    pub fn of(report: &'a View) -> Self {
        let mut found = BTreeMap::new();
        for news in news(report) {
            let fixed = news.fixed.iter().map(|entry| (entry.case, Newness::Fixed));
            let new = news.groups.iter().flat_map(|group| &group.entries);
            let new = new.map(|entry| (entry.case, Newness::Regressed));
            found.extend(fixed.chain(new).map(|(case, how)| ((news.backend, case), how)));
        }
        Self(found)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How new the result of a case on a backend is.
    pub fn newness(&self, backend: &str, case: &str) -> Newness {
        self.0.get(&(backend, case)).copied().unwrap_or(Newness::Known)
    }
}
