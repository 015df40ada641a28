//! The result of one case on one backend.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DataSetResult, Level, OutputStats, Place, Release, Verdict};

/// One case on one backend.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CaseRecord {
    /// `<corpus>/<suite>/<name>`; parsed by [`CaseId`].
    pub case: String,
    /// Other corpora with the same case, byte for byte and under the same name, oldest first. It was run
    /// once, and the result applies to all of them; `case` is its id in the newest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also_in: Vec<String>,
    /// The backend's display name, [`BackendInfo::name`](super::BackendInfo::name).
    pub backend: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The reason in one line; empty for a pass.
    pub reason: String,
    /// Operator and since-version of the model's nodes, each once: `Softmax-13`, `ai.onnx.ml.Scaler-1`.
    /// In a `node` suite the first is the operator that the case tests.
    pub operators: Vec<String>,
    /// The difference of each compared output from the expected one.
    pub outputs: Vec<OutputStats>,
    /// The result of each data set that was run, if the case has several; empty if it has one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub data_sets: Vec<DataSetResult>,
    /// The peak resident memory of the worker during the case, in bytes; `None` if it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_bytes: Option<u64>,
    /// The time of the load in nanoseconds; `None` if the model was not loaded.
    pub load_ns: Option<u64>,
    /// The time of the run in nanoseconds; `None` if the model was not run.
    pub run_ns: Option<u64>,
    /// Whether the case passes by the rule of ONNX's own test runner; `None` without an answer.
    pub official: Option<bool>,
    /// How well the answer is explained; `None` without an answer, and for random outputs, whose values
    /// are not compared.
    pub level: Option<Level>,
    /// The devices of the nodes; `None` if the backend does not report them.
    pub place: Option<Place>,
    /// The number of attempts: more than one if a worker ended and the case was retried in a fresh one.
    pub attempts: u32,
}

impl CaseRecord {
    /// Every corpus that has the case, oldest first.
    pub fn corpora(&self) -> impl Iterator<Item = &str> {
        let own = CaseId::parse(&self.case).corpus;
        self.also_in.iter().map(String::as_str).chain([own])
    }

    /// The largest error over all outputs, selected by `error`; `None` if no output was measured.
    pub fn worst(&self, error: impl Fn(&OutputStats) -> f64) -> Option<f64> {
        self.outputs
            .iter()
            .map(error)
            .filter(|value| !value.is_nan())
            .reduce(f64::max)
    }

    /// The bias with the largest magnitude over all outputs; `None` if no output was measured.
    pub fn bias(&self) -> Option<f64> {
        let biases = self
            .outputs
            .iter()
            .map(|output| output.bias)
            .filter(|bias| !bias.is_nan());
        biases.max_by(|a, b| a.abs().total_cmp(&b.abs()))
    }

    /// The output to show first: of those that differ, the one with the largest absolute error.
    pub fn worst_output(&self) -> Option<&OutputStats> {
        let severity = |output: &OutputStats| {
            if output.max_abs.is_nan() {
                -1.0
            } else {
                output.max_abs
            }
        };
        self.outputs
            .iter()
            .filter(|output| output.differing > 0)
            .max_by(|a, b| severity(a).total_cmp(&severity(b)))
    }

    /// Whether the case passed, but not completely on the requested provider.
    pub fn passed_on_fall_back(&self) -> bool {
        self.verdict == Verdict::Pass && self.place.as_ref().is_some_and(Place::fell_back)
    }

    /// The operator to which this result is attributed; see [`accountable_operator`].
    pub fn accountable_operator(&self) -> Option<&str> {
        accountable_operator(&self.case, &self.operators)
    }
}

/// The operator that a case with these operators tests: the first in a `node` suite and in the corpus
/// `own`; the only one of any other model; `None` for a model with several, where a result cannot be
/// attributed. This includes the cases `…_expanded`, in which an operator is replaced by the nodes of
/// its function body.
pub fn accountable_operator<'a>(case: &str, operators: &'a [String]) -> Option<&'a str> {
    let id = CaseId::parse(case);
    let about_one = id.corpus == "own" || id.suite == "node" && !id.name.contains("_expanded");
    let alone = operators.len() == 1 || about_one;
    operators.first().filter(|_| alone).map(String::as_str)
}

/// The parts of a case's id, `<corpus>/<suite>/<name>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CaseId<'a> {
    /// The source of the case: `onnx-1.22.0`.
    pub corpus: &'a str,
    /// The suite within the corpus: `node`.
    pub suite: &'a str,
    /// The rest, which may contain slashes.
    pub name: &'a str,
}

impl<'a> CaseId<'a> {
    /// Whether the case is one of ONNX's own tests.
    pub fn is_official(&self) -> bool {
        Release::of_corpus(self.corpus).is_some()
    }

    /// Splits `id` into its parts; missing parts are empty, from the left.
    pub fn parse(id: &'a str) -> Self {
        let (corpus, rest) = id.split_once('/').unwrap_or(("", id));
        let (suite, name) = rest.split_once('/').unwrap_or(("", rest));
        Self { corpus, suite, name }
    }
}

#[cfg(test)]
mod tests {
    use super::CaseId;

    fn check(id: &str, corpus: &str, suite: &str, name: &str) {
        assert_eq!(CaseId::parse(id), CaseId { corpus, suite, name });
    }

    #[test]
    fn ids_are_split_into_parts() {
        check("onnx-1.22.0/node/test_abs", "onnx-1.22.0", "node", "test_abs");
        check("mine/zoo/vision/resnet", "mine", "zoo", "vision/resnet");
        check("mine/abs", "mine", "", "abs");
        check("abs", "", "", "abs");
    }
}
