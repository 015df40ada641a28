//! `randomize`: writes the light models with random weights as cases.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use harness_bench::export;
use harness_console::outln;
use harness_fetch::Lockfile;
use harness_worker::Cancel;
use harness_worker::backend;
use run_record::Release;

use super::bench::light_cases;
use super::limits::Memory;
use super::selection::fetcher;
use super::workers::parse_seconds;
use super::{CliError, Exit};

/// Put seeded random weights into the official light models and write them as cases in the official layout.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask randomize --model resnet50\n  \
    cargo xtask conformance --cases random-models --backend ort --backend tract\n\n\
    The light models have one constant for all weights, so that outputs are uniform or noise. With random weights their \
    activations stay in range. Inputs are also random, outputs are those of the reference. The same seed writes the same bytes.\n\n\
    Exit codes: 0 written; 2 usage; 4 no model; 6 the reference is missing or gives no outputs; 73 a file cannot be written.")]
pub struct Randomize {
    /// The ONNX release of the models.
    #[arg(long, value_name = "VERSION", default_value = "1.22.0")]
    release: Release,
    /// Only models whose id contains this word, or matches it as a glob if it contains any of *?[{
    /// (repeatable).
    #[arg(long = "model", value_name = "PATTERN")]
    models: Vec<String>,
    /// The seed of weights and inputs.
    #[arg(long, value_name = "N", default_value = "0")]
    seed: u64,
    /// The time limit of one run of the reference in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = parse_seconds)]
    timeout: Duration,
    #[command(flatten)]
    memory: Memory,
    /// The folder for the cases.
    #[arg(long, value_name = "DIR", default_value = "random-models")]
    out: PathBuf,
}

impl Randomize {
    pub(super) fn execute(self) -> Result<Exit, CliError> {
        let (lock, fetcher) = (Lockfile::embedded()?, fetcher()?);
        let cases = light_cases(&self.release, &self.models, &lock, &fetcher)?;
        let mut reference = backend::parse("reference", &lock, &fetcher)?;
        reference.limits.memory = self.memory.limit();
        let cancel = Cancel::on_signals().map_err(CliError::Signals)?;
        let folders = export(&cases, self.seed, reference, self.timeout, &cancel, &self.out)?;
        for folder in folders {
            outln(format_args!("{}", folder.display()))?;
        }
        Ok(Exit::Passed)
    }
}
