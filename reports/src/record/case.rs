//! The result of one case on one backend.

use serde::{Deserialize, Serialize};

use super::{Level, OutputStats, Place, Release, Verdict};

/// One case on one backend.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseRecord {
    /// `<corpus>/<suite>/<name>`; [`CaseId`] takes it apart.
    pub case: String,
    /// Other corpora that have this very case, byte for byte and under the same name, oldest first. It was run once, and the
    /// result holds for all of them; `case` names it in the newest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also_in: Vec<String>,
    /// The backend's display name, [`BackendInfo::name`](super::BackendInfo::name).
    pub backend: String,
    /// What the case came to.
    pub verdict: Verdict,
    /// Why, in one line; empty on a pass.
    pub reason: String,
    /// Operator and since-version of the model's nodes, each once: `Softmax-13`, `ai.onnx.ml.Scaler-1`. In a `node`
    /// suite the first is the operator that the case is about.
    pub operators: Vec<String>,
    /// How each compared output differs from the expected one.
    pub outputs: Vec<OutputStats>,
    /// Time the backend took to load the model, in nanoseconds; none where it did not get so far.
    pub load_ns: Option<u64>,
    /// Time of the run, in nanoseconds; none where it did not get so far.
    pub run_ns: Option<u64>,
    /// Whether the rule of ONNX's own test runner would have let the case pass; none where there was no answer.
    pub official: Option<bool>,
    /// How well the answer is explained; none where there was none, and where outputs are drawn and nothing is expected of
    /// their values.
    pub level: Option<Level>,
    /// Where the nodes ran; none where the backend does not say.
    pub place: Option<Place>,
    /// How often the case was tried: more than once where a worker died and the case was repeated alone.
    pub attempts: u32,
}

impl CaseRecord {
    /// Every corpus that has the case, oldest first.
    pub fn corpora(&self) -> impl Iterator<Item = &str> {
        let own = CaseId::parse(&self.case).corpus;
        self.also_in.iter().map(String::as_str).chain([own])
    }

    /// The largest error over all outputs, chosen by `error`; none where no output was measured.
    pub fn worst(&self, error: impl Fn(&OutputStats) -> f64) -> Option<f64> {
        self.outputs
            .iter()
            .map(error)
            .filter(|value| !value.is_nan())
            .reduce(f64::max)
    }

    /// The bias of the largest magnitude over all outputs; none where no output was measured.
    pub fn bias(&self) -> Option<f64> {
        let biases = self
            .outputs
            .iter()
            .map(|output| output.bias)
            .filter(|bias| !bias.is_nan());
        biases.max_by(|a, b| a.abs().total_cmp(&b.abs()))
    }

    /// The output to show first: among those that differ, the one with the largest absolute error.
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

    /// Whether the case passed, but not all of it on the provider that was asked for.
    pub fn passed_on_fall_back(&self) -> bool {
        self.verdict == Verdict::Pass && self.place.as_ref().is_some_and(Place::fell_back)
    }

    /// The operator to which this result is put down; [`accountable_operator`].
    pub fn accountable_operator(&self) -> Option<&str> {
        accountable_operator(&self.case, &self.operators)
    }
}

/// The operator that a case of these operators is about: the first in a `node` suite and in the corpus `own`; the only one of any other model; none
/// of a model with several, where a result cannot be laid at one door. So it is with the cases named `…_expanded`, in
/// which an operator is replaced by the nodes of its function body.
pub fn accountable_operator<'a>(case: &str, operators: &'a [String]) -> Option<&'a str> {
    let id = CaseId::parse(case);
    let about_one = id.corpus == "own" || id.suite == "node" && !id.name.contains("_expanded");
    let alone = operators.len() == 1 || about_one;
    operators.first().filter(|_| alone).map(String::as_str)
}

/// The parts of a case's id, `<corpus>/<suite>/<name>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CaseId<'a> {
    /// Where the case comes from: `onnx-1.22.0`.
    pub corpus: &'a str,
    /// The corpus' own division: `node`.
    pub suite: &'a str,
    /// The rest, which may hold further slashes.
    pub name: &'a str,
}

impl<'a> CaseId<'a> {
    /// Whether the case is one of ONNX's own tests.
    pub fn is_official(&self) -> bool {
        Release::of_corpus(self.corpus).is_some()
    }

    /// Takes `id` apart; a part that it lacks is empty, from the left.
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
    fn ids_come_apart() {
        check("onnx-1.22.0/node/test_abs", "onnx-1.22.0", "node", "test_abs");
        check("mine/zoo/vision/resnet", "mine", "zoo", "vision/resnet");
        check("mine/abs", "mine", "", "abs");
        check("abs", "", "", "abs");
    }
}
