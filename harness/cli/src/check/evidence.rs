//! The results of a conformance run for the operators of a model: the verdicts of each backend on
//! the cases of these operators.

use std::collections::{BTreeMap, BTreeSet};

use harness_investigate::support::operators;
use onnx_model::Model;
use run_record::text::counted;
use run_record::{Report, Tally, shown::one_line};
use run_record::{Severity, VerdictKind};
use schemars::JsonSchema;
use serde::Serialize;

/// The verdicts of one backend on the operators of a model. Fields are never removed; new ones may be added.
#[derive(Serialize, JsonSchema)]
pub(super) struct Evidence {
    /// The verdicts by operator and version, for the operators that have a case.
    operators: BTreeMap<String, Tally>,
    /// The operators and versions without a case of their own in the run.
    without_case: Vec<String>,
}

impl Evidence {
    /// The evidence of a run for a backend; `None` if the backend was not part of the run.
    pub fn of(report: &Report, backend: &str, model: &Model) -> Option<Evidence> {
        report.backend(backend)?;
        let wanted: BTreeSet<String> = operators(model);
        let mut found: BTreeMap<String, Tally> = BTreeMap::new();
        for record in report.cases_of(backend) {
            let operator = record.accountable_operator();
            if let Some(operator) = operator.filter(|operator| wanted.contains(*operator)) {
                found
                    .entry(operator.to_owned())
                    .or_default()
                    .add(record.verdict.kind());
            }
        }
        Some(Evidence {
            without_case: wanted
                .into_iter()
                .filter(|operator| !found.contains_key(operator))
                .collect(),
            operators: found,
        })
    }

    /// The evidence in one line, with the operators that do not pass every case.
    pub fn line(&self) -> String {
        let sum = |count: &dyn Fn(&Tally) -> u64| self.operators.values().map(count).sum::<u64>();
        let operators = counted(self.operators.len(), "operator");
        let mut line = format!(
            "{} of {} cases of {operators} pass",
            sum(&Tally::passed),
            sum(&Tally::counted),
        );
        for (operator, tally) in &self.operators {
            let failed = tally
                .iter()
                .filter(|(kind, count)| *count > 0 && is_failure(*kind));
            let failed: Vec<String> = failed
                .map(|(kind, count)| format!("{count} {}", kind.key()))
                .collect();
            if !failed.is_empty() {
                line += &format!("; {}: {}", one_line(operator), failed.join(", "));
            }
        }
        if !self.without_case.is_empty() {
            line += &format!("; no case of {}", one_line(&self.without_case.join(", ")));
        }
        line
    }
}

fn is_failure(kind: VerdictKind) -> bool {
    kind.severity()
        .is_some_and(|severity| severity != Severity::Passed)
}

#[cfg(test)]
mod tests {

    use onnx_model::{Graph, Node};
    use run_record::{BackendInfo, CaseRecord, Event, Verdict};

    use super::*;

    fn model(operators: &[&str]) -> Model {
        let node = |operator: &&str| Node {
            operator: (*operator).to_owned(),
            inputs: vec!["x".to_owned()],
            outputs: vec![format!("{operator} of x")],
            ..Node::default()
        };
        Model::new(
            13,
            Graph {
                nodes: operators.iter().map(node).collect(),
                ..Graph::default()
            },
        )
    }

    fn record(name: &str, operators: &[&str], verdict: Verdict) -> Event {
        Event::CaseFinished(Box::new(CaseRecord {
            case: format!("onnx-1.22.0/node/{name}"),
            backend: "mine".to_owned(),
            verdict,
            operators: operators.iter().map(|name| (*name).to_owned()).collect(),
            attempts: 1,
            ..CaseRecord::default()
        }))
    }

    #[test]
    fn only_the_operator_that_a_case_is_about_counts() {
        let report = Report::fold([
            Event::BackendStarted(BackendInfo {
                name: "mine".to_owned(),
                ..BackendInfo::default()
            }),
            record("test_relu", &["Relu-13"], Verdict::Pass),
            record("test_relu_of_cast", &["Relu-13", "Cast-13"], Verdict::Timeout),
            record("test_old_relu", &["Relu-6"], Verdict::Timeout),
            record("test_neg", &["Neg-13"], Verdict::Pass),
        ]);
        let lines =
            |operators: &[&str]| Evidence::of(&report, "mine", &model(operators)).map(|found| found.line());
        let relu = "1 of 2 cases of 1 operator pass; Relu-13: 1 timeout";
        assert_eq!(lines(&["Relu", "Relu"]).as_deref(), Some(relu));
        assert_eq!(
            lines(&["Relu", "Neg", "Cast"]).as_deref(),
            Some("2 of 3 cases of 2 operators pass; Relu-13: 1 timeout; no case of Cast-13")
        );
        assert!(Evidence::of(&report, "another", &model(&["Relu"])).is_none());
    }
}
