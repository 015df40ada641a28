//! One card for each backend: a sentence about its results, and the counts.

use std::collections::BTreeMap;

use super::super::diff::{counts, when};
use super::super::severity::Class;
use super::totals::{Bar, bar};
use crate::View;
use run_record::BackendReport;
use run_record::CaseRecord;
use run_record::text::{counted, percent, thousands};

pub(super) struct Card {
    pub name: String,
    pub version: String,
    /// A conclusion for users of the backend.
    pub trust: String,
    /// The changes since the previous run; empty if there is none.
    pub since: String,
    /// The class of the worst result, which colours the card.
    pub worst: &'static str,
    pub bar: Bar,
    pub counts: Vec<Count>,
}

/// The number of results of one class.
pub(super) struct Count {
    pub class: Class,
    pub text: String,
    pub zero: bool,
    /// The share of all counted cases; only for passes.
    pub share: String,
}

/// The classes that a card always shows.
const ALWAYS: [Class; 4] = [Class::Wrong, Class::Broken, Class::Unsupported, Class::Passed];

/// The maximum number of operators in a sentence.
const NAMED: usize = 3;

pub(super) fn cards(report: &View) -> Vec<Card> {
    report
        .backends
        .iter()
        .map(|backend| card(report, backend))
        .collect()
}

fn card(report: &View, backend: &BackendReport) -> Card {
    let count = |class: Class| backend.tally.sum(|kind| Class::of(kind) == class);
    let shown = |class: &Class| ALWAYS.contains(class) || count(*class) > 0;
    let judged = [Class::Wrong, Class::Broken, Class::Unsupported];
    let worst = judged.into_iter().find(|&class| count(class) > 0);
    Card {
        name: backend.info.name.clone(),
        version: backend.info.version.clone(),
        trust: trust(report, backend),
        since: since(report, &backend.info.name),
        worst: if report.missing.contains_key(&backend.info.name) {
            Class::NotRun.key()
        } else {
            worst.unwrap_or(Class::Passed).key()
        },
        bar: bar(&backend.tally),
        counts: Class::ALL
            .into_iter()
            .filter(shown)
            .map(|class| Count {
                class,
                text: thousands(count(class)),
                zero: count(class) == 0,
                share: match class {
                    Class::Passed => percent(backend.tally.passed(), backend.tally.counted()),
                    _ => String::new(),
                },
            })
            .collect(),
    }
}

/// `Since the run of 2026-11-20 19:40:12 UTC: 1 broken, 3 fixed.`
fn since(report: &View, name: &str) -> String {
    let Some(diff) = &report.since else {
        return String::new();
    };
    let backend = diff.backends.iter().find(|backend| backend.names[1] == name);
    backend.map_or(String::new(), |backend| {
        let [before, after] = &backend.versions;
        let version = if before == after {
            String::new()
        } else {
            format!(" with {before}")
        };
        format!(
            "Since the run of {}{version}: {}.",
            when(&diff.before.started),
            counts(backend)
        )
    })
}

/// One or two sentences; the worst result first.
fn trust(report: &View, backend: &BackendReport) -> String {
    let count = |class: Class| backend.tally.sum(|kind| Class::of(kind) == class);
    let (wrong, broken) = (count(Class::Wrong), count(Class::Broken));
    let asked = wrong + broken + count(Class::Passed);
    if let Some(reason) = report.missing.get(&backend.info.name) {
        return format!("Was not run: {reason}");
    }
    if asked == 0 {
        return match count(Class::Unsupported) {
            0 => "No case says anything about it.".to_owned(),
            _ => "Supports no case of this run.".to_owned(),
        };
    }
    let of = |class| operators(report, &backend.info.name, class);
    let cases = counted(asked, "case");
    let first = match (wrong, broken) {
        (0, 0) => format!("No wrong answer and no failure in {cases} that it accepts."),
        (0, broken) => format!(
            "No wrong answer in {cases}, but {} in an error, a crash or a timeout{}.",
            ends(broken),
            of(Class::Broken)
        ),
        (wrong, 0) => format!(
            "Gives a wrong answer in {} of {cases}{}.",
            thousands(wrong),
            of(Class::Wrong)
        ),
        (wrong, broken) => format!(
            "Gives a wrong answer in {} of {cases}{}; {} in an error, a crash or a timeout.",
            thousands(wrong),
            of(Class::Wrong),
            ends(broken)
        ),
    };
    match (count(Class::Unsupported), count(Class::NotRun)) {
        (0, 0) => first,
        (refused, 0) => format!("{first} It reports {} as unsupported.", counted(refused, "case")),
        (_, not_run) => format!("{first} {} not run: the result is incomplete.", were(not_run)),
    }
}

fn ends(cases: u64) -> String {
    match cases {
        1 => "1 ends".to_owned(),
        _ => format!("{} end", thousands(cases)),
    }
}

fn were(cases: u64) -> String {
    match cases {
        1 => "1 case was".to_owned(),
        _ => format!("{} cases were", thousands(cases)),
    }
}

/// The operators of most results of a class: ` (mostly DFT-20, Resize-19 and 4 more operators)`.
fn operators(report: &View, backend: &str, class: Class) -> String {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    let about = report
        .cases_of(backend)
        .filter(|record| Class::of(record.verdict.kind()) == class)
        .filter_map(CaseRecord::accountable_operator);
    about.for_each(|operator| *counts.entry(operator).or_default() += 1);
    let mut counts: Vec<(&str, u64)> = counts.into_iter().collect();
    counts.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    let names: Vec<&str> = counts.iter().take(NAMED).map(|(name, _)| *name).collect();
    match (names.len(), counts.len() - names.len()) {
        (0, _) => String::new(),
        (_, 0) => format!(" ({})", names.join(", ")),
        (_, 1) => format!(" (mostly {}, and 1 more operator)", names.join(", ")),
        (_, more) => format!(" (mostly {}, and {more} more operators)", names.join(", ")),
    }
}
