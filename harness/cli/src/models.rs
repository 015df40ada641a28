//! The options for measurements on complete models.

use clap::Args;
use harness_conformance::run::NoisePlan;
use harness_worker::WorkerSpec;
use reports::record::Arithmetic;

use super::CliError;
use super::arguments::Arguments;
use super::selection::Cases;

/// The default number of runs with random rounding for models that the user names: σ is then at most 1.7
/// times the estimate, at 95 % confidence; with 32 runs the factor would be 1.3.
const RUNS: u32 = 8;

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

impl Models {
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

    /// How noise is measured in `cases`; `None` if it is not.
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
            classes: vec![Arithmetic::Rounded],
            runs,
            seed: self.seed,
        }))
    }
}
