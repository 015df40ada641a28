//! `conformance`: the main job.

use std::io::stdout;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use clap::Args;
use reports::record::{CaseRecord, Environment, Event, PolicyUsed, RunLog, RunStarted, VerdictKind};
use reports::{Report, render, write_all};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::fetch::outln;
use super::judging::Judging;
use super::models::Models;
use super::selection::{Cases, Selected, fetcher};
use super::{CliError, Exit};
use crate::backend;
use crate::corpus::{Fetcher, Lockfile};
use crate::errata::Errata;
use crate::locale;
use crate::observe::Conduct;
use crate::policy::OFFICIAL;
use crate::run::{Plan, Progress, run};
use crate::worker::{Cancel, WorkerSpec};

/// Run backends over test cases in isolated workers, compare, and write reports.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask conformance\n  \
    cargo xtask conformance --backend ort:optimization=disable --filter softmax\n  \
    cargo xtask conformance --backend 'cmd:./my-worker --flag' --cases ./my-cases\n  \
    cargo xtask conformance --policy bound\n\n\
    Exit codes: 0 done; 1 a backend is below its floor; 2 usage; 4 no case, or corpus below its pinned count;\n\
    5 interrupted (--resume goes on); 6 a backend is missing; 9 the reference disagrees with stored outputs;\n\
    73 a report cannot be written.")]
pub struct Conformance {
    #[command(flatten)]
    cases: Cases,
    #[command(flatten)]
    backends: Backends,
    #[command(flatten)]
    models: Models,
    /// The folder for the log and the reports.
    #[arg(long, value_name = "DIR", default_value = "conformance-report")]
    out: PathBuf,
    /// Go on with the interrupted run in the same folder.
    #[arg(long)]
    resume: bool,
    /// Fail (exit 1) if a backend passes fewer cases than this (repeatable).
    #[arg(long = "floor", value_name = "BACKEND=N", value_parser = parse_floor)]
    floors: Vec<(String, u64)>,
}

/// Which backends.
#[derive(Args, Clone, Debug)]
pub struct Backends {
    /// A backend: reference, native, ort, tract, each with options as in `ort:threads=2`; or any program that speaks the
    /// protocol, as in `cmd:./my-worker --flag` (repeatable).
    #[arg(long = "backend", value_name = "BACKEND", default_values = backend::ALL)]
    pub backends: Vec<String>,
    #[command(flatten)]
    pub workers: Workers,
}

/// How workers are run.
#[derive(Args, Clone, Debug)]
pub struct Workers {
    /// Workers of a backend at once; as many as there are processors when left out.
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// Seconds that one case may take.
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = parse_seconds)]
    pub timeout: Duration,
    /// GiB of memory that one worker may take.
    #[arg(long, value_name = "GIB", default_value = "8", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub memory: u64,
    /// Runs of each case; with more than one, outputs that differ between runs are a verdict of their own.
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: u32,
    #[command(flatten)]
    pub judging: Judging,
    /// Give the workers a locale en_US.UTF-8 (compiled into the cache by `localedef`), which ONNX Runtime's StringNormalizer
    /// needs.
    #[arg(long)]
    pub locale: bool,
}

fn parse_floor(text: &str) -> Result<(String, u64), String> {
    // A backend's own text may hold `=`, the number cannot.
    let (backend, count) = text
        .rsplit_once('=')
        .ok_or("expected BACKEND=N, as in ort=1722")?;
    let count = count
        .parse()
        .map_err(|_| format!("`{count}` is not a number of cases"))?;
    Ok((backend.to_owned(), count))
}

pub(super) fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| *seconds > 0.0);
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration.ok_or_else(|| format!("`{text}` is not a positive number of seconds"))
}

impl Backends {
    /// The workers of each backend, with their limits.
    pub fn specs(&self, lock: &Lockfile, fetcher: &Fetcher) -> Result<Vec<WorkerSpec>, CliError> {
        let mut specs: Vec<WorkerSpec> = Vec::new();
        for text in &self.backends {
            if specs.iter().any(|spec| spec.name == *text) {
                return Err(CliError::Usage(format!("backend `{text}` is named twice")));
            }
            let mut spec = backend::parse(text, lock, fetcher)?;
            if self.workers.locale {
                let folder = locale::folder(fetcher.cache())?;
                spec.env
                    .insert(locale::VARIABLE.to_owned(), folder.display().to_string());
            }
            spec.limits.memory = Some(self.workers.memory << 30);
            specs.push(spec);
        }
        Ok(specs)
    }
}

impl Backends {
    /// The reference, for the bounds; none where they are not wanted.
    fn bounding(&self, lock: &Lockfile, fetcher: &Fetcher) -> Result<Option<WorkerSpec>, CliError> {
        match self.workers.judging.no_bounds {
            true => Ok(None),
            false => self.reference(lock, fetcher),
        }
    }

    /// The reference, with the limits of the backends.
    fn reference(&self, lock: &Lockfile, fetcher: &Fetcher) -> Result<Option<WorkerSpec>, CliError> {
        let reference = Backends {
            backends: vec!["reference".to_owned()],
            workers: self.workers.clone(),
        };
        Ok(reference.specs(lock, fetcher)?.into_iter().next())
    }
}

impl Workers {
    pub(super) fn conduct(&self) -> Result<Conduct, CliError> {
        Ok(Conduct {
            timeout: self.timeout,
            runs: self.runs,
            policy: self.judging.policy(OFFICIAL)?,
        })
    }

    pub(super) fn count(&self) -> NonZeroUsize {
        let processors = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        self.jobs.unwrap_or_else(processors)
    }
}

impl Conformance {
    /// The backends as they were typed.
    pub(super) fn backend_texts(&self) -> &[String] {
        &self.backends.backends
    }

    pub(super) fn execute(self) -> Result<Exit, CliError> {
        let report = conduct_run(&self.cases, &self.backends, &self.models, &self.out, self.resume)?;
        let files = write_all(&report, &self.out)?;
        outln(format_args!(
            "{}",
            render::terminal(&report, render::Look::of(&stdout()))
        ));
        let releases = render::release_table(&report, render::Look::of(&stdout()));
        if !releases.is_empty() {
            outln(format_args!("{releases}"));
        }
        let models = render::model_table(&report, render::Look::of(&stdout()));
        if !models.is_empty() {
            outln(format_args!("{models}"));
        }
        for file in files {
            eprintln!("wrote {}", file.display());
        }
        if let Some(reason) = nothing_judged(&report) {
            eprintln!("error: no case could be run: {reason}");
            return Ok(Exit::NoCases);
        }
        Ok(match report.complete {
            true => self.check_floors(&report).unless_passed(|| data_exit(&report)),
            false => Exit::Incomplete,
        })
    }

    fn check_floors(&self, report: &Report) -> Exit {
        let mut exit = Exit::Passed;
        for (name, floor) in &self.floors {
            let passed = report
                .backend(name)
                .map_or(0, |backend| backend.tally.get(VerdictKind::Pass));
            if passed < *floor {
                eprintln!("error: {name} passes {passed} cases, its floor is {floor}");
                exit = Exit::Regression;
            }
        }
        exit
    }
}

/// Whether the stored outputs themselves are in doubt, which no verdict on a backend may hide.
pub(super) fn data_exit(report: &Report) -> Exit {
    match report.data_findings.is_empty() {
        true => Exit::Passed,
        false => Exit::DataDisagrees,
    }
}

/// The first reason, where no case could be given to a backend: an empty run is never a success. The errata may know why.
fn nothing_judged(report: &Report) -> Option<&str> {
    let unusable = |record: &CaseRecord| record.attempts == 0 && record.verdict.kind() != VerdictKind::NotRun;
    let first = report.cases.first()?;
    report.cases.iter().all(unusable).then_some(first.reason.as_str())
}

/// Selects, runs, and folds into a report; the log lies in `out`.
pub(super) fn conduct_run(
    cases: &Cases,
    backends: &Backends,
    models: &Models,
    out: &Path,
    resume: bool,
) -> Result<Report, CliError> {
    let began = Instant::now();
    let (lock, fetcher) = (Lockfile::embedded()?, fetcher()?);
    let Selected {
        selection,
        release,
        variants,
    } = cases.select(&lock, &fetcher)?;
    let specs = backends.specs(&lock, &fetcher)?;
    let corpus_s = began.elapsed().as_secs_f64();
    let (mut log, earlier) = open_log(out, resume)?;
    let conduct = backends.workers.conduct()?;
    check_same_policy(&earlier, &conduct)?;
    let count = selection.cases.len() + selection.defects.len();
    let plan = Plan {
        started: RunStarted {
            policy: conduct.policy.used.clone(),
            ..started(release, count)
        },
        whole: cases.whole(),
        variants,
        cases: selection.cases,
        defects: selection.defects,
        backends: specs,
        workers: backends.workers.count(),
        conduct,
        corpus_s,
        reference: backends.bounding(&lock, &fetcher)?,
        noise: models.plan(cases, || backends.reference(&lock, &fetcher))?,
        errata: Errata::embedded()?,
    };
    let cancel = Cancel::on_signals().map_err(CliError::Signals)?;
    Ok(run(&plan, earlier, &mut log, &cancel, &Progress::detect())?)
}

/// Verdicts of one run are given by one policy.
fn check_same_policy(earlier: &[Event], conduct: &Conduct) -> Result<(), CliError> {
    let used = &conduct.policy.used;
    let other = earlier.iter().find_map(|event| match event {
        Event::RunStarted(started) if started.policy != *used => Some(&started.policy),
        _ => None,
    });
    other.map_or(Ok(()), |other| {
        Err(CliError::Usage(format!(
            "the interrupted run was judged by policy `{}`, version {}, this one by `{}`, version {}: name the same policy, or \
             start a new run without --resume",
            other.name, other.version, used.name, used.version
        )))
    })
}

fn open_log(out: &Path, resume: bool) -> Result<(RunLog, Vec<Event>), CliError> {
    let path = out.join("run.jsonl");
    if !resume {
        return Ok((RunLog::create(&path)?, Vec::new()));
    }
    let (log, contents) = RunLog::resume(&path)?;
    if let Some(torn) = contents.torn {
        eprintln!(
            "line {} of {} was torn and is dropped; its case runs again",
            torn.line,
            path.display()
        );
    }
    Ok((log, contents.events))
}

/// What is known at the start of a run on `cases` cases of `release`.
pub(super) fn started(release: String, cases: usize) -> RunStarted {
    let now = OffsetDateTime::from(SystemTime::now()).replace_nanosecond(0);
    RunStarted {
        started: now
            .ok()
            .and_then(|now| now.format(&Rfc3339).ok())
            .unwrap_or_default(),
        release,
        cases: cases as u64,
        command: std::env::args().collect(),
        environment: Environment::collect(env!("CARGO_PKG_VERSION")),
        policy: PolicyUsed::default(),
    }
}
