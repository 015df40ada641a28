//! Disagreements on generated cases, grouped by cause, with one ruling per cause.
//!
//! The expected outputs of a generated case are those of a witness. If a backend disagrees, a person
//! must decide which side is wrong. [`groups`] combines disagreements of one cause: the same backend,
//! operator and [`Symptom`]. [`Rulings`] has a ruling for each group, with the sentence of the
//! specification and a small case. An answer that follows another reading of the specification
//! (`onnx-tests/readings.toml`) belongs to that reading and needs no ruling.

mod ledger;
mod page;
mod symptom;

use std::collections::{BTreeMap, BTreeSet};

use onnx_generator::{Case, short};
use onnx_tensor::Value;
use run_record::Report;
use run_record::{CaseId, CaseRecord};

pub use ledger::{Party, Ruling, Rulings, RulingsError};
pub use page::page;
pub use symptom::Symptom;

/// The maximum number of labels listed as the likely cause of a group.
const CAUSES: usize = 3;

/// Disagreements of one cause.
#[derive(Clone, PartialEq, Debug)]
pub struct Group {
    /// The backend's display name.
    pub backend: String,
    /// The kind of backend: `ort`.
    pub kind: String,
    /// The operator, without a version: `ai.onnx.ml.Scaler`.
    pub operator: String,
    /// How the answers differ.
    pub symptom: Symptom,
    pub versions: BTreeSet<u32>,
    /// The cases with their reasons, the smallest first.
    pub cases: Vec<(String, String)>,
    /// The labels that all these cases share.
    pub common: BTreeSet<String>,
    /// Of these, the labels that best distinguish them from the passing cases of the operator, best
    /// first.
    pub causes: Vec<String>,
}

impl Default for Group {
    fn default() -> Group {
        Group {
            backend: String::new(),
            kind: String::new(),
            operator: String::new(),
            symptom: Symptom::Value,
            versions: BTreeSet::new(),
            cases: Vec::new(),
            common: BTreeSet::new(),
            causes: Vec::new(),
        }
    }
}

/// The groups of a run with their rulings.
#[derive(Debug, Default)]
pub struct Decided<'r> {
    /// The groups with their rulings; `None` without a ruling.
    pub groups: Vec<(Group, Option<&'r Ruling>)>,
    /// Rulings whose case was run and agrees.
    pub stale: Vec<&'r Ruling>,
    /// The number of disagreements that follow another reading, by backend and reading.
    pub readings: BTreeMap<(String, String), u64>,
}

/// Matches the disagreements of a report with the ledger. `cases` are the generated cases of the run
/// with `seed`.
pub fn decide<'r>(report: &Report, cases: &[Case], seed: u64, rulings: &'r Rulings) -> Decided<'r> {
    let (groups, readings) = groups(report, cases);
    let groups: Vec<_> = groups
        .into_iter()
        .map(|group| {
            let ruling = rulings.on(&group);
            (group, ruling)
        })
        .collect();
    let passes = |ruling: &&Ruling| {
        let mut records = report.cases.iter().filter(|record| record.case == ruling.case);
        let of_kind = |record: &CaseRecord| kind(report, &record.backend) == ruling.backend;
        seed == 0 && !ruling.chance && records.any(|record| of_kind(record) && Symptom::of(record).is_none())
    };
    Decided {
        stale: rulings.all().iter().filter(passes).collect(),
        groups,
        readings,
    }
}

fn kind<'r>(report: &'r Report, backend: &str) -> &'r str {
    report.backend(backend).map_or("", |backend| &backend.info.kind)
}

/// The number of disagreements that follow another reading, by backend and reading.
type Followed = BTreeMap<(String, String), u64>;

/// The groups of a report, and the disagreements that belong to readings.
pub fn groups(report: &Report, cases: &[Case]) -> (Vec<Group>, Followed) {
    let known: BTreeMap<String, &Case> = cases
        .iter()
        .map(|case| (format!("generated/{}/{}", case.suite, case.name), case))
        .collect();
    let departs = departures(report);
    let mut readings = Followed::new();
    let mut found: BTreeMap<(String, String, Symptom), Vec<&CaseRecord>> = BTreeMap::new();
    for record in &report.cases {
        let Some(symptom) = Symptom::of(record) else {
            continue;
        };
        if let Some(reading) = departs.get(&(record.case.as_str(), record.backend.as_str())) {
            *readings
                .entry((record.backend.clone(), reading.clone()))
                .or_default() += 1;
            continue;
        }
        let (operator, _) = operator(&record.case);
        found
            .entry((record.backend.clone(), operator.to_owned(), symptom))
            .or_default()
            .push(record);
    }
    let group = |((backend, operator, symptom), records): ((String, String, Symptom), Vec<&CaseRecord>)| {
        of_records(report, &known, (backend, operator, symptom), records)
    };
    (found.into_iter().map(group).collect(), readings)
}

/// The reading that a mismatch follows, by case and backend.
fn departures(report: &Report) -> BTreeMap<(&str, &str), String> {
    let mut departs = BTreeMap::new();
    for one in &report.readings {
        if let Some(answer) = one.answer.as_ref().filter(|answer| **answer != one.default) {
            let key = (one.case.as_str(), one.backend.as_str());
            departs.insert(key, format!("{}={answer}", one.question));
        }
    }
    departs
}

/// Operator and version of a generated case's id.
fn operator(case: &str) -> (&str, u32) {
    let suite = CaseId::parse(case).suite;
    let (name, since) = suite.rsplit_once('-').unwrap_or((suite, "0"));
    (name, since.parse().unwrap_or(0))
}

fn of_records(
    report: &Report,
    known: &BTreeMap<String, &Case>,
    (backend, operator_name, symptom): (String, String, Symptom),
    mut records: Vec<&CaseRecord>,
) -> Group {
    records.sort_by_key(|record| {
        (
            known.get(&record.case).map_or(usize::MAX, |case| size(case)),
            &record.case,
        )
    });
    let labelled = |record: &CaseRecord| {
        known
            .get(&record.case)
            .map(|case| labels(case))
            .unwrap_or_default()
    };
    let mut all = records.iter().map(|record| labelled(record));
    let first = all.next().unwrap_or_default();
    let common: BTreeSet<String> = all.fold(first, |common, labels| &common & &labels);
    let passing: Vec<BTreeSet<String>> = report
        .cases
        .iter()
        .filter(|record| record.backend == backend && operator(&record.case).0 == operator_name)
        .filter(|record| Symptom::of(record).is_none() && record.official.is_some())
        .map(labelled)
        .collect();
    let count = |label: &String| passing.iter().filter(|labels| labels.contains(label)).count();
    let mut causes: Vec<(usize, &String)> = common.iter().map(|label| (count(label), label)).collect();
    causes.retain(|(count, _)| 2 * count < passing.len());
    causes.sort();
    Group {
        kind: kind(report, &backend).to_owned(),
        symptom,
        versions: records.iter().map(|record| operator(&record.case).1).collect(),
        cases: records
            .iter()
            .map(|record| (record.case.clone(), record.reason.clone()))
            .collect(),
        causes: causes
            .into_iter()
            .take(CAUSES)
            .map(|(_, label)| label.clone())
            .collect(),
        common,
        backend,
        operator: operator_name,
    }
}

/// The labels of a case: its types and options.
fn labels(case: &Case) -> BTreeSet<String> {
    let types = case
        .types
        .iter()
        .map(|(name, of)| format!("{name}={}", short(of)));
    let options = case
        .decisions
        .iter()
        .map(|decision| format!("{}={}", decision.point, decision.taken));
    types.chain(options).collect()
}

/// The size of a case: elements of its inputs and constants, and attributes.
fn size(case: &Case) -> usize {
    let elements = |value: &Value| value.as_tensor().map_or(1, |tensor| tensor.len());
    let inputs = case.inputs.iter().map(|(_, value)| elements(value));
    let constants = case
        .model
        .graph
        .initializers
        .iter()
        .map(|(_, value)| elements(value));
    let attributes = case.model.graph.nodes.iter().map(|node| node.attributes.len());
    inputs.chain(constants).chain(attributes).sum()
}

#[cfg(test)]
mod tests;
