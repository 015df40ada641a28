//! The options for measurements on complete models.

use std::sync::Arc;

use clap::{Args, ValueEnum};
use harness_compare::policy::JUDGE;
use harness_conformance::generated::{Kind, WITNESS};
use harness_conformance::referee::Effort;
use harness_conformance::run::{NodePlan, NoisePlan};
use harness_investigate::nodes::AsLocate;
use harness_worker::WorkerSpec;
use run_record::Arithmetic;

use super::CliError;
use super::arguments::Arguments;
use super::generated::Generating;
use super::selection::Cases;

/// The options for measurements on complete models.
#[derive(Args, Clone, Debug)]
pub struct Models {
    /// Run the reference N times with random rounding on each complete model (10 nodes or more) to
    /// determine its number of significant digits, and show the distance of backends in multiples of
    /// that noise; 0 for none. Default: 2 for all but official cases, and 8 for each answer that is not
    /// clearly right by these; 0 for official cases, because their models have no trained weights, and
    /// their runs take longer than all other cases together.
    #[arg(long, value_name = "N", value_parser = parse_runs)]
    noise: Option<u32>,
    /// The seed of random rounding, and of the inputs that `compare`, `locate` and `reduce` generate.
    #[arg(long, value_name = "N", default_value = "0")]
    seed: u64,
    /// When every node of a complete model is also judged alone, on the inputs that the reference computed:
    /// `auto` for at most 10 seconds on each backend where an answer is right and its outputs say little of
    /// single nodes (rounding decides codes, few digits are significant, only a less accurate arithmetic
    /// explains them), `always`, or `never`. A wrong node makes the answer wrong.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = EachNode::Auto)]
    each_node: EachNode,
}

/// When every node is judged alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum EachNode {
    Auto,
    Always,
    Never,
}

impl EachNode {
    /// The value as an argument; `None` if it is the default.
    fn argument(self) -> Option<String> {
        let name = self.to_possible_value()?.get_name().to_owned();
        (self != EachNode::Auto).then_some(name)
    }
}

fn parse_runs(text: &str) -> Result<u32, String> {
    let runs = text.parse().ok().filter(|&runs| runs <= 1000 && runs != 1);
    runs.ok_or_else(|| format!("`{text}` is neither 0 nor a number of runs from 2 to 1000"))
}

/// Whether the user names the cases.
fn is_local(cases: &Cases) -> bool {
    cases.cases.is_some() || cases.corpus.is_some()
}

impl Models {
    /// The defaults.
    pub(super) const DEFAULT: Models = Models {
        noise: None,
        seed: 0,
        each_node: EachNode::Auto,
    };

    /// No measurements.
    pub const NONE: Models = Models {
        noise: Some(0),
        ..Models::DEFAULT
    };

    /// The seed.
    pub(super) fn seed(&self) -> u64 {
        self.seed
    }

    /// The options as arguments.
    pub(super) fn arguments(&self) -> Arguments {
        Arguments::default()
            .option("--noise", self.noise)
            .option("--seed", Some(self.seed).filter(|seed| *seed != 0))
            .option("--each-node", self.each_node.argument())
    }

    /// The measurements of a gate: without them, the official tolerance would decide on what a baseline of
    /// the policy `judge` was accepted for.
    pub(super) fn of_gate(policy: Option<&str>) -> &'static Models {
        if policy == Some(JUDGE) {
            &Models::DEFAULT
        } else {
            &Models::NONE
        }
    }

    /// Whether the reference's own runs decide on the cases: they are not official ones, and their expected
    /// outputs are not those of another witness.
    pub fn decide(&self, cases: &Cases, generating: &Generating) -> bool {
        let judged = cases.own
            || is_local(cases)
            || generating.asked().is_some() && generating.witness.text() == WITNESS;
        judged && self.noise != Some(0)
    }

    /// How noise is measured in the cases, by up to `parallel` runs at the same time; `None` if it is not.
    /// `judge`: whether it decides.
    pub fn plan(
        &self,
        (cases, generating): (&Cases, &Generating),
        judge: bool,
        parallel: usize,
        reference: impl FnOnce() -> Result<WorkerSpec, CliError>,
    ) -> Result<Option<NoisePlan>, CliError> {
        if self.noise.is_none() && !self.decide(cases, generating) || self.noise == Some(0) {
            return Ok(None);
        }
        Ok(Some(NoisePlan {
            reference: reference()?,
            effort: Effort {
                runs: self.noise,
                seed: self.seed,
                classes: if judge {
                    &Arithmetic::ALL
                } else {
                    &[Arithmetic::Rounded]
                },
                // The cases of one operator have no digits of interest.
                always: !cases.own && generating.asked().is_none_or(|(kind, _)| kind == Kind::Graphs),
                parallel,
            },
            nodes: self.nodes(cases),
        }))
    }

    /// Which answers lead to a judgement of single nodes: answers to models that the user names.
    fn nodes(&self, cases: &Cases) -> Option<NodePlan> {
        (is_local(cases) && self.each_node != EachNode::Never).then(|| NodePlan {
            judge: Arc::new(AsLocate),
            always: self.each_node == EachNode::Always,
        })
    }
}
