//! The result of one data set of a case with several.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{OutputStats, Verdict};

/// The result of one data set of a case with several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DataSetResult {
    /// The name of its folder: `test_data_set_0`.
    pub name: String,
    /// The verdict on this data set alone.
    pub verdict: Verdict,
    /// The reason in one line; empty for a pass.
    pub reason: String,
    /// The number of its entries in [`CaseRecord::outputs`](super::CaseRecord::outputs), which has the
    /// outputs of all data sets, one data set after the other.
    pub outputs: usize,
}

/// Each data set with its outputs. Entries beyond `outputs` are omitted.
pub fn outputs_of_data_sets<'r>(
    data_sets: &'r [DataSetResult],
    outputs: &'r [OutputStats],
) -> impl Iterator<Item = (&'r DataSetResult, &'r [OutputStats])> {
    let mut rest = outputs;
    data_sets.iter().map(move |set| {
        let (own, further) = rest.split_at(set.outputs.min(rest.len()));
        rest = further;
        (set, own)
    })
}
