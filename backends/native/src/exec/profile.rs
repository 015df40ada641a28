//! Measured times of the steps of a plan, over all runs.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::ir::Node;

/// The times of the steps of one plan.
pub struct Profile {
    file: PathBuf,
    steps: Vec<Step>,
}

/// The times of all runs of a step.
#[derive(Default)]
struct Step {
    name: String,
    total: Duration,
    minimum: Duration,
    runs: u32,
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
        let step = &mut self.steps[number];
        if step.runs == 0 {
            step.name = format!("{}\t{}", node.op.label(), node.name);
            step.minimum = took;
        }
        step.minimum = step.minimum.min(took);
        step.total += took;
        step.runs += 1;
    }

    /// Writes the times: one line for each step, in order: mean and minimum in microseconds, operator, node.
    /// Other processes can slow some runs down, so the minimum says more about a kernel.
    pub fn write(&self) {
        let mut text = String::from("mean\tminimum\toperator\tnode\n");
        for step in self.steps.iter().filter(|step| step.runs > 0) {
            let mean = step.total.as_secs_f64() / f64::from(step.runs);
            let [mean, minimum] = [mean, step.minimum.as_secs_f64()].map(|seconds| seconds * 1e6);
            text.push_str(&format!("{mean:.1}\t{minimum:.1}\t{}\n", step.name));
        }
        // A failed write of the profile does not fail the run.
        if let Err(error) = fs::write(&self.file, text) {
            eprintln!("cannot write the profile `{}`: {error}", self.file.display());
        }
    }
}
