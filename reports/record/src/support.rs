//! Which operators that ONNX Runtime adds a backend supports, and what the cases that it does not answer
//! right have in common.

mod limit;

use std::collections::BTreeMap;

use crate::{CaseRecord, Exercise, OperatorVersion, Outcome, Report, Tally, VerdictKind};

pub use limit::{Limit, Property, limits};

/// An operator on all backends.
#[derive(Debug, Clone)]
pub struct Supported<'a> {
    /// The operator.
    pub version: &'a OperatorVersion,
    /// The number of its cases.
    pub cases: u64,
    /// One for each backend of the report.
    pub backends: Vec<Support<'a>>,
}

/// An operator on one backend.
#[derive(Debug, Clone)]
pub struct Support<'a> {
    /// The backend.
    pub backend: &'a str,
    /// What its results say together.
    pub standing: Standing,
    /// The verdicts on its cases.
    pub tally: Tally,
    /// The cases that are not answered right, by how.
    pub faults: Vec<Fault<'a>>,
}

/// The cases of an operator that fail on a backend in one way.
#[derive(Debug, Clone)]
pub struct Fault<'a> {
    /// How they fail.
    pub kind: FaultKind,
    /// The cases, sorted.
    pub cases: Vec<&'a str>,
    /// What they share and passing ones lack; each covers cases that those before it do not.
    pub limits: Vec<Limit>,
    /// The number of cases that no limit covers.
    pub rest: usize,
    /// The most common reason, without its numbers and names.
    pub reason: String,
}

/// How cases fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FaultKind {
    /// The backend says that it does not support the model.
    Refused,
    /// It answers with an error.
    Error,
    /// Its process ends, hangs or needs too much memory.
    Crash,
    /// The answer is wrong.
    Wrong,
}

/// What the results of an operator on a backend say together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// No case was judged.
    Untested,
    /// Every case passes.
    Full,
    /// Some pass, the others are refused.
    Restricted,
    /// All are refused.
    Unsupported,
    /// An answer is wrong, or the process ends.
    Wrong,
}

impl Standing {
    /// The key in files.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Untested => "no case",
            Self::Full => "supported",
            Self::Restricted => "restricted",
            Self::Unsupported => "unsupported",
            Self::Wrong => "wrong",
        }
    }

    fn of(tally: &Tally) -> Self {
        let count = |kind| tally.sum(|verdict| FaultKind::of(verdict) == Some(kind));
        let refused = count(FaultKind::Refused) + count(FaultKind::Error);
        let wrong = count(FaultKind::Crash) + count(FaultKind::Wrong);
        match (tally.passed(), refused, wrong) {
            (_, _, 1..) => Self::Wrong,
            (0, 0, _) => Self::Untested,
            (0, ..) => Self::Unsupported,
            (_, 0, _) => Self::Full,
            _ => Self::Restricted,
        }
    }
}

impl FaultKind {
    /// The kind of a verdict; `None` if the answer is right or was not judged.
    pub fn of(verdict: VerdictKind) -> Option<Self> {
        match (verdict, verdict.outcome()) {
            (VerdictKind::Unsupported | VerdictKind::NotTaken, _) => Some(Self::Refused),
            (VerdictKind::Error, _) => Some(Self::Error),
            (_, Outcome::Broken) => Some(Self::Crash),
            (_, Outcome::Wrong) => Some(Self::Wrong),
            (_, Outcome::Passed | Outcome::NotJudged) => None,
        }
    }

    /// `refused`, `errors`, `crashes`, `wrong`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Error => "errors",
            Self::Crash => "crashes",
            Self::Wrong => "wrong",
        }
    }
}

/// A case of an operator with its use of it.
type Used<'a> = (&'a CaseRecord, &'a Exercise);

/// The operators of the catalogue that ONNX Runtime adds, on each backend; empty if no case is about one.
pub fn supported(report: &Report) -> Vec<Supported<'_>> {
    let uses = report.exercises.iter().flat_map(|of| {
        let of_case = of.exercises.iter();
        of_case.map(|exercise| ((of.case.as_str(), exercise.operator.as_str()), exercise))
    });
    let uses: BTreeMap<(&str, &str), &Exercise> = uses.collect();
    let mut records: BTreeMap<&str, Vec<Used>> = BTreeMap::new();
    for record in &report.cases {
        let about = record.accountable_operator();
        let used = about.and_then(|about| uses.get(&(record.case.as_str(), about)).copied());
        if let (Some(about), Some(exercise)) = (about, used) {
            records.entry(about).or_default().push((record, exercise));
        }
    }
    let added = report.catalogue.iter().filter(|version| version.added);
    let rows: Vec<Supported> = added
        .map(|version| {
            of_operator(
                report,
                version,
                records.get(&*version.id()).map_or(&[], Vec::as_slice),
            )
        })
        .collect();
    if rows.iter().all(|row| row.cases == 0) {
        return Vec::new();
    }
    rows
}

fn of_operator<'a>(report: &'a Report, version: &'a OperatorVersion, records: &[Used<'a>]) -> Supported<'a> {
    let backends = report.backends.iter().map(|backend| {
        let name = backend.info.name.as_str();
        let own = records.iter().filter(|(record, _)| record.backend == name);
        of_backend(version, name, &own.copied().collect::<Vec<_>>())
    });
    let backends: Vec<Support> = backends.collect();
    Supported {
        version,
        cases: backends.iter().map(|of| of.tally.total()).max().unwrap_or(0),
        backends,
    }
}

fn of_backend<'a>(version: &'a OperatorVersion, backend: &'a str, records: &[Used<'a>]) -> Support<'a> {
    let mut tally = Tally::default();
    let mut failing: BTreeMap<FaultKind, Vec<Used>> = BTreeMap::new();
    let mut passing = Vec::new();
    for &(record, exercise) in records {
        tally.add(record.verdict.kind());
        match FaultKind::of(record.verdict.kind()) {
            Some(kind) => failing.entry(kind).or_default().push((record, exercise)),
            None if record.verdict.kind() == VerdictKind::Pass => passing.push(exercise),
            None => {}
        }
    }
    let fault = |(kind, found): (FaultKind, Vec<Used<'a>>)| {
        let exercises: Vec<&Exercise> = found.iter().map(|(_, exercise)| *exercise).collect();
        let (limits, rest) = limits(version, &exercises, &passing);
        let mut cases: Vec<&str> = found.iter().map(|(record, _)| record.case.as_str()).collect();
        cases.sort_unstable();
        Fault {
            kind,
            cases,
            limits,
            rest,
            reason: most_common(&found),
        }
    };
    Support {
        backend,
        standing: Standing::of(&tally),
        tally,
        faults: failing.into_iter().map(fault).collect(),
    }
}

/// The most common reason of these results, without numbers and names.
fn most_common(found: &[Used]) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (record, _) in found.iter().filter(|(record, _)| !record.reason.is_empty()) {
        *counts.entry(crate::common::pattern(&record.reason)).or_default() += 1;
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    most.map(|(reason, _)| reason).unwrap_or_default()
}

#[cfg(test)]
mod tests;
