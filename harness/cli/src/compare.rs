//! `compare`: compares backends on the user's models.

mod against;
mod blame;
mod corners;
pub(crate) mod json;
mod prepare;
mod shapes;
mod table;
mod witnesses;

use backend_api::protocol::External;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use harness_conformance::run::{Earlier, Participants, RunDirectory, run};
use harness_console::{info, note, outln, progress};
use harness_corpus::CaseFiles;
use harness_investigate::subject::{self, Names, Subject};
use harness_investigate::truth::Truth;
use harness_investigate::{CaseToWrite, replay};
use harness_worker::{BackendArg, Cancel};
use reports::render::RenderError;
use reports::{View, write_all};
use run_record::standing::Standing;
use run_record::{CaseRecord, Report, WriteError, replace};
use tempfile::TempDir;

use super::format::Format;
use super::generated::Generating;
use super::inputs::{Inputs, REFERENCE};
use super::matrix::{Group, Matrix};
use super::models::Models;
use super::outcome::unfinished;
use super::running::plan;
use super::selection::Cases;
use super::trust::Trust;
use super::workers::Backends;
use super::{CliError, Exit};
use json::Document;
use prepare::{Found, prepare};

pub(super) use prepare::Prepared;
pub(super) use table::origin;

/// The file beside a model in --out that states whose outputs are the expected ones.
const ORIGIN: &str = "expected-outputs.txt";

/// The suite of the models.
const SUITE: &str = "models";

/// Run models on backends: which answers are right, how many digits agree, and how many digits of the
/// model are significant.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask compare model.onnx\n  \
    cargo xtask compare model.onnx --backend native --backend ort:optimization=disable --out report\n  \
    cargo xtask compare model.onnx --backend ort --matrix optimization=disable,all --matrix threads=1,2\n  \
    cargo xtask compare bert.onnx --dim batch=2 --dim sequence=32 --seed 7\n  \
    cargo xtask compare yolo.onnx --input images=street.jpg --input scale=scale.npy\n  \
    cargo xtask compare yolo.onnx --input images=validation/ --input scale=scale.npy\n  \
    cargo xtask compare bert.onnx --shapes 3 --backend ort\n  \
    cargo xtask compare original.onnx optimized.onnx --backend ort\n  \
    cargo xtask compare model.onnx --backend ort --format json\n\n\
    The reference decides what is right. If it does not answer within --timeout, the answer on which most backends agree is used, \
    and the result states this. Of a folder of files (`--input NAME=FOLDER`) each file is a sample: the result has one verdict over \
    all, the number of right answers, and the worst sample. Memory is the peak of the worker's resident memory. Outputs that are stored \
    beside a model are judged like the answer of a backend. Of two files with the same inputs the second is also compared with the \
    first: its answers must be those of the first within the noise of the first.\n\n\
    Exit codes: 0 every answer is right; 1 an answer is wrong or a backend failed; 2 usage, a file that is not a model or does not \
    fit; 4 no model, no backend runs one, or the right outputs are unknown; 5 incomplete; 6 a backend is missing; \
    9 only the stored outputs are wrong: the conversion or the stored data; 73 a file cannot be written.")]
pub struct Compare {
    /// The models: `.onnx` files, folders with a `model.onnx`, folders of either.
    #[arg(required = true, value_name = "MODEL")]
    models: Vec<PathBuf>,
    #[command(flatten)]
    inputs: Inputs,
    /// Run one session of each backend on this number of shapes of the inputs in turn, and then on the
    /// first again: no answer may depend on an earlier shape.
    #[arg(long = "shapes", value_name = "N", value_parser = clap::value_parser!(u16).range(2..=64))]
    shapes_in_turn: Option<u16>,
    #[command(flatten)]
    backends: Backends,
    /// An option with values: each backend runs with each of them; several options give every
    /// combination (repeatable).
    #[arg(long = "matrix", value_name = "KEY=V1,V2,…")]
    matrix: Vec<String>,
    #[command(flatten)]
    noise: Models,
    /// The folder for the reports and for the models as cases. Default: nothing is kept.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Evaluate models strictly by the specification: refuse deviations that every runtime accepts.
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    trust: Trust,
    /// The output format.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// What is said of wrong answers, for the document.
    #[arg(skip)]
    explanations: RefCell<Vec<String>>,
}

impl Compare {
    /// A comparison of one model without output.
    pub(super) fn of_model(
        model: PathBuf,
        inputs: Inputs,
        backends: Backends,
        noise: Models,
        trust: Trust,
    ) -> Compare {
        Compare {
            models: vec![model],
            inputs,
            shapes_in_turn: None,
            backends,
            matrix: Vec::new(),
            noise,
            out: None,
            strict: false,
            trust,
            format: Format::Text,
            explanations: RefCell::default(),
        }
    }

    /// Prints a line, or keeps it for the document.
    fn say(&self, line: &str) -> Result<(), CliError> {
        match self.format {
            Format::Text => outln(format_args!("{line}"))?,
            Format::Json => self.explanations.borrow_mut().push(line.trim_start().to_owned()),
        }
        Ok(())
    }

    /// Judges the backends on the only model.
    pub(super) fn only(&self, cancel: &Cancel) -> Result<(Report, Prepared), CliError> {
        let (subjects, mut failed) = self.open()?;
        let count = subjects.len() + failed.len();
        if count != 1 {
            return Err(CliError::Usage(format!("{count} models; name one")));
        }
        let mut found = prepare(self, subjects, None, cancel)?;
        failed.append(&mut found.undecided);
        if let Some(error) = failed.pop() {
            return Err(error);
        }
        let scratch = tempfile::tempdir().map_err(temporary)?;
        let report = self.judge(&found.prepared, &scratch.path().join("report"), &scratch, cancel)?;
        match found.prepared.pop() {
            Some(prepared) => Ok((report, prepared)),
            None => Err(CliError::Usage("no model".to_owned())),
        }
    }

    /// The backends as given on the command line.
    pub(super) fn backends(&self) -> &[BackendArg] {
        &self.backends.backends
    }

    pub(super) fn execute(mut self) -> Result<Exit, CliError> {
        let began = Instant::now();
        let matrix = Matrix::parse(&self.matrix)?;
        let groups = matrix.groups(&self.backends.backends)?;
        self.backends.backends = groups.iter().flat_map(Group::backends).collect();
        let (subjects, mut failed) = self.open()?;
        let cancel = Cancel::on_signals().map_err(CliError::Signals)?;
        let pair = match subjects.as_slice() {
            [first, second] if self.models.len() == 2 && against::is_pair([first, second]) => {
                Some(second.clone())
            }
            _ => None,
        };
        let found = prepare(&self, subjects, pair.as_ref(), &cancel)?;
        let Found { prepared, undecided } = found;
        failed.extend(undecided);
        let (mut exit, mut document) = (Exit::Passed, Document::new(&failed));
        if !prepared.is_empty() {
            let scratch = tempfile::tempdir().map_err(temporary)?;
            let out = self.out.clone().unwrap_or_else(|| scratch.path().join("report"));
            let report = self.judge(&prepared, &out, &scratch, &cancel)?;
            self.tell(&report, &prepared)?;
            for line in corners::lines(&report, &matrix, &groups) {
                self.say(&line)?;
            }
            exit = of_report(&report);
            if matches!(exit, Exit::Regression) {
                blame::tell(&self, &report, &prepared, began.elapsed(), &cancel)?;
            }
            document.models = json::models(&report, &prepared);
            let is_damaged =
                |one: &Prepared| one.subject.unfit.as_ref().is_some_and(|unfit| unfit.is_damaged);
            if prepared.iter().any(is_damaged) {
                exit = exit.unless_passed(|| Exit::NoCases);
            }
            // The first of a pair has an answer of the reference.
            let second = pair.filter(|second| {
                prepared
                    .first()
                    .is_some_and(|first| first.subject.name != second.name)
            });
            if let (Some(second), Some(first)) = (second, prepared.first()) {
                let (against, found) = against::compare(&self, first, &second, &cancel)?;
                document.against = found;
                // A wrong answer says more than one that cannot be judged.
                exit = match (exit, against) {
                    (Exit::NoCases, Exit::Regression) => Exit::Regression,
                    (exit, against) => exit.unless_passed(|| against),
                };
            }
        }
        if self.format == Format::Json {
            document.explanations = self.explanations.take();
            let text = run_record::shown::to_json(&document).map_err(RenderError::from)?;
            outln(format_args!("{text}"))?;
        }
        for error in &failed {
            note(format_args!("error: {error}"));
        }
        note(format_args!("{:.1} s", began.elapsed().as_secs_f64()));
        Ok(exit.unless_passed(|| failed.first().map_or(Exit::Passed, CliError::exit)))
    }

    /// The models, and why others cannot be opened.
    fn open(&self) -> Result<(Vec<Subject>, Vec<CliError>), CliError> {
        let (mut subjects, mut failed, mut names) = (Vec::new(), Vec::new(), Names::default());
        for path in &self.models {
            match subject::open(path) {
                Ok(found) => found.for_each(|one| match one {
                    Ok(mut subject) => {
                        names.make_unique(&mut subject);
                        subjects.push(subject);
                    }
                    Err(error) => failed.push(error.into()),
                }),
                Err(error) => failed.push(error.into()),
            }
        }
        if subjects.is_empty() && failed.len() == 1 {
            return failed.pop().map_or(Ok((subjects, failed)), Err);
        }
        Ok((subjects, failed))
    }

    /// Prints the result and writes the files.
    fn tell(&self, report: &Report, prepared: &[Prepared]) -> Result<(), CliError> {
        if self.format == Format::Text {
            for line in table::lines(report, prepared) {
                outln(format_args!("{line}"))?;
            }
        }
        if let Some(out) = &self.out {
            for file in write_all(&View::from(report.clone()), out)? {
                info(format_args!("wrote {}", file.display()));
            }
        }
        Ok(())
    }

    /// Writes the models as cases and runs them like a conformance run.
    fn judge(
        &self,
        prepared: &[Prepared],
        out: &Path,
        scratch: &TempDir,
        cancel: &Cancel,
    ) -> Result<Report, CliError> {
        let cases = out.join("cases");
        let replayed = scratch.path().join("stored");
        for (place, one) in prepared.iter().enumerate() {
            let Prepared {
                subject,
                sets,
                stored,
                truth,
                ..
            } = one;
            let same = |other: &&Prepared| other.stored && other.subject.bytes == subject.bytes;
            let model = match prepared[..place].iter().filter(same).count() {
                0 => subject.bytes.clone(),
                copies => replay::numbered(&subject.bytes, copies as u32),
            };
            let beside = match &subject.external {
                External::InFolder { .. } => &External::default(),
                sent => sent,
            };
            let case = CaseToWrite {
                model: model.clone(),
                external: beside,
                sets: sets.clone(),
            };
            let folder = cases.join(SUITE).join(&subject.name);
            case.write(&folder)?;
            replace(&folder.join(ORIGIN), format!("{}\n", origin(truth)).as_bytes())?;
            if *stored {
                replay::write(&replayed, &model, &subject.stored)?;
            }
        }
        let by_reference = prepared.iter().all(|model| model.truth == Truth::Reference);
        let mut backends = self.backends.clone();
        if by_reference && backends.backends.len() > 1 {
            // The reference would be judged by its own outputs.
            backends.backends.retain(|backend| backend.name() != REFERENCE);
        }
        let trusted = self.without_trusted(prepared, &mut backends)?;
        // The effect of rounding on a complete model is measured, not bounded.
        backends.bounds.no_bounds = true;
        let cases = Cases {
            release: None,
            cases: Some(cases),
            corpus: None,
            own: false,
            variants: None,
            filters: Vec::new(),
        };
        let mut plan = plan(&cases, &Generating::none(), &backends, &self.noise, None, cancel)?;
        plan.options.memory = true;
        if let Some(name) = trusted {
            plan.started.release =
                format!("local models, expected outputs of `{name}`, which the user trusts (--trust)");
        }
        let most = prepared.iter().map(|model| model.sets.len()).max();
        let most = u32::try_from(most.unwrap_or(1)).unwrap_or(u32::MAX);
        // The time limit is for one sample.
        plan.options.timeout = plan.options.timeout.saturating_mul(most);
        // The folder may contain models of an earlier comparison.
        let named = |name: &str| prepared.iter().any(|model| model.subject.name == name);
        plan.cases.retain(|files| named(files.id.name()));
        plan.defects.retain(|defect| named(defect.id.name()));
        describe_samples(&mut plan.cases, prepared);
        place_external(&mut plan.cases, prepared);
        plan.started.cases = (plan.cases.len() + plan.defects.len()) as u64;
        if prepared.iter().any(|model| model.stored) {
            let program = std::env::current_exe().map_err(temporary)?;
            plan.backends.push(replay::worker(program, &replayed));
        }
        let directory = RunDirectory::take(out)?;
        let participants = Participants::start(&plan, cancel)?;
        let started = plan.started(&participants);
        let log = directory.open_log(&started, Earlier::REPLACED)?;
        Ok(run(&plan, participants, started, log, cancel, &progress())?)
    }
}

impl Compare {
    /// Removes the trusted backend from those that are judged, where its answers are the expected ones;
    /// returns its name.
    fn without_trusted(
        &self,
        prepared: &[Prepared],
        backends: &mut Backends,
    ) -> Result<Option<&str>, CliError> {
        let (by_trust, others): (Vec<&Prepared>, Vec<&Prepared>) = prepared
            .iter()
            .partition(|model| matches!(model.truth, Truth::Trusted { .. }));
        let (Some(name), false) = (self.trust.name(), by_trust.is_empty()) else {
            return Ok(None);
        };
        if let Some(other) = others.first() {
            return Err(CliError::Usage(format!(
                "the reference answers on `{}` and not on `{}`: compare them separately, because `{name}` is judged on the first and trusted on the second",
                other.subject.name,
                by_trust.first().map_or("", |model| model.subject.name.as_str())
            )));
        }
        backends
            .backends
            .retain(|backend| !self.trust.is(backend) && backend.name() != REFERENCE);
        if backends.backends.is_empty() {
            Err(CliError::Usage(format!(
                "`{name}` is trusted, not judged: name another backend by --backend"
            )))
        } else {
            Ok(Some(name))
        }
    }
}

/// Large external data is not copied: it is read in the folder of the model.
fn place_external(cases: &mut [CaseFiles], prepared: &[Prepared]) {
    for case in cases {
        let model = prepared.iter().find(|model| model.subject.name == case.id.name());
        if let Some(External::InFolder { folder, .. }) = model.map(|model| &model.subject.external) {
            case.set_external_folder(folder.clone());
        }
    }
}

/// Gives the data sets of each case the names of the samples, which reports then show, and says of which the
/// answer of the reference is settled.
fn describe_samples(cases: &mut [CaseFiles], prepared: &[Prepared]) {
    for case in cases {
        let Some(model) = prepared.iter().find(|model| model.subject.name == case.id.name()) else {
            continue;
        };
        let samples = model.names.iter().zip(&model.settled);
        for (set, (name, settled)) in case.data_sets.iter_mut().zip(samples) {
            set.settled = *settled;
            if !name.is_empty() {
                set.name.clone_from(name);
            }
        }
    }
}

fn temporary(source: std::io::Error) -> CliError {
    CliError::Write(WriteError {
        path: std::env::temp_dir(),
        source,
    })
}

/// An incomplete result takes precedence over the verdicts.
fn of_report(report: &Report) -> Exit {
    if let Some(exit) = unfinished(report) {
        return exit;
    }
    let is_stored = |record: &&CaseRecord| record.backend == replay::NAME;
    let (stored, backends): (Vec<&CaseRecord>, Vec<&CaseRecord>) = report.cases.iter().partition(is_stored);
    let is = |records: &[&CaseRecord], holds: fn(Standing) -> bool| {
        records.iter().any(|record| holds(Standing::of(record)))
    };
    if is(&backends, Standing::is_fault) || backends.iter().any(|record| Standing::is_rejected(record)) {
        Exit::Regression
    } else if is(&stored, Standing::is_fault) {
        Exit::DataDisagrees
    } else if is(&backends, |standing| standing == Standing::CannotJudge)
        || !is(&backends, |standing| standing != Standing::Unsupported)
    {
        Exit::NoCases
    } else {
        Exit::Passed
    }
}
