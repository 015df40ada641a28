//! What is measured of whole models beside their verdicts.

use clap::Args;
use harness_conformance::run::NoisePlan;
use harness_worker::WorkerSpec;

use super::CliError;
use super::repeat::Arguments;
use super::selection::Cases;

/// Runs with random rounding where a person names models and says nothing else: σ is then at most 1.7 times what they
/// show, at 95 % confidence; 32 runs would make that 1.3.
const RUNS: u32 = 8;

/// What is measured of whole models.
#[derive(Args, Clone, Debug)]
pub struct Models {
    /// Run the reference N times with random rounding over each whole model (10 nodes or more) to see how many digits the model
    /// itself carries, and show how far backends are from it in multiples of that noise; 0 for not at all. Left out, 8 for
    /// --cases; for official cases 0, because their models have no trained weights, and 8 runs of them take longer than all
    /// other cases together.
    #[arg(long, value_name = "N", value_parser = parse_runs)]
    noise: Option<u32>,
    /// The seed of random rounding, and of the inputs that `compare`, `locate` and `reduce` draw.
    #[arg(long, value_name = "N", default_value = "0")]
    seed: u64,
}

fn parse_runs(text: &str) -> Result<u32, String> {
    let runs = text.parse().ok().filter(|&runs| runs <= 1000 && runs != 1);
    runs.ok_or_else(|| format!("`{text}` is neither 0 nor a number of runs from 2 to 1000"))
}

impl Models {
    /// Nothing is measured.
    pub const NONE: Models = Models {
        noise: Some(0),
        seed: 0,
    };

    /// The seed.
    pub(super) fn seed(&self) -> u64 {
        self.seed
    }

    /// What was asked for, as it is typed.
    pub(super) fn arguments(&self) -> Arguments {
        Arguments::default()
            .option("--noise", self.noise)
            .option("--seed", Some(self.seed).filter(|seed| *seed != 0))
    }

    /// How noise is measured in `cases`; none where it is not.
    pub fn plan(
        &self,
        cases: &Cases,
        reference: impl FnOnce() -> Result<WorkerSpec, CliError>,
    ) -> Result<Option<NoisePlan>, CliError> {
        let default = if cases.cases.is_some() || cases.corpus.is_some() {
            RUNS
        } else {
            0
        };
        let runs = self.noise.unwrap_or(default);
        if runs == 0 {
            return Ok(None);
        }
        Ok(Some(NoisePlan {
            reference: reference()?,
            runs,
            seed: self.seed,
        }))
    }
}
