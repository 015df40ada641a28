//! `compare`: a person's own models on backends.

mod table;

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use harness_conformance::run::{Crew, Earlier, RunDirectory, run};
use harness_console::{note, outln, progress};
use harness_corpus::{Fetcher, Lockfile};
use harness_investigate::inputs::{Request, values};
use harness_investigate::runner::{Question, Runner};
use harness_investigate::subject::{self, Subject};
use harness_investigate::truth::{Expected, Truth, expected};
use harness_investigate::{CaseToWrite, replay};
use harness_worker::Cancel;
use reports::{Report, WriteError, write_all};
use tempfile::TempDir;

use super::conformance::{Backends, Workers, plan};
use super::generated::Generating;
use super::models::Models;
use super::outcome::unfinished;
use super::selection::{Cases, fetcher};
use super::{CliError, Exit};

/// The backend that says what is right.
const REFERENCE: &str = "reference";

/// The suite that the models make.
const SUITE: &str = "models";

/// Run models on backends: which answers are right, how many digits agree, how many digits the model itself carries.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask compare model.onnx\n  \
    cargo xtask compare model.onnx --backend native --backend ort:optimization=disable --out report\n  \
    cargo xtask compare bert.onnx --dim batch=2 --dim sequence=32 --seed 7\n  \
    cargo xtask compare yolo.onnx --input images=street.jpg --input scale=scale.npy\n\n\
    The reference says what is right. Where it does not answer within --timeout, the answer counts on which most backends agree,\n\
    and the result says so. Outputs that are stored beside a model are judged like the answer of a backend.\n\n\
    Exit codes: 0 every answer is right; 1 an answer is wrong or a backend failed; 2 usage, a file that is no model or does not\n\
    fit; 4 no model, or nobody knows what is right; 5 incomplete; 6 a backend is missing; 73 a file cannot be written.")]
pub struct Compare {
    /// The models: `.onnx` files, folders with a `model.onnx`, folders of either.
    #[arg(required = true, value_name = "MODEL")]
    models: Vec<PathBuf>,
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    backends: Backends,
    #[command(flatten)]
    noise: Models,
    /// The folder for the reports and for the models as cases; nothing is kept when left out.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Evaluate models by the letter of the specification: refuse what every runtime accepts.
    #[arg(long)]
    strict: bool,
}

/// What is fed.
#[derive(Args, Clone, Debug)]
pub struct Inputs {
    /// The value of an input: NAME=FILE, a file .npy, .npz, .pb, .json, .png or .jpg; or a FILE.npz with arrays named after inputs
    /// (repeatable). Inputs without a value are drawn by --seed.
    #[arg(long = "input", value_name = "NAME=FILE")]
    inputs: Vec<String>,
    /// The extent of a symbolic dimension; of one without a name as INPUT:AXIS=N (repeatable).
    #[arg(long = "dim", value_name = "NAME=N")]
    dims: Vec<String>,
}

impl Inputs {
    /// With a seed for what is drawn.
    pub(super) fn request(&self, seed: u64) -> Request {
        Request {
            inputs: self.inputs.clone(),
            dims: self.dims.clone(),
            seed,
        }
    }

    /// Whether nothing is said of the inputs.
    pub(super) fn is_empty(&self) -> bool {
        self.inputs.is_empty() && self.dims.is_empty()
    }
}

/// The models by what is known of them.
struct Found {
    prepared: Vec<Prepared>,
    /// Models of which nobody knows what is right, with the reason.
    unknown: Vec<(String, String)>,
}

/// A model with what is known of it before backends are judged.
struct Prepared {
    subject: Subject,
    /// Inputs and expected outputs.
    sets: Vec<(Vec<backend_api::Named>, Vec<backend_api::Named>)>,
    truth: Truth,
    /// Whether the stored data sets are used, so that their outputs are judged as well.
    stored: bool,
}

impl Compare {
    /// The backends as they were typed.
    pub(super) fn backend_texts(&self) -> &[String] {
        &self.backends.backends
    }

    pub(super) fn execute(self) -> Result<Exit, CliError> {
        let began = Instant::now();
        let mut subjects = Vec::new();
        for path in &self.models {
            subjects.extend(subject::open(path)?);
        }
        subject::make_names_unique(&mut subjects);
        let cancel = Cancel::on_signals().map_err(CliError::Signals)?;
        let (lock, fetcher) = (Lockfile::embedded()?, fetcher()?);
        let Found { prepared, unknown } = self.prepare(subjects, &lock, &fetcher, &cancel)?;
        let scratch = tempfile::tempdir().map_err(temporary)?;
        let out = self.out.clone().unwrap_or_else(|| scratch.path().join("report"));
        let report = match prepared.is_empty() {
            true => None,
            false => Some(self.judge(&prepared, &out, &scratch, &cancel)?),
        };
        if let Some(report) = &report {
            let truths: Vec<(&str, &Truth)> = prepared
                .iter()
                .map(|model| (model.subject.name.as_str(), &model.truth))
                .collect();
            for line in table::lines(report, &truths) {
                outln(format_args!("{line}"))?;
            }
        }
        for (name, reason) in &unknown {
            note(format_args!(
                "error: model `{name}`: nobody knows what is right: {reason}"
            ));
        }
        if let (Some(report), Some(out)) = (&report, &self.out) {
            for file in write_all(report, out)? {
                note(format_args!("wrote {}", file.display()));
            }
        }
        note(format_args!("{:.1} s", began.elapsed().as_secs_f64()));
        let judged = report.map_or(Exit::Passed, |report| exit(&report));
        Ok(judged.unless_passed(|| {
            if unknown.is_empty() {
                Exit::Passed
            } else {
                Exit::NoCases
            }
        }))
    }

    /// Finds inputs and expected outputs of each model; names those of which nobody knows what is right.
    fn prepare(
        &self,
        subjects: Vec<Subject>,
        lock: &Lockfile,
        fetcher: &Fetcher,
        cancel: &Cancel,
    ) -> Result<Found, CliError> {
        let mut reference = reference(&self.backends.workers, self.strict, lock, fetcher, cancel)?;
        let mut others: Option<Vec<Runner>> = None;
        let (mut prepared, mut unknown) = (Vec::new(), Vec::new());
        for subject in subjects {
            let stored = self.inputs.is_empty() && !subject.stored.is_empty();
            let inputs = match stored {
                true => subject.stored.iter().map(|set| set.inputs.clone()).collect(),
                false => vec![self.drawn(&subject, &mut reference)?],
            };
            let (mut sets, mut truth) = (Vec::new(), Truth::Reference);
            for inputs in inputs {
                let question = Question {
                    model: subject.bytes.clone(),
                    files: subject.files.clone(),
                    inputs,
                };
                let others = match &mut others {
                    Some(others) => others,
                    None => others.insert(self.others(lock, fetcher, cancel)?),
                };
                match expected(&question, &mut reference, others)? {
                    Expected::Known {
                        outputs,
                        truth: known,
                    } => {
                        truth = known;
                        sets.push((question.inputs, outputs));
                    }
                    Expected::Unknown { reason } => {
                        unknown.push((subject.name.clone(), reason));
                        sets.clear();
                        break;
                    }
                }
            }
            if !sets.is_empty() {
                prepared.push(Prepared {
                    subject,
                    sets,
                    truth,
                    stored,
                });
            }
        }
        Ok(Found { prepared, unknown })
    }

    fn drawn(&self, subject: &Subject, reference: &mut Runner) -> Result<Vec<backend_api::Named>, CliError> {
        draw(subject, &self.inputs.request(self.noise.seed()), reference)
    }

    /// The backends that are asked where the reference does not answer. One that is missing is noted by the run.
    fn others(&self, lock: &Lockfile, fetcher: &Fetcher, cancel: &Cancel) -> Result<Vec<Runner>, CliError> {
        let (specs, _) = self.backends.specs(lock, fetcher)?;
        let timeout = self.backends.workers.timeout;
        let started = specs
            .into_iter()
            .filter(|spec| spec.name != REFERENCE)
            .filter_map(|spec| Runner::start(spec, cancel.clone(), timeout).ok());
        Ok(started.collect())
    }

    /// Writes the models as cases and runs them as a conformance run does.
    fn judge(
        &self,
        prepared: &[Prepared],
        out: &std::path::Path,
        scratch: &TempDir,
        cancel: &Cancel,
    ) -> Result<Report, CliError> {
        let cases = out.join("cases");
        let replayed = scratch.path().join("stored");
        for Prepared {
            subject,
            sets,
            stored,
            ..
        } in prepared
        {
            let case = CaseToWrite {
                model: subject.bytes.clone(),
                files: &subject.files,
                sets: sets.clone(),
            };
            case.write(&cases.join(SUITE).join(&subject.name))?;
            if *stored {
                replay::write(&replayed, &subject.bytes, &subject.stored)?;
            }
        }
        let by_reference = prepared.iter().all(|model| model.truth == Truth::Reference);
        let mut backends = self.backends.clone();
        if by_reference && backends.backends.len() > 1 {
            // It would be judged by its own outputs.
            backends.backends.retain(|name| name != REFERENCE);
        }
        // What rounding can do to a whole model is measured, not bounded.
        backends.workers.judging.no_bounds = true;
        let cases = Cases {
            release: None,
            cases: Some(cases),
            own: false,
            corpus: None,
            variants: None,
            filters: Vec::new(),
        };
        let mut plan = plan(&cases, &Generating::none(), &backends, &self.noise, None, cancel)?;
        if prepared.iter().any(|model| model.stored) {
            let program = std::env::current_exe().map_err(temporary)?;
            plan.backends.push(replay::worker(program, &replayed));
        }
        let directory = RunDirectory::take(out)?;
        let crew = Crew::start(&plan, cancel)?;
        let started = plan.started(&crew);
        let log = directory.open_log(&started, Earlier::REPLACED)?;
        Ok(run(&plan, crew, started, log, cancel, &progress())?)
    }
}

/// The reference with the limits of `workers`.
pub(super) fn reference(
    workers: &Workers,
    strict: bool,
    lock: &Lockfile,
    fetcher: &Fetcher,
    cancel: &Cancel,
) -> Result<Runner, CliError> {
    let mut spec = workers.spec(REFERENCE, lock, fetcher)?;
    if strict {
        spec.options.insert("strict".to_owned(), "on".to_owned());
    }
    Ok(Runner::start(spec, cancel.clone(), workers.timeout)?)
}

/// Values for the inputs of a model; what was drawn is noted.
pub(super) fn draw(
    subject: &Subject,
    request: &Request,
    reference: &mut Runner,
) -> Result<Vec<backend_api::Named>, CliError> {
    let drawn = values(subject, request, reference)?;
    for (name, extent, why) in &drawn.dims {
        note(format_args!(
            "{}: dimension {name} = {extent} ({why})",
            subject.name
        ));
    }
    for words in &drawn.drawn {
        note(format_args!(
            "{}: drawn input {words} (seed {})",
            subject.name, request.seed
        ));
    }
    Ok(drawn.values)
}

fn temporary(source: std::io::Error) -> CliError {
    CliError::Write(WriteError {
        path: std::env::temp_dir(),
        source,
    })
}

/// What keeps the result from being whole comes before what it says.
fn exit(report: &Report) -> Exit {
    if let Some(exit) = unfinished(report) {
        return exit;
    }
    let fault = |record| harness_investigate::standing::Standing::of(record).is_fault();
    match report.cases.iter().any(fault) {
        true => Exit::Regression,
        false => Exit::Passed,
    }
}
