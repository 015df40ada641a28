//! A disagreement of the reference with the data of a case.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CaseId, Release};

/// The stored outputs of a data set, and the outputs of the reference, which differ by more than the
/// official rule allows.
///
/// One of them is wrong, so that no verdict on this case is reliable until a person decides. Cases in
/// the errata have no such record: the errata state the fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DataFinding {
    /// The case's id.
    pub case: String,
    /// Other corpora with the same case, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also_in: Vec<String>,
    /// The data set: `test_data_set_0`.
    pub data_set: String,
    /// The output and the difference, in one line.
    pub reason: String,
}

impl DataFinding {
    /// The source of the expected outputs.
    pub fn origin(&self) -> String {
        let corpus = CaseId::parse(&self.case).corpus;
        match (Release::of_corpus(corpus), corpus) {
            (Some(release), _) => format!("official data of onnx {release}"),
            (None, "own") => "own case, derived without the reference".to_owned(),
            (None, _) => "stored files of the case; the harness does not know what computed them".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_origin_of_an_expectation_is_stated() {
        let check = |case: &str, part: &str| {
            let finding = DataFinding {
                case: case.to_owned(),
                also_in: Vec::new(),
                data_set: "test_data_set_0".to_owned(),
                reason: String::new(),
            };
            assert!(finding.origin().contains(part), "{case}: {}", finding.origin());
        };
        check("onnx-1.22.0/node/test_abs", "official data of onnx 1.22.0");
        check("own/Abs/a-13", "own case");
        check("local/single/mine", "stored files of the case");
    }
}
