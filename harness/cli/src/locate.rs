//! `locate`: finds the first node of a model that is wrong on a backend.

mod growth;
mod lines;

use std::path::PathBuf;

use clap::Args;
use harness_console::{info, outln};
use harness_fetch::Lockfile;
use harness_investigate::given::Given;
use harness_investigate::locate::{Finding, Options, Team, locate};
use harness_investigate::runner::Runner;
use harness_investigate::subject::{self, Subject};
use harness_worker::{BackendArg, Cancel};

use super::case_subject::case_subject;
use super::failing::failing_inputs;
use super::inputs::{Inputs, reference};
use super::selection::fetcher;
use super::trust::Trust;
use super::workers::{Workers, runner};
use super::{CliError, Exit};

/// Find the first node of a model whose output is wrong on a backend, or at which the backend starts to
/// fail.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask locate model.onnx --backend tract\n  \
    cargo xtask locate model.onnx --backend ort --with native --with tract --input image=cat.png\n  \
    cargo xtask locate model.onnx --backend ort --out located\n\n\
    The error of a node is local: the backend runs the single node on the inputs that the reference computed, and the bound is the \
    possible rounding error. The error after a cut is propagated: the backend runs all nodes before it. --out writes its growth along \
    the model as growth.svg and growth.csv.\n\n\
    Exit codes: 0 the outputs are right; 1 a node was found, nodes are wrong together, or the failure needs the whole file; 2 usage, a file that is not a model or does not \
    fit; 4 no model, or the reference does not answer; 5 interrupted; 6 a backend is missing.")]
pub struct Locate {
    /// The model: a file, or the id of a test case (`onnx-1.23.2/node/test_abs`, `own/…`, `generated/…`).
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// The backend under investigation.
    #[arg(long, value_name = "BACKEND")]
    backend: BackendArg,
    /// Another backend that runs the located node (repeatable).
    #[arg(long = "with", value_name = "BACKEND")]
    others: Vec<BackendArg>,
    #[command(flatten)]
    inputs: Inputs,
    /// The seed of generated inputs.
    #[arg(long, value_name = "N", default_value = "0")]
    seed: u64,
    /// Check every node, even if the outputs agree.
    #[arg(long)]
    scan: bool,
    /// The number of evenly spaced cuts at which the propagated error is measured, in addition to those
    /// of the search. Default: 16 with --out, otherwise 0.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(..=MAX_CUTS))]
    growth: Option<u16>,
    /// The folder for a chart (growth.svg) and a table (growth.csv) of the propagated error.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Evaluate the model strictly by the specification.
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    trust: Trust,
    #[command(flatten)]
    workers: Workers,
}

/// The number of measured cuts of a chart.
const CUTS: u16 = 16;

/// The maximum of `--growth`: each cut is a run of the backend.
const MAX_CUTS: i64 = 1000;

impl Locate {
    pub(super) fn execute(self) -> Result<Exit, CliError> {
        let subject = one(&self.model)?;
        let cancel = Cancel::on_signals().map_err(CliError::Signals)?;
        let (lock, fetcher) = (Lockfile::embedded()?, fetcher()?);
        let mut reference = reference(&self.workers, self.strict, &lock, &fetcher, &cancel)?;
        let mut backend = runner(&self.workers, &self.backend, &lock, &fetcher, &cancel)?;
        let others = self
            .others
            .iter()
            .map(|text| runner(&self.workers, text, &lock, &fetcher, &cancel));
        let mut others: Vec<Runner> = others.collect::<Result<_, _>>()?;
        let inputs = failing_inputs(&subject, &self.inputs, self.seed, &mut reference, &mut backend)?;
        let given = Given::file(&subject, inputs);
        let started = || self.trust.start(&self.workers, &lock, &fetcher, &cancel);
        let is_trusted = self
            .trust
            .replace(&mut reference, &given.request, &self.backend, started)?;
        let mut team = Team {
            reference: &mut reference,
            backend: &mut backend,
            others: &mut others,
        };
        let cuts = if self.out.is_some() { CUTS } else { 0 };
        let options = Options {
            scan: self.scan,
            growth: self.growth.unwrap_or(cuts).into(),
            until: None,
        };
        let location = locate(&given, options, &mut team)?;
        for line in lines::lines(&subject.name, &self.backend.to_string(), &location) {
            if is_trusted {
                outln(format_args!("{}", self.trust.words(&line)))?
            } else {
                outln(format_args!("{line}"))?
            }
        }
        if let Some(out) = &self.out {
            let mut title = format!("{} on {}", subject.name, self.backend.name());
            if let (true, Some(trusted)) = (is_trusted, self.trust.name()) {
                title = format!("{title}, by `{trusted}` (trusted)");
            }
            for file in growth::write(title, &location, out)? {
                info(format_args!("wrote {}", file.display()));
            }
        }
        Ok(match location.finding {
            Finding::Right { .. } => Exit::Passed,
            Finding::Node(_) | Finding::Together { .. } | Finding::Fails(_) | Finding::WholeFile(_) => {
                Exit::Regression
            }
        })
    }
}

/// The only model at a path, or that of a test case.
pub(super) fn one(path: &std::path::Path) -> Result<Subject, CliError> {
    if let Some(subject) = case_subject(path)? {
        return Ok(subject);
    }
    let mut subjects = subject::open(path)?;
    match (subjects.next(), subjects.next()) {
        (Some(subject), None) => Ok(subject?),
        _ => Err(CliError::Usage(format!(
            "`{}` has several models; name one",
            path.display()
        ))),
    }
}
