//! The options for measurements on complete models.

use clap::Args;
use harness_compare::policy::JUDGE;
use harness_conformance::noise::RUNS;
use harness_conformance::run::NoisePlan;
use harness_worker::WorkerSpec;
use run_record::Arithmetic;

use super::CliError;
use super::arguments::Arguments;
use super::selection::Cases;

/// The options for measurements on complete models.
#[derive(Args, Clone, Debug)]
pub struct Models {
    /// Run the reference N times with random rounding on each complete model (10 nodes or more) to
    /// determine its number of significant digits, and show the distance of backends in multiples of
    /// that noise; 0 for none. Default: 8 for --cases; 0 for official cases, because their models have
    /// no trained weights, and 8 runs of them take longer than all other cases together.
    #[arg(long, value_name = "N", value_parser = parse_runs)]
    noise: Option<u32>,
    /// The seed of random rounding, and of the inputs that `compare`, `locate` and `reduce` generate.
    #[arg(long, value_name = "N", default_value = "0")]
    seed: u64,
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
    const DEFAULT: Models = Models { noise: None, seed: 0 };

    /// No measurements.
    pub const NONE: Models = Models {
        noise: Some(0),
        seed: 0,
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
    }

    /// The measurements of a gate: without them, the official tolerance would decide on what a baseline of
    /// the policy `judge` was accepted for.
    pub(super) fn of_gate(policy: Option<&str>) -> &'static Models {
        match policy == Some(JUDGE) {
            true => &Models::DEFAULT,
            false => &Models::NONE,
        }
    }

    /// Whether noise is measured in `cases`, and they are not official ones: then it decides.
    pub fn measures(&self, cases: &Cases) -> bool {
        is_local(cases) && self.runs(cases) > 0
    }

    /// Whether the user leaves the number of runs to the command.
    pub(super) fn is_adaptive(&self) -> bool {
        self.noise.is_none()
    }

    fn runs(&self, cases: &Cases) -> u32 {
        let default = if is_local(cases) { RUNS } else { 0 };
        self.noise.unwrap_or(default)
    }

    /// How noise is measured in `cases`; `None` if it is not.
    pub fn plan(
        &self,
        cases: &Cases,
        reference: impl FnOnce() -> Result<WorkerSpec, CliError>,
    ) -> Result<Option<NoisePlan>, CliError> {
        let runs = self.runs(cases);
        if runs == 0 {
            return Ok(None);
        }
        Ok(Some(NoisePlan {
            reference: reference()?,
            classes: vec![Arithmetic::Rounded],
            runs,
            seed: self.seed,
            preliminary: false,
        }))
    }
}
