//! Measured times of the steps of a plan, over all runs.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::ir::Node;

/// The times of the steps of one plan.
pub struct Profile {
    file: PathBuf,
    steps: Vec<(String, Duration, u32)>,
}

impl Profile {
    /// Makes an empty profile for this file.
    pub fn new(file: PathBuf) -> Profile {
        Profile {
            file,
            steps: Vec::new(),
        }
    }

    /// Adds the time of one run of a step.
    pub fn add(&mut self, number: usize, node: &Node, took: Duration) {
        if number >= self.steps.len() {
            self.steps.resize_with(number + 1, Default::default);
        }
        let (name, total, runs) = &mut self.steps[number];
        if name.is_empty() {
            *name = format!("{}\t{}", node.op.label(), node.name);
        }
        *total += took;
        *runs += 1;
    }

    /// Writes the mean times: one line for each step, in order: microseconds, operator, node.
    pub fn write(&self) {
        let mut text = String::from("microseconds\toperator\tnode\n");
        for (name, total, runs) in self.steps.iter().filter(|(.., runs)| *runs > 0) {
            text.push_str(&format!(
                "{:.1}\t{name}\n",
                total.as_secs_f64() * 1e6 / f64::from(*runs)
            ));
        }
        // A failed write of the profile does not fail the run.
        if let Err(error) = fs::write(&self.file, text) {
            eprintln!("cannot write the profile `{}`: {error}", self.file.display());
        }
    }
}
