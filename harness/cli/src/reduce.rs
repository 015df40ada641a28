//! `reduce`: finds the smallest model that fails in the same way.

use std::path::PathBuf;

use clap::Args;
use harness_console::{info, note, outln};
use harness_fetch::Lockfile;
use harness_investigate::given::Given;
use harness_investigate::keep::{Provenance, write};
use harness_investigate::reduce::{Options, reduce};
use harness_investigate::text::text;
use harness_worker::{BackendArg, Cancel};

use super::failing::failing_inputs;
use super::inputs::{Inputs, reference};
use super::locate::one;
use super::selection::fetcher;
use super::trust::Trust;
use super::workers::{Jobs, Workers, runner};
use super::{CliError, Exit};
use run_record::text::counted;

/// Reduce a model to the smallest one that fails in the same way on a backend.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask reduce model.onnx --backend tract --out reduced\n  \
    cargo xtask reduce model.onnx --backend tract --jobs 8\n  \
    cargo xtask keep reduced\n\n\
    The same failure has the same verdict, kind of mismatch and reason; names and numbers in the reason are ignored. \
    --jobs models are tried at the same time; the result is the same for any number.\n\n\
    Exit codes: 0 reduced; 2 usage, a file that is not a model or does not fit; 4 no model, the backend does not fail, the failure needs the whole file, or the reference does \
    not answer; 5 interrupted; 6 a backend is missing; 73 a file cannot be written.")]
pub struct Reduce {
    /// The model: a file, or the id of a test case (`onnx-1.23.2/node/test_abs`, `own/…`, `generated/…`).
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// The backend that fails.
    #[arg(long, value_name = "BACKEND")]
    backend: BackendArg,
    /// The folder for the reduced model with its inputs and expected outputs.
    #[arg(long, value_name = "DIR", default_value = "reduced")]
    out: PathBuf,
    #[command(flatten)]
    inputs: Inputs,
    /// The seed of generated inputs.
    #[arg(long, value_name = "N", default_value = "0")]
    seed: u64,
    /// The maximum number of models that are tried.
    #[arg(long, value_name = "N", default_value = "2000")]
    trials: usize,
    /// Evaluate the model strictly by the specification.
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    trust: Trust,
    #[command(flatten)]
    workers: Workers,
    #[command(flatten)]
    jobs: Jobs,
}

impl Reduce {
    pub(super) fn execute(self) -> Result<Exit, CliError> {
        let subject = one(&self.model)?;
        let cancel = Cancel::on_signals().map_err(CliError::Signals)?;
        let (lock, fetcher) = (Lockfile::embedded()?, fetcher()?);
        let mut reference = reference(&self.workers, self.strict, &lock, &fetcher, &cancel)?;
        let mut backend = runner(&self.workers, &self.backend, &lock, &fetcher, &cancel)?;
        let inputs = failing_inputs(&subject, &self.inputs, self.seed, &mut reference, &mut backend)?;
        let options = Options {
            trials: self.trials,
            jobs: self.jobs.count(),
        };
        let given = Given::file(&subject, inputs);
        let started = || self.trust.start(&self.workers, &lock, &fetcher, &cancel);
        let is_trusted = self
            .trust
            .replace(&mut reference, &given.request, &self.backend, started)?;
        let trusted = self.trust.name().filter(|_| is_trusted);
        let reduced = reduce(&given, &mut reference, &mut backend, options)?;
        let said = backend.description();
        let version = format!("{} {}", said.name, said.version);
        let given_as = self.backend.to_string();
        let provenance = Provenance::of(&reduced, &subject, (&given_as, version), (self.seed, trusted));
        write(&reduced, &provenance, &self.out)?;
        let (before, after) = reduced.nodes;
        outln(format_args!(
            "{} on {}: {} of {before} nodes remain{}",
            subject.name,
            self.backend,
            after,
            trusted.map_or(String::new(), |name| format!(
                " (expected values of `{name}`, trusted)"
            ))
        ))?;
        outln(format_args!(
            "  {} of inputs and constants before, {} after; {} tried",
            counted(reduced.elements.0, "element"),
            reduced.elements.1,
            counted(reduced.trials, "model")
        ))?;
        outln(format_args!(
            "  {} {}: {}",
            provenance.verdict, provenance.detail, provenance.reason
        ))?;
        outln(format_args!("{}", text(&reduced.part.model)))?;
        if reduced.gave_up {
            note(format_args!(
                "the limit of {} trials ended the reduction: a larger --trials may remove more",
                self.trials
            ));
        }
        if reduced.expected.is_none() {
            note(format_args!(
                "the reference does not answer on the model either: its inputs may be the cause"
            ));
        }
        info(format_args!("wrote {}", self.out.display()));
        Ok(Exit::Passed)
    }
}
