//! `upgrade`: converts a model to a newer opset, and verifies that its outputs are the same.

mod cases;
mod judge;
mod metadata;
mod tally;
mod targets;

use std::path::{Path, PathBuf};

use backend_api::protocol::{External, resident_bytes};
use clap::Args;
use harness_conformance::case::external::in_folder;
use harness_console::{note, outln};
use harness_fetch::Lockfile;
use harness_investigate::runner::{RunRequest, Runner};
use harness_investigate::subject::Subject;
use harness_investigate::upgrade::{Known, is_random, known};
use harness_investigate::{InvestigateError, Package, beside};
use harness_worker::{BackendArg, Cancel};
use onnx_model::Bytes;
use onnx_upgrade::{Targets, UpgradeError, Upgraded, upgrade};
use run_record::replace;
use run_record::text::counted;

use super::inputs::first_inputs;
use super::inputs::{Inputs, reference};
use super::locate::one;
use super::selection::{Cases, fetcher};
use super::workers::{Workers, runner};
use super::{CliError, Exit};
use judge::{Candidate, judge};
use metadata::Weights;

/// Convert a model to a newer opset, and verify that its outputs are the same.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask upgrade model.onnx --to 21\n  \
    cargo xtask upgrade model.onnx --to 21 --to ai.onnx.ml=4 --out new.onnx --backend native --backend ort\n  \
    cargo xtask upgrade large.onnx --to 21 --inline\n  \
    cargo xtask upgrade model.onnx --to 21 --with onnx\n  \
    cargo xtask upgrade model.onnx --with simplified.onnx --backend ort\n  \
    cargo xtask upgrade model.onnx --with ort:optimization=basic\n  \
    cargo xtask upgrade --suite --release all --to 21 --filter softmax\n  \
    cargo xtask upgrade --steps\n\n\
    An adapter for each operator version step converts; a step without an exact adapter is an error that names every such node. \
    Metadata and documentation stay, and so do weights in other files, unless --inline writes them into the model. The \
    converted model is written only if it gives what the original gives: on the reference by the bound of rounding, and on each --backend. --with judges \
    another converter in the same way, and writes nothing: `onnx` is that of the onnx package of ONNX_CONFORMANCE_PYTHON, `ort` the optimizer of \
    ONNX Runtime (`extended` unless it has another level), otherwise a file. Where the outputs differ on the reference, the nodes are named whose \
    replacement changes the result.\n\n\
    Exit codes: 0 converted, with the same outputs; 1 a node has no exact adapter, or a converted model has other outputs on the \
    reference, or on a backend that is right before; 2 usage, a file that is not a model, a target that does not exist or is older; 4 no \
    model, or the reference does not answer; 5 interrupted; 6 a backend is missing; 73 a file cannot be written.")]
pub struct Upgrade {
    /// The model.
    #[arg(value_name = "MODEL", required_unless_present_any = ["suite", "steps"])]
    model: Option<PathBuf>,
    /// The opset to which the model is converted, as in 21; for another domain as in ai.onnx.ml=4
    /// (repeatable).
    #[arg(long = "to", value_name = "OPSET")]
    to: Vec<String>,
    /// The file to write. Default: MODEL-opsetN.onnx in the working directory.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write the converted model also where it is not proven: the reference does not answer on the
    /// original, or the outputs differ.
    #[arg(long, conflicts_with = "suite")]
    unproven: bool,
    /// Write the weights that the original has in other files into the converted model. Default: they stay
    /// in their files, which are copied beside the converted model.
    #[arg(long, conflicts_with = "suite")]
    inline: bool,
    /// A backend that runs both models (repeatable).
    #[arg(long = "backend", value_name = "BACKEND")]
    backends: Vec<BackendArg>,
    /// The result of another converter or optimizer: a file, `onnx` for the converter of the onnx package,
    /// or `ort` for the optimizer of ONNX Runtime, as in ort:optimization=basic.
    #[arg(long = "with", value_name = "FILE")]
    with: Option<String>,
    /// Convert test cases instead of a model, and count how many can be converted with the same outputs.
    #[arg(long, conflicts_with_all = ["model", "out"])]
    suite: bool,
    /// Convert each case to every opset at which one of its operators has a new version, not only to
    /// --to.
    #[arg(long, requires = "suite")]
    each: bool,
    /// Write a table of the conversions of --suite to this file.
    #[arg(long, value_name = "FILE", requires = "suite")]
    csv: Option<PathBuf>,
    #[command(flatten)]
    cases: Cases,
    /// List every operator version step with its adapter.
    #[arg(long, conflicts_with_all = ["model", "suite"])]
    steps: bool,
    #[command(flatten)]
    inputs: Inputs,
    /// The seed of generated inputs.
    #[arg(long, value_name = "N", default_value = "0")]
    seed: u64,
    #[command(flatten)]
    workers: Workers,
}

/// The value of `--with` for the converter of the package.
const PACKAGE: &str = "onnx";

/// The value of `--with` for the optimizer of ONNX Runtime, with or without options.
const ORT: &str = "ort";

/// Its option for the level of optimization.
const LEVEL: &str = "optimization";

impl Upgrade {
    pub(super) fn execute(self) -> Result<Exit, CliError> {
        if self.steps {
            return targets::list_steps();
        }
        let targets = targets::parse(&self.to)?;
        match &self.model {
            Some(model) => self.convert(&one(model)?, &targets),
            None => cases::run(&self, &targets),
        }
    }

    /// Converts one model and judges the result.
    fn convert(&self, subject: &Subject, targets: &Targets) -> Result<Exit, CliError> {
        if targets.is_empty() && self.with.is_none() {
            return Err(CliError::Usage(
                "nothing to do: give --to OPSET, or --with FILE".to_owned(),
            ));
        }
        let (mut candidates, mut exit) = (Vec::new(), Exit::Passed);
        if !targets.is_empty() {
            match upgrade(&subject.model, targets) {
                Ok(upgraded) => {
                    tell(subject, targets, &upgraded)?;
                    candidates.push(self.candidate(subject, targets, &upgraded)?);
                }
                Err(UpgradeError::NoAdapter(refusals)) => {
                    for refusal in &refusals {
                        outln(format_args!("no exact adapter: {refusal}"))?;
                    }
                    exit = Exit::Regression;
                }
                Err(error) => return Err(CliError::Upgrade(error)),
            }
        }
        candidates.extend(self.other(subject, targets)?);
        if candidates.is_empty() {
            return Ok(exit);
        }
        let judged = self.judge(subject, &candidates);
        if self.unproven {
            for candidate in &candidates {
                candidate
                    .path
                    .as_deref()
                    .map(|path| write(path, candidate))
                    .transpose()?;
            }
        }
        let proven = judged?;
        for (candidate, proven) in candidates.iter().zip(&proven) {
            match (&candidate.path, proven) {
                _ if self.unproven => {}
                (Some(path), true) => write(path, candidate)?,
                (Some(path), false) => note(format_args!(
                    "{} is not written: the converted model does not give what the original gives (--unproven writes it)",
                    path.display()
                )),
                (None, _) => {}
            }
        }
        Ok(exit.unless_passed(|| {
            if proven.iter().all(|proven| *proven) {
                Exit::Passed
            } else {
                Exit::Regression
            }
        }))
    }

    /// The converted model, to be written once it is proven.
    fn candidate(
        &self,
        subject: &Subject,
        targets: &Targets,
        upgraded: &Upgraded,
    ) -> Result<Candidate, CliError> {
        /// The maximum size of a protobuf message in bytes.
        const MAX_BYTES: usize = i32::MAX as usize;
        let weights = match (self.inline, &subject.external) {
            (true, External::InFolder { .. }) => {
                return Err(CliError::Usage(format!(
                    "the weights have more than {} bytes and stay in their files: leave out --inline",
                    resident_bytes()
                )));
            }
            (true, External::Sent(_)) => Weights::Inline,
            (false, _) => Weights::AsStored,
        };
        let bytes: Bytes = metadata::keep(&subject.bytes, upgraded.model.encode(), weights).into();
        if bytes.len() > MAX_BYTES {
            return Err(CliError::Usage(format!(
                "the converted model has {} bytes with its weights, but a file can have at most {MAX_BYTES}; without --inline \
                 weights stay in their files",
                bytes.len()
            )));
        }
        let opset = targets.values().next().copied().unwrap_or_default();
        let default = || PathBuf::from(format!("{}-opset{opset}.onnx", subject.name));
        let path = self.out.clone().unwrap_or_else(default);
        let external = match weights {
            Weights::Inline => External::default(),
            Weights::AsStored => subject.external.clone(),
        };
        refuse_other_weights(&path, &external)?;
        Ok(Candidate {
            external,
            path: Some(path),
            ..Candidate::new("converted", bytes, upgraded.model.clone())
        })
    }

    /// The model of another converter.
    fn other(&self, subject: &Subject, targets: &Targets) -> Result<Option<Candidate>, CliError> {
        let Some(with) = &self.with else {
            return Ok(None);
        };
        if with == ORT || with.starts_with("ort:") {
            return self.optimized(subject, with.parse()?).map(Some);
        }
        if with != PACKAGE {
            let other = one(Path::new(with))?;
            return Ok(Some(Candidate::of(other.name.clone(), other)));
        }
        let to = targets.get("").copied();
        let to = to.ok_or_else(|| CliError::Usage("--with onnx needs --to OPSET".to_owned()))?;
        let mut package = Package::start(self.workers.timeout).map_err(CliError::Usage)?;
        // The converter reads no external data.
        let whole = subject.model.encode();
        let name = format!("onnx {}", package.version());
        match package.convert(&whole, to) {
            Ok(bytes) => {
                let (bytes, file) = (Bytes::from(bytes), format!("the model of {name}"));
                let (model, _) =
                    in_folder(&bytes, &file, folder_of(&subject.path)).map_err(InvestigateError::from)?;
                Ok(Some(Candidate {
                    external: External::of(&subject.model),
                    ..Candidate::new(&name, bytes, model)
                }))
            }
            Err(reason) => {
                outln(format_args!("{name} does not convert the model: {reason}"))?;
                Ok(None)
            }
        }
    }

    /// What ONNX Runtime's optimizer makes of the model. The forms beyond `extended` are for this processor
    /// alone.
    fn optimized(&self, subject: &Subject, ort: BackendArg) -> Result<Candidate, CliError> {
        let name = format!("optimized by {}", ort.name());
        let folder = tempfile::tempdir()
            .map_err(|source| CliError::Usage(format!("no temporary folder: {source}")))?;
        let path = folder.path().join("optimized.onnx");
        let mut options = vec![("save".to_owned(), path.to_string_lossy().into_owned())];
        if ort.option(LEVEL).is_none() {
            options.push((LEVEL.to_owned(), "extended".to_owned()));
        }
        let ort = ort.with_options(&options).unwrap_or(ort);
        let cancel = Cancel::on_signals().map_err(CliError::Signals)?;
        let (lock, fetcher) = (Lockfile::embedded()?, fetcher()?);
        let mut optimizer = runner(&self.workers, &ort, &lock, &fetcher, &cancel)?;
        let loaded = optimizer.load(&RunRequest {
            inputs: Vec::new(),
            model: subject.bytes.clone(),
            external: subject.external.clone(),
        })?;
        match (loaded, path.is_file()) {
            (_, true) => Ok(Candidate::of(name, one(&path)?)),
            (Err(judgement), false) => Err(CliError::Usage(format!(
                "`{}` does not load the model: {}",
                ort.name(),
                judgement.reason
            ))),
            (Ok(_), false) => Err(CliError::Usage(format!(
                "`{}` wrote no optimized model",
                ort.name()
            ))),
        }
    }

    /// Whether each candidate gives what the original gives.
    fn judge(&self, subject: &Subject, candidates: &[Candidate]) -> Result<Vec<bool>, CliError> {
        let cancel = Cancel::on_signals().map_err(CliError::Signals)?;
        let (lock, fetcher) = (Lockfile::embedded()?, fetcher()?);
        let mut reference = reference(&self.workers, false, &lock, &fetcher, &cancel)?;
        let backends = self.backends.iter();
        let mut backends: Vec<Runner> = backends
            .map(|text| runner(&self.workers, text, &lock, &fetcher, &cancel))
            .collect::<Result<_, _>>()?;
        let request = RunRequest {
            inputs: first_inputs(subject, &self.inputs, self.seed, &mut reference)?,
            model: subject.bytes.clone(),
            external: subject.external.clone(),
        };
        if is_random(&subject.model, &request.inputs) {
            outln(format_args!(
                "the outputs are random: they cannot be compared, and the conversion is not proven"
            ))?;
            return Ok(vec![true; candidates.len()]);
        }
        match known(&subject.model, request, &mut reference)? {
            Known::Outputs(mut original) => judge(&mut original, candidates, &mut reference, &mut backends),
            Known::Nothing(judgement) => Err(InvestigateError::NoReference {
                reason: judgement.reason,
                purpose: "compared",
            }
            .into()),
        }
    }
}

/// Writes a converted model, and its weights if they are in other files.
fn write(path: &Path, candidate: &Candidate) -> Result<(), CliError> {
    for file in beside::write(&candidate.external, folder_of(path))? {
        note(format_args!("wrote {}", file.display()));
    }
    replace(path, &candidate.bytes)?;
    note(format_args!("wrote {}", path.display()));
    Ok(())
}

fn folder_of(model: &Path) -> &Path {
    model.parent().unwrap_or(Path::new(""))
}

/// Refuses to replace a file that is there with other content.
fn refuse_other_weights(model: &Path, external: &External) -> Result<(), CliError> {
    match beside::first_other(external, folder_of(model)) {
        Some(path) => Err(CliError::Usage(format!(
            "`{}` has other content than the weights of the model; choose another folder, or --inline",
            path.display()
        ))),
        None => Ok(()),
    }
}

/// Prints the conversion.
fn tell(subject: &Subject, targets: &Targets, upgraded: &Upgraded) -> Result<(), CliError> {
    let steps: Vec<String> = targets
        .iter()
        .map(|(domain, to)| {
            let from = subject
                .model
                .opset_imports
                .get(domain)
                .copied()
                .unwrap_or_default();
            format!("{} {from} to {to}", targets::shown(domain))
        })
        .collect();
    outln(format_args!(
        "{}: {}: {} unchanged, {} rewritten",
        subject.name,
        steps.join(", "),
        counted(upgraded.unchanged, "node"),
        counted(upgraded.changes.len(), "step")
    ))?;
    for change in &upgraded.changes {
        outln(format_args!(
            "  {}: node `{}` ({}) to version {}: {}",
            change.graph, change.node, change.operator, change.to, change.what
        ))?;
    }
    Ok(())
}
