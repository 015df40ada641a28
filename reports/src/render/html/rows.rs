//! The cases of a report with their results on each backend, and the properties by which cases are
//! found.

use std::collections::{BTreeMap, BTreeSet};

use super::operators::parse;
use run_record::Report;
use run_record::{CaseRecord, VerdictKind};

/// One case.
pub(super) struct Row<'a> {
    pub case: &'a str,
    /// The records by backend as in the report; `None` if the case was not run.
    pub records: Vec<Option<&'a CaseRecord>>,
}

impl<'a> Row<'a> {
    /// Some record of the case: the fields about the case itself are the same in all.
    pub fn any(&self) -> Option<&'a CaseRecord> {
        self.records.iter().flatten().copied().next()
    }

    /// The verdicts by backend.
    pub fn kinds(&self) -> Vec<Option<VerdictKind>> {
        let kind = |record: &Option<&CaseRecord>| record.map(|record| record.verdict.kind());
        self.records.iter().map(kind).collect()
    }
}

/// The cases in the order of the report.
pub(super) fn rows(report: &Report) -> Vec<Row<'_>> {
    let places = report.backends.iter().enumerate();
    let places: BTreeMap<&str, usize> = places
        .map(|(place, backend)| (backend.info.name.as_str(), place))
        .collect();
    let mut rows: Vec<Row<'_>> = Vec::new();
    for record in &report.cases {
        // The records of one case are adjacent.
        if rows.last().is_none_or(|row| row.case != record.case) {
            rows.push(Row {
                case: &record.case,
                records: vec![None; report.backends.len()],
            });
        }
        let place = places.get(record.backend.as_str()).copied();
        let cell = rows.last_mut().zip(place);
        if let Some(cell) = cell.and_then(|(row, place)| row.records.get_mut(place)) {
            *cell = Some(record);
        }
    }
    rows
}

/// The element types that cases use, by case; empty if the run did not record them.
pub(super) struct Types<'a>(BTreeMap<&'a str, BTreeSet<&'a str>>);

impl<'a> Types<'a> {
    pub fn of(report: &'a Report) -> Self {
        let types = report.exercises.iter().map(|exercised| {
            let all = exercised
                .exercises
                .iter()
                .flat_map(|exercise| exercise.types.values());
            (
                exercised.case.as_str(),
                all.flatten().map(String::as_str).collect(),
            )
        });
        Self(types.collect())
    }

    /// The types of one case, sorted.
    pub fn of_case(&self, case: &str) -> impl Iterator<Item = &'a str> + use<'a, '_> {
        self.0.get(case).into_iter().flatten().copied()
    }
}

/// The newest version of a model's operators in the main domain: the minimum opset of the model.
pub(in crate::render) fn needed_opset(operators: &[String]) -> Option<u32> {
    let main = operators.iter().filter_map(|operator| parse(operator));
    main.filter(|(domain, ..)| domain.is_empty())
        .map(|(_, _, since)| since)
        .max()
}

#[cfg(test)]
mod tests {
    use super::needed_opset;

    #[test]
    fn the_newest_operator_of_the_main_domain_decides() {
        let check = |operators: &[&str], expected| {
            let operators: Vec<String> = operators.iter().map(|&name| name.to_owned()).collect();
            assert_eq!(needed_opset(&operators), expected, "{operators:?}");
        };
        check(&["Abs-13", "Softmax-9", "ai.onnx.ml.TreeEnsemble-25"], Some(13));
        check(&["ai.onnx.ml.Scaler-1"], None);
        check(&[], None);
    }
}
