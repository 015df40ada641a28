//! `exhaustive`: compares every input of narrow formats with correct rounding.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use harness_console::{note, outln};
use harness_fetch::Lockfile;
use harness_lab::exhaustive::{Checked, Job, Journal, NARROW, Subject, casts, functions, run};
use harness_worker::{BackendArg, Cancel, Completion, Pool};
use onnx_tensor::DType;

use super::selection::fetcher;
use super::workers::{Jobs, Workers};
use super::{CliError, Exit};

/// Run a backend on every input of float16 and bfloat16 for unary functions, and of every narrow type
/// for casts, and compare each output with the correctly rounded exact value.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask exhaustive\n  \
    cargo xtask exhaustive --backend native --what functions --operator Exp\n  \
    cargo xtask exhaustive --what float --operator Exp --journal exp.jsonl\n\n\
    The exact value is computed in 320 bits; an evaluation in double precision decides first where its error cannot matter (Ziv's \
    strategy). `float` runs all 2^32 inputs, about two minutes for each function; an interrupted run resumes from its journal.\n\n\
    Exit codes: 0 every output is correctly rounded; 1 one is not; 2 usage; 4 the backend answers nothing; 5 interrupted; 6 the backend \
    is missing; 73 the journal cannot be written.")]
pub struct Exhaustive {
    /// The backend, as for `conformance`.
    #[arg(long, value_name = "BACKEND", default_value = "reference")]
    backend: BackendArg,
    /// The checks to run.
    #[arg(long, value_enum, default_values_t = [What::Functions, What::Casts])]
    what: Vec<What>,
    /// Only functions of this operator (repeatable).
    #[arg(long = "operator", value_name = "NAME")]
    operators: Vec<String>,
    /// Write the results to this file, and skip parts that are already in it.
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    #[command(flatten)]
    workers: Workers,
    #[command(flatten)]
    jobs: Jobs,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum What {
    /// Unary functions in float16 and bfloat16.
    Functions,
    /// Casts between types of at most 16 bits, and from them to float and double.
    Casts,
    /// Unary functions in float.
    Float,
}

impl Exhaustive {
    pub(super) fn execute(self) -> Result<Exit, CliError> {
        let (lock, fetcher) = (Lockfile::embedded()?, fetcher()?);
        let cancel = Cancel::on_signals().map_err(CliError::Signals)?;
        let subjects = self.subjects();
        if subjects.is_empty() {
            return Err(CliError::Usage(format!(
                "there is no function {}",
                self.operators.join(" or ")
            )));
        }
        let spec = self.workers.spec(&self.backend, &lock, &fetcher)?;
        let pool = Pool::start(spec, self.jobs.count(), cancel)?;
        let description = pool.description();
        let backend = format!(
            "{} {} {:?}",
            description.name, description.version, description.options
        );
        let mut journal = match &self.journal {
            Some(path) => Journal::open(path)?,
            None => Journal::default(),
        };
        let jobs: Vec<Job> = subjects.iter().flat_map(|subject| subject.jobs()).collect();
        let mut told = 0_usize;
        let tell = |job: &Job, _: &Checked| {
            told += 1;
            if told.is_multiple_of(64) {
                note(format_args!(
                    "{told} parts of {}, last {}",
                    jobs.len(),
                    job.subject
                ));
            }
        };
        let completion = run(&pool, &backend, &jobs, self.workers.timeout, &mut journal, tell)?;
        let all = tell_all(&subjects, &backend, &journal)?;
        Ok(match (completion, all.compared, all.wrong) {
            (Completion::Cancelled | Completion::GaveUp, _, _) => Exit::Incomplete,
            (Completion::Complete, 0, _) => Exit::NoCases,
            (Completion::Complete, _, 0) => Exit::Passed,
            (Completion::Complete, _, _) => Exit::Regression,
        })
    }

    fn subjects(&self) -> Vec<Subject> {
        let mut all = Vec::new();
        for what in &self.what {
            match what {
                What::Functions => {
                    all.extend(NARROW.iter().flat_map(|dtype| functions(*dtype, &self.operators)))
                }
                What::Float => all.extend(functions(DType::Float, &self.operators)),
                What::Casts if self.operators.is_empty() => all.extend(casts()),
                What::Casts => {}
            }
        }
        all
    }
}

/// A line for each subject with errors, and the sum.
fn tell_all(subjects: &[Subject], backend: &str, journal: &Journal) -> Result<Checked, CliError> {
    let (mut all, mut declined) = (Checked::default(), 0);
    for subject in subjects {
        let (name, mut checked) = (subject.to_string(), Checked::default());
        for job in subject.jobs() {
            if let Some(part) = journal.get(backend, &name, job.chunk) {
                checked.join(part);
            }
        }
        if let Some(reason) = &checked.declined {
            declined += 1;
            note(format_args!("{name}: no answer: {reason}"));
        }
        if checked.wrong > 0 || matches!(subject, Subject::Function { .. }) && checked.compared > 0 {
            let Checked {
                compared,
                open,
                wrong,
                ..
            } = checked;
            outln(format_args!(
                "{name}: {wrong} of {compared} misrounded, {open} undefined or unknown"
            ))?;
        }
        for example in &checked.examples {
            outln(format_args!(
                "  {:#x} = {}: got {}, expected {}",
                example.code, example.input, example.found, example.expected
            ))?;
        }
        all.join(&checked);
    }
    outln(format_args!(
        "{} functions and casts, {declined} not answered: {} of {} values misrounded, {} undefined or unknown",
        subjects.len(),
        all.wrong,
        all.compared,
        all.open
    ))?;
    Ok(all)
}
