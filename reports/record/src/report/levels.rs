//! Counts of levels.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

use super::tally::counts;
use crate::Level;

/// The number of cases with each level. In JSON: an object with all five keys.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Levels([u64; Level::ALL.len()]);

impl Levels {
    /// Counts one more of `level`.
    pub fn add(&mut self, level: Level) {
        self.0[level as usize] += 1;
    }

    /// The count of `level`.
    pub fn get(&self, level: Level) -> u64 {
        self.0[level as usize]
    }

    /// All counts, in the order of [`Level::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = (Level, u64)> {
        Level::ALL.into_iter().zip(self.0)
    }
}

impl JsonSchema for Levels {
    fn schema_name() -> Cow<'static, str> {
        "Levels".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        counts("The number of cases with each level.", Level::ALL.map(Level::key))
    }
}

impl Serialize for Levels {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(level, count)| (level.key(), count)))
    }
}
