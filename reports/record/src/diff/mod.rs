//! Compares two runs: fixed and broken cases, changed answers, added and removed cases.
//!
//! ```text
//! Report (before) ─┐
//!                  ├─► Diff::of ──► render::diff_text, diff_markdown, diff_json, diff_html
//! Report (after)  ─┘
//! ```
//!
//! A case is the same in both runs if it has the same id in a corpus that both have. A log stores no
//! outputs, only their distance from the expected ones; an answer counts as changed if this distance
//! changed.

mod change;
mod pairs;

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

pub use change::{ChangeKind, Side};
use change::{compare, one_sided};
use pairs::pairs;

use crate::Report;
use crate::common::{Shared, shared};
use crate::{CaseId, CaseRecord};

/// The version of the JSON format, which is stable within a version; fields may be added.
pub const DIFF_VERSION: u32 = 1;

/// A comparison of two runs.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Diff {
    /// [`DIFF_VERSION`].
    #[schemars(extend("const" = DIFF_VERSION))]
    pub version: u32,
    /// The earlier run.
    pub before: RunFacts,
    /// The later run.
    pub after: RunFacts,
    /// The backends that both runs have.
    pub backends: Vec<BackendDiff>,
    /// Backends of the earlier run that the later one does not have.
    pub only_before: Vec<String>,
    /// Backends of the later run that the earlier one does not have.
    pub only_after: Vec<String>,
}

/// The facts that identify a run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RunFacts {
    /// The start time.
    pub started: String,
    /// The releases of its tests.
    pub release: String,
    /// Cases selected for each backend.
    pub cases: u64,
    /// Whether all cases were run.
    pub complete: bool,
    /// The policy with its version.
    pub policy: String,
    /// The processor.
    pub cpu: String,
    /// The version of the harness.
    pub harness: String,
}

/// One backend in both runs.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct BackendDiff {
    /// Its display name in the earlier run, and in the later one.
    pub names: [String; 2],
    /// Its versions.
    pub versions: [String; 2],
    /// Options that differ, with both values; empty for an option that was not given.
    pub options: BTreeMap<String, [String; 2]>,
    /// Cases that both runs judged.
    pub compared: u64,
    /// The number of changes of each kind, including zero.
    pub counts: BTreeMap<ChangeKind, u64>,
    /// The changes, by kind and then by case.
    pub changes: Vec<CaseDiff>,
    /// What the cases that regressed have in common, and cases that pass in the later run lack.
    pub shared: Vec<Shared>,
}

/// One case whose result changed.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CaseDiff {
    /// The kind of change.
    pub kind: ChangeKind,
    /// The case, by its id in the later run if it has it.
    pub case: String,
    /// Its operators.
    pub operators: Vec<String>,
    /// The result in the earlier run; `None` for an added case.
    pub before: Option<Side>,
    /// The result in the later run; `None` for a removed case.
    pub after: Option<Side>,
}

impl Diff {
    /// Compares two runs.
    pub fn of(before: &Report, after: &Report) -> Self {
        let pairs = pairs(before, after);
        let only = |report: &Report, side: usize| -> Vec<String> {
            let names = report.backends.iter().map(|backend| backend.info.name.clone());
            names
                .filter(|name| !pairs.iter().any(|pair| [pair.0, pair.1][side] == name))
                .collect()
        };
        Self {
            version: DIFF_VERSION,
            before: facts(before),
            after: facts(after),
            only_before: only(before, 0),
            only_after: only(after, 1),
            backends: pairs
                .iter()
                .map(|(earlier, later)| backend(before, after, earlier, later))
                .collect(),
        }
    }

    /// The number of changes of a kind over all backends.
    pub fn count(&self, kind: ChangeKind) -> u64 {
        self.backends.iter().map(|backend| backend.count(kind)).sum()
    }
}

impl BackendDiff {
    /// The number of changes of a kind.
    pub fn count(&self, kind: ChangeKind) -> u64 {
        self.counts.get(&kind).copied().unwrap_or_default()
    }

    /// `ort 1.30.0 → 1.31.1`.
    pub fn title(&self) -> String {
        let [before, after] = &self.names;
        let name = if before == after {
            before.clone()
        } else {
            format!("{before} → {after}")
        };
        match &self.versions {
            [old, new] if old == new => format!("{name} {new}"),
            [old, new] => format!("{name} {old} → {new}"),
        }
    }
}

fn facts(report: &Report) -> RunFacts {
    let started = &report.started;
    RunFacts {
        started: started.started.clone(),
        release: started.release.clone(),
        cases: report.selected(),
        complete: report.complete,
        policy: format!("{}, version {}", started.policy.name, started.policy.version),
        cpu: started.environment.cpu.clone(),
        harness: started.environment.harness.clone(),
    }
}

fn backend(before: &Report, after: &Report, earlier: &str, later: &str) -> BackendDiff {
    let info = |report: &Report, name: &str| {
        let backend = report.backend(name);
        backend.map(|backend| backend.info.clone()).unwrap_or_default()
    };
    let (old, new) = (info(before, earlier), info(after, later));
    let mut found = changes(before, after, earlier, later);
    found
        .changes
        .sort_by(|a, b| (a.kind, &a.case).cmp(&(b.kind, &b.case)));
    let mut counts: BTreeMap<ChangeKind, u64> = ChangeKind::ALL.map(|kind| (kind, 0)).into();
    for change in &found.changes {
        *counts.entry(change.kind).or_default() += 1;
    }
    let mut options: BTreeMap<String, [String; 2]> = BTreeMap::new();
    for name in old.options.keys().chain(new.options.keys()) {
        let value = |options: &BTreeMap<String, String>| options.get(name).cloned().unwrap_or_default();
        let values = [value(&old.options), value(&new.options)];
        if values[0] != values[1] {
            options.insert(name.clone(), values);
        }
    }
    let regressed = found
        .changes
        .iter()
        .filter(|change| change.kind == ChangeKind::Broken);
    let regressed = regressed.map(|change| change.case.as_str()).collect();
    BackendDiff {
        shared: shared(after, later, &regressed),
        names: [earlier.to_owned(), later.to_owned()],
        versions: [old.version, new.version],
        options,
        compared: found.compared,
        counts,
        changes: found.changes,
    }
}

#[derive(Default)]
struct Found {
    compared: u64,
    changes: Vec<CaseDiff>,
}

fn changes(before: &Report, after: &Report, earlier: &str, later: &str) -> Found {
    let mut known: BTreeMap<(&str, &str), &CaseRecord> = BTreeMap::new();
    for record in before.cases_of(earlier) {
        let (_, rest) = split(&record.case);
        known.extend(record.corpora().map(|corpus| ((corpus, rest), record)));
    }
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut found = Found::default();
    for record in after.cases_of(later) {
        let (_, rest) = split(&record.case);
        // The newest corpus that both have.
        let corpora: Vec<&str> = record.corpora().collect();
        let old = corpora
            .iter()
            .rev()
            .find_map(|corpus| known.get(&(*corpus, rest)));
        let Some(&old) = old else {
            found.changes.push(one_sided(ChangeKind::Came, record));
            continue;
        };
        seen.insert(&old.case);
        let (judged, change) = compare(old, record);
        found.compared += u64::from(judged);
        found.changes.extend(change);
    }
    let gone = before
        .cases_of(earlier)
        .filter(|record| !seen.contains(record.case.as_str()));
    found
        .changes
        .extend(gone.map(|record| one_sided(ChangeKind::Went, record)));
    found
}

/// Corpus and rest of an id.
fn split(case: &str) -> (&str, &str) {
    let corpus = CaseId::parse(case).corpus;
    (corpus, case.get(corpus.len()..).unwrap_or_default())
}
