//! The figures of a campaign.

use std::collections::BTreeMap;
use std::fmt;

use super::fault::Fault;
use crate::stage::{Outcome, Stage};

/// The number of mutants with each result.
#[derive(Clone, Default, Debug)]
pub struct Tally {
    /// The number of mutants.
    pub mutants: u64,
    /// The results of stages.
    stages: BTreeMap<(Stage, Outcome), u64>,
    /// Faults by stage and kind. A panic is also counted as [`Outcome::Panicked`].
    faults: BTreeMap<(Stage, &'static str), u64>,
}

impl Tally {
    /// Counts the stages of one mutant.
    pub fn add(&mut self, outcomes: &[Outcome; Stage::ALL.len()]) {
        for (stage, &outcome) in Stage::ALL.into_iter().zip(outcomes) {
            if outcome != Outcome::NotRun {
                *self.stages.entry((stage, outcome)).or_default() += 1;
            }
        }
    }

    /// Counts a fault.
    pub fn fault(&mut self, stage: Stage, fault: &Fault) {
        *self.faults.entry((stage, fault.kind())).or_default() += 1;
    }

    /// The number of times that a stage had this result.
    pub fn of(&self, stage: Stage, outcome: Outcome) -> u64 {
        self.stages.get(&(stage, outcome)).copied().unwrap_or(0)
    }

    /// The number of faults.
    pub fn faults(&self) -> u64 {
        self.faults.values().sum()
    }
}

/// A line for each stage, and one for its faults.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} mutants", self.mutants)?;
        for stage in Stage::ALL {
            let ends = Outcome::ALL
                .into_iter()
                .map(|outcome| (outcome.name(), self.of(stage, outcome)));
            let faults = self
                .faults
                .iter()
                .filter(|((of, kind), _)| *of == stage && *kind != "panic");
            let counts = ends.chain(faults.map(|((_, kind), &count)| (*kind, count)));
            let counts: Vec<String> = counts
                .filter(|(_, count)| *count > 0)
                .map(|(what, count)| format!("{count} {what}"))
                .collect();
            writeln!(f, "  {:<10} {}", stage.name(), counts.join(", "))?;
        }
        write!(f, "  {} faults in all", self.faults())
    }
}
