//! Counts of verdicts.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

use crate::VerdictKind;

/// The number of cases with each kind of verdict. In JSON: an object with a key for each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally([u64; VerdictKind::ALL.len()]);

impl Tally {
    /// Counts one more of `kind`.
    pub fn add(&mut self, kind: VerdictKind) {
        self.0[kind as usize] += 1;
    }

    /// The count of `kind`.
    pub fn get(&self, kind: VerdictKind) -> u64 {
        self.0[kind as usize]
    }

    /// The sum of all counts.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The number of cases that count for or against the backend: all except disputed ones.
    pub fn counted(&self) -> u64 {
        self.sum(|kind| kind != VerdictKind::Disputed)
    }

    /// Passes.
    pub fn passed(&self) -> u64 {
        self.get(VerdictKind::Pass)
    }

    /// All counts, in the order of [`VerdictKind::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = (VerdictKind, u64)> {
        VerdictKind::ALL.into_iter().zip(self.0)
    }

    /// The sum of the counts for which `choose` holds.
    pub fn sum(&self, choose: impl Fn(VerdictKind) -> bool) -> u64 {
        self.iter()
            .filter(|(kind, _)| choose(*kind))
            .map(|(_, count)| count)
            .sum()
    }

    /// Counts the cases that are missing from `selected` as not run.
    pub(super) fn fill_not_run(&mut self, selected: u64) {
        self.0[VerdictKind::NotRun as usize] += selected.saturating_sub(self.total());
    }
}

impl JsonSchema for Tally {
    fn schema_name() -> Cow<'static, str> {
        "Tally".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        counts(
            "The number of cases with each verdict.",
            VerdictKind::ALL.map(VerdictKind::key),
        )
    }
}

/// The schema of an object with a count for each key.
pub(super) fn counts(description: &str, keys: impl IntoIterator<Item = &'static str>) -> Schema {
    let keys: Vec<&str> = keys.into_iter().collect();
    json_schema!({
        "description": description,
        "type": "object",
        "required": keys,
        "additionalProperties": { "type": "integer", "minimum": 0 },
        "propertyNames": { "enum": keys },
    })
}

impl Serialize for Tally {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(kind, count)| (kind.key(), count)))
    }
}
