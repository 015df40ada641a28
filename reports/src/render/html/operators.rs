//! Operators × backends: one row for each operator version.

use std::collections::BTreeMap;

use super::totals::bar;
use run_record::text::thousands;
use run_record::{Outcome, VerdictKind};
use run_record::{Report, Tally};

pub(super) struct Operators {
    pub versions: String,
    pub groups: Vec<Group>,
}

/// The versions of one operator.
pub(super) struct Group {
    pub domain: String,
    /// The name, split where a narrow column may break it: `Average`, `Pool`.
    pub name: Vec<String>,
    /// The worst state of its cells, by which the list can be filtered.
    pub state: &'static str,
    pub versions: Vec<Version>,
}

pub(super) struct Version {
    pub since: String,
    /// `Softmax-13`: the filter for the list of failures.
    pub id: String,
    pub cells: Vec<Cell>,
}

/// One operator version on one backend. The sign and the colour have the same meaning.
pub(super) struct Cell {
    pub state: State,
    pub text: String,
    pub title: String,
    /// `3 wrong`; empty if none is.
    pub wrong: String,
    /// The share of passes, by which tables are sorted; empty without a case.
    pub share: String,
}

/// The state of a cell, sorted from good to bad.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    /// No case.
    Empty,
    /// All pass.
    Full,
    /// Some pass; the others were not judged.
    Part,
    /// None passes, and none was judged.
    Lacking,
    /// At least one is wrong or missing.
    Bad,
}

impl State {
    pub(super) fn of(tally: &Tally) -> Self {
        let bad = tally.sum(|kind| matches!(kind.outcome(), Outcome::Wrong | Outcome::Broken));
        match (tally.total(), tally.passed(), bad) {
            (0, ..) => Self::Empty,
            (total, passed, _) if total == passed => Self::Full,
            (_, 0, 0) => Self::Lacking,
            (_, _, 0) => Self::Part,
            _ => Self::Bad,
        }
    }

    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Full => "full",
            Self::Part => "part",
            Self::Lacking => "lacking",
            Self::Bad => "bad",
        }
    }

    pub(super) fn sign(self) -> &'static str {
        match self {
            Self::Empty => "",
            Self::Full => "✓",
            Self::Part => "◐",
            Self::Lacking => "–",
            Self::Bad => "✗",
        }
    }
}

/// Domain (empty for ai.onnx), operator and since-version: the order of the rows.
type Key<'a> = (&'a str, &'a str, u32);

/// Since-version, and the counts of each backend.
type Row = (u32, Vec<Tally>);

pub(super) fn operators(report: &Report) -> Operators {
    let mut rows: BTreeMap<Key, Vec<Tally>> = BTreeMap::new();
    for (rank, backend) in report.backends.iter().enumerate() {
        for record in report.cases_of(&backend.info.name) {
            let Some(key) = record.accountable_operator().and_then(parse) else {
                continue;
            };
            let row = rows
                .entry(key)
                .or_insert_with(|| vec![Tally::default(); report.backends.len()]);
            row[rank].add(record.verdict.kind());
        }
    }
    let versions = thousands(rows.len() as u64);
    let mut groups: BTreeMap<(&str, &str), Vec<Row>> = BTreeMap::new();
    for ((domain, name, since), tallies) in rows {
        groups.entry((domain, name)).or_default().push((since, tallies));
    }
    Operators {
        versions,
        groups: groups
            .into_iter()
            .map(|((domain, name), rows)| group(domain, name, &rows))
            .collect(),
    }
}

/// Domain (empty for ai.onnx), name and since-version of `ai.onnx.ml.Scaler-1`.
pub(super) fn parse(operator: &str) -> Option<Key<'_>> {
    let (path, since) = operator.rsplit_once('-')?;
    let (domain, name) = path.rsplit_once('.').unwrap_or(("", path));
    Some((domain, name, since.parse().ok()?))
}

fn group(domain: &str, name: &str, rows: &[Row]) -> Group {
    let worst = rows
        .iter()
        .flat_map(|(_, tallies)| tallies.iter().map(State::of))
        .max()
        .unwrap_or(State::Empty);
    let prefix = if domain.is_empty() {
        String::new()
    } else {
        format!("{domain}.")
    };
    let versions = rows.iter().map(|(since, tallies)| Version {
        since: since.to_string(),
        id: format!("{prefix}{name}-{since}"),
        cells: tallies.iter().map(cell).collect(),
    });
    Group {
        versions: versions.collect(),
        domain: prefix,
        name: words(name),
        state: worst.key(),
    }
}

/// Splits a name before each capital letter that follows a lower-case letter.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut small = false;
    for character in name.chars() {
        match words.last_mut() {
            Some(word) if !(small && character.is_uppercase()) => word.push(character),
            _ => words.push(character.into()),
        }
        small = character.is_lowercase();
    }
    words
}

/// The cell of `tally`: passes of all cases, or only their number if all pass.
pub(super) fn cell(tally: &Tally) -> Cell {
    let state = State::of(tally);
    let text = match state {
        State::Empty => String::new(),
        State::Full => thousands(tally.total()),
        _ => format!("{}/{}", thousands(tally.passed()), thousands(tally.total())),
    };
    let known = tally.get(VerdictKind::Pass) == tally.total();
    Cell {
        state,
        text,
        title: if known { String::new() } else { bar(tally).words },
        wrong: match tally.sum(|kind| kind.outcome() == Outcome::Wrong) {
            0 => String::new(),
            wrong => format!("{} wrong", thousands(wrong)),
        },
        share: match tally.total() {
            0 => String::new(),
            total => format!("{:.4}", tally.passed() as f64 / total as f64),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::{Key, State, parse};
    use run_record::Tally;
    use run_record::VerdictKind::{self, *};

    fn check(kinds: &[VerdictKind], expected: State) {
        let mut tally = Tally::default();
        kinds.iter().for_each(|kind| tally.add(*kind));
        assert_eq!(State::of(&tally), expected, "{kinds:?}");
    }

    #[test]
    fn cells_say_the_worst() {
        check(&[], State::Empty);
        check(&[Pass, Pass], State::Full);
        check(&[Pass, Unsupported], State::Part);
        check(&[Unsupported, Disputed], State::Lacking);
        check(&[Pass, Pass, Unsupported, Crash], State::Bad);
    }

    #[test]
    fn operators_come_apart() {
        let check = |text: &str, expected: Option<Key>| assert_eq!(parse(text), expected);
        check("Softmax-13", Some(("", "Softmax", 13)));
        check("ai.onnx.ml.Scaler-1", Some(("ai.onnx.ml", "Scaler", 1)));
        check("Softmax", None);
        check("Softmax-new", None);
    }
}
