//! Counts planted and detected faults.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

/// The number of planted and of detected faults.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct Count {
    /// Faulty outputs that were judged.
    pub planted: u64,
    /// Those that did not pass.
    pub killed: u64,
}

impl Count {
    /// Whether all planted faults were detected.
    pub fn is_complete(self) -> bool {
        self.planted == self.killed
    }

    fn add(&mut self, killed: bool) {
        self.planted += 1;
        self.killed += u64::from(killed);
    }

    fn join(self, other: Count) -> Count {
        Count {
            planted: self.planted + other.planted,
            killed: self.killed + other.killed,
        }
    }
}

/// A fault that was not detected.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, JsonSchema)]
pub struct Survivor {
    /// The policy under which it passed.
    pub policy: String,
    pub fault: &'static str,
    /// The source of the outputs.
    pub source: String,
    pub case: String,
}

/// Counts for each policy, source and fault, and every fault that was not detected.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct KillTable {
    counts: BTreeMap<(String, String, &'static str), Count>,
    survivors: Vec<Survivor>,
}

impl KillTable {
    /// Adds a judged fault.
    pub fn add(&mut self, policy: &str, source: &str, case: &str, fault: &'static str, killed: bool) {
        let key = (policy.to_owned(), source.to_owned(), fault);
        self.counts.entry(key).or_default().add(killed);
        if !killed {
            self.survivors.push(Survivor {
                policy: policy.to_owned(),
                fault,
                source: source.to_owned(),
                case: case.to_owned(),
            });
        }
    }

    /// Adds the counts of another table.
    pub fn join(&mut self, other: KillTable) {
        for (key, count) in other.counts {
            let known = self.counts.entry(key).or_default();
            *known = known.join(count);
        }
        self.survivors.extend(other.survivors);
        // Cases arrive in the order in which workers finish them.
        self.survivors.sort();
    }

    /// The total for `policy`, of one source or all, of one fault or all.
    pub fn count(&self, policy: &str, source: Option<&str>, fault: Option<&str>) -> Count {
        let chosen = |(known, from, kind): &(String, String, &'static str)| {
            known == policy
                && source.is_none_or(|source| source == from)
                && fault.is_none_or(|fault| fault == *kind)
        };
        let counts = self.counts.iter().filter(|(key, _)| chosen(key));
        counts.fold(Count::default(), |sum, (_, count)| sum.join(*count))
    }

    /// The faults that were not detected, sorted.
    pub fn survivors(&self) -> &[Survivor] {
        &self.survivors
    }
}
