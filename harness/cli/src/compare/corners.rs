//! Which options of a matrix affect the answer of a backend.

use std::collections::BTreeMap;

use harness_worker::BackendArg;
use run_record::Report;
use run_record::standing::Standing;
use run_record::{CaseId, CaseRecord};

use crate::matrix::{Group, Matrix, Options};

/// The answer of a backend to a model. Equal answers have equal outputs, as far as their comparison with
/// the expected ones shows.
#[derive(Clone, PartialEq, Debug)]
struct Answer {
    standing: Standing,
    /// The reason and the statistics of all outputs.
    details: String,
}

/// The effect of each option of the matrix, for each model and backend; empty without a matrix.
pub(super) fn lines(report: &Report, matrix: &Matrix, groups: &[Group]) -> Vec<String> {
    if matrix.axes.is_empty() {
        return Vec::new();
    }
    let mut models: BTreeMap<String, Vec<&CaseRecord>> = BTreeMap::new();
    for record in &report.cases {
        models
            .entry(CaseId::parse(&record.case).name.to_owned())
            .or_default()
            .push(record);
    }
    let mut lines = Vec::new();
    for (model, records) in &models {
        for group in groups {
            let answers = answers(records, group);
            lines.push(format!("{model} on {}: {}", group.backend, summary(&answers)));
            lines.extend(
                matrix
                    .axes
                    .iter()
                    .map(|(key, _)| format!("  {}", effect(key, &answers))),
            );
        }
    }
    lines
}

/// The answer of each combination.
fn answers<'g>(records: &[&CaseRecord], group: &'g Group) -> Vec<(&'g Options, Answer)> {
    let answer = |(backend, options): &'g (BackendArg, Options)| {
        let record = records.iter().find(|record| record.backend == backend.name())?;
        let outputs = serde_json::to_string(&record.outputs).unwrap_or_default();
        let answer = Answer {
            standing: Standing::of(record),
            details: format!("{} {outputs}", record.reason),
        };
        Some((options, answer))
    };
    group.corners.iter().filter_map(answer).collect()
}

fn summary(answers: &[(&Options, Answer)]) -> String {
    let mut distinct: Vec<&Answer> = Vec::new();
    for (_, answer) in answers {
        if !distinct.contains(&answer) {
            distinct.push(answer);
        }
    }
    match distinct.len() {
        1 => format!("{} combinations, one answer", answers.len()),
        count => format!("{} combinations, {count} different answers", answers.len()),
    }
}

/// The effect of an option if all others are unchanged.
fn effect(key: &str, answers: &[(&Options, Answer)]) -> String {
    let mut differences: Vec<String> = Vec::new();
    for (index, (options, answer)) in answers.iter().enumerate() {
        for (other_options, other) in answers.iter().skip(index + 1) {
            let only_key = options
                .iter()
                .zip(other_options.iter())
                .all(|(a, b)| a == b || a.0 == key);
            if !only_key || answer == other {
                continue;
            }
            let value = |options: &Options| {
                let pair = options.iter().find(|(known, _)| known == key);
                pair.map_or_else(String::new, |(_, value)| value.clone())
            };
            let rest: Vec<String> = options
                .iter()
                .filter(|(k, _)| k != key)
                .map(|(k, v)| format!("{k}={v}"))
                .collect();
            let with = if rest.is_empty() {
                String::new()
            } else {
                format!(" with {}", rest.join(", "))
            };
            differences.push(format!(
                "{} ({}) differs from {} ({}){with}",
                value(options),
                answer.standing.words(),
                value(other_options),
                other.standing.words()
            ));
        }
    }
    if differences.is_empty() {
        format!("{key}: no difference")
    } else {
        format!("{key}: {}", differences.join("; "))
    }
}
