//! `conformance`: the main job.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use harness_compare::policy::OFFICIAL;
use harness_conformance::observe::RunOptions;
use harness_conformance::run::{Earlier, Missing, Shard, ShardError};
use harness_console::{info, look, note, outln};
use harness_corpus::locale;
use harness_corpus::{Fetcher, Lockfile};
use harness_history::History;
use harness_worker::backend;
use harness_worker::{Cancel, WorkerSpec};
use reports::diff::Diff;
use reports::{Report, render, write_all};

use super::export::export;
use super::generated::Generating;
use super::judging::Judging;
use super::limits::Memory;
use super::list::{ListFormat, list};
use super::models::Models;
use super::repeat::{Arguments, seconds};
use super::rulings::rule;
use super::running::{Extent, run_cases, select};
use super::selection::Cases;
use super::{CliError, Exit, outcome, rejections};

/// Run backends over test cases in isolated workers, compare, and write reports.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask conformance\n  \
    cargo xtask conformance --backend ort:optimization=disable --filter softmax\n  \
    cargo xtask conformance --backend 'cmd:./my-worker --flag' --cases ./my-cases\n  \
    cargo xtask conformance --policy bound\n  \
    cargo xtask conformance --filter softmax --list\n  \
    cargo xtask conformance --filter onnx-1.22.0/node/test_dft --export cases\n  \
    cargo xtask conformance --variants --backend native\n  \
    cargo xtask conformance --backend ort --retries 3\n  \
    cargo xtask conformance --history onnx-history.sqlite\n  \
    cargo xtask conformance --shard 2/8 --out shard-2\n  \
    cargo xtask conformance --generated=5000 --policy bound --backend native\n  \
    cargo xtask conformance --generated=5000 --policy bound --backend ort --rulings\n  \
    cargo xtask conformance --rejections --backend ort --backend native\n  \
    cargo xtask conformance --generated-graphs=2000 --generated-seed 7 --policy bound --backend native\n\n\
    A PATTERN is a whole case id, a glob over it (*?[{), or a word that the id contains.\n\n\
    Exit codes: 0 done; 1 a backend is below its floor; 2 usage; 4 no case, a case that cannot be read, or corpus below its\n\
    pinned count; 5 incomplete (--resume goes on); 6 a backend is missing; 9 the reference disagrees with stored outputs;\n\
    73 a report or stdout cannot be written.")]
pub struct Conformance {
    #[command(flatten)]
    cases: Cases,
    #[command(flatten)]
    generating: Generating,
    #[command(flatten)]
    backends: Backends,
    #[command(flatten)]
    models: Models,
    /// Give the backends models that must be refused instead: at least one for each rule of the checker, and rules of operators. Counts
    /// what each refuses and accepts wrongly; exit 1 if one accepts wrongly.
    #[arg(long, conflicts_with_all = ["cases", "release", "own", "corpus", "generated", "generated_graphs", "variants", "list", "resume", "shard"])]
    rejections: bool,
    /// List the selected cases on stdout and run nothing.
    #[arg(long, value_name = "FORMAT", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "text")]
    list: Option<ListFormat>,
    /// Write the files of the selected cases into this folder, each case into a folder of its own in the official layout, and run
    /// nothing; `locate`, `reduce` and `compare` take such a folder.
    #[arg(long, value_name = "DIR", conflicts_with = "list")]
    export: Option<PathBuf>,
    /// End the run with the first wrong or missing answer (exit 1); what was not run then is told as that.
    #[arg(long, conflicts_with = "resume")]
    fail_fast: bool,
    /// Repeat each case whose answer is wrong or missing up to N times; one that comes to another verdict is flaky: a verdict of its
    /// own, and no pass.
    #[arg(long, value_name = "N", default_value = "0", conflicts_with = "fail_fast")]
    retries: u32,
    /// The folder for the log and the reports.
    #[arg(long, value_name = "DIR", default_value = "conformance-report")]
    out: PathBuf,
    /// Go on with the interrupted run in the same folder, which must have been the same run: cases, backends, policy.
    #[arg(long)]
    resume: bool,
    /// Throw an interrupted run in the same folder away; with --resume, only one that was another run.
    #[arg(long)]
    force: bool,
    /// Run only this part of the cases, as one of several jobs: K/N, or without a value as the variables of GitLab, Bazel, Slurm
    /// or Kubernetes say. `merge` makes one report of all parts.
    #[arg(long, value_name = "K/N", num_args = 0..=1, default_missing_value = FROM_VARIABLES, value_parser = parse_shard)]
    shard: Option<Shard>,
    /// Tell in the reports what changed since the run in this folder; since the complete run that stood in --out when left out.
    #[arg(long, value_name = "DIR")]
    since: Option<PathBuf>,
    /// Show on the page of cases what each case came to in the runs of this history (`history add`).
    #[arg(long, value_name = "FILE")]
    history: Option<PathBuf>,
    /// Fail (exit 1) if a backend passes fewer cases than this (repeatable).
    #[arg(long = "floor", value_name = "BACKEND=N", value_parser = parse_floor)]
    floors: Vec<(String, u64)>,
}

/// Seconds that one case may take where nothing else is said.
const TIMEOUT: &str = "30";

/// Which backends.
#[derive(Args, Clone, Debug)]
pub struct Backends {
    /// A backend: reference, native, ort, tract, each with options as in `ort:threads=2`; any program that speaks the
    /// protocol, as in `cmd:./my-worker --flag`; or a Python module with the interface of `onnx.backend.base`, as in
    /// `onnx-backend:onnxruntime.backend`. `NAME=` before it is how reports call it: `new=ort:version=1.31.1` (repeatable).
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
    #[arg(long, value_name = "SECONDS", default_value = TIMEOUT, value_parser = parse_seconds)]
    pub timeout: Duration,
    #[command(flatten)]
    pub memory: Memory,
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

/// The value of `--shard` without a value.
const FROM_VARIABLES: &str = "";

fn parse_shard(text: &str) -> Result<Shard, ShardError> {
    match text {
        FROM_VARIABLES => Shard::from_variables(|name| std::env::var(name).ok()),
        text => text.parse(),
    }
}

pub(super) fn parse_floor(text: &str) -> Result<(String, u64), String> {
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
    /// The workers of each backend with their limits, and the backends that have none.
    pub fn specs(
        &self,
        lock: &Lockfile,
        fetcher: &Fetcher,
    ) -> Result<(Vec<WorkerSpec>, Vec<Missing>), CliError> {
        specs(&self.backends, |text| self.workers.spec(text, lock, fetcher))
    }
}

/// The worker of each backend that has one, and the backends that have none.
pub(super) fn specs(
    texts: &[String],
    spec: impl Fn(&str) -> Result<WorkerSpec, CliError>,
) -> Result<(Vec<WorkerSpec>, Vec<Missing>), CliError> {
    let (mut specs, mut missing) = (Vec::new(), Vec::new());
    for (index, text) in texts.iter().enumerate() {
        let name = backend::name(text);
        if texts
            .iter()
            .take(index)
            .any(|earlier| backend::name(earlier) == name)
        {
            return Err(CliError::Usage(format!("backend `{name}` is named twice")));
        }
        match spec(text) {
            Ok(spec) => specs.push(spec),
            Err(CliError::BackendText(error)) if error.is_missing() => missing.push(Missing {
                name: name.to_owned(),
                reason: error.to_string(),
            }),
            Err(error) => return Err(error),
        }
    }
    Ok((specs, missing))
}

impl Backends {
    /// The reference, for the bounds; none where they are not wanted.
    pub(super) fn bounding(
        &self,
        lock: &Lockfile,
        fetcher: &Fetcher,
    ) -> Result<Option<WorkerSpec>, CliError> {
        match self.workers.judging.no_bounds {
            true => Ok(None),
            false => self.reference(lock, fetcher).map(Some),
        }
    }

    /// The reference, with the limits of the backends.
    pub(super) fn reference(&self, lock: &Lockfile, fetcher: &Fetcher) -> Result<WorkerSpec, CliError> {
        self.workers.spec("reference", lock, fetcher)
    }
}

impl Workers {
    /// The worker that `text` names, with its limits.
    pub(super) fn spec(
        &self,
        text: &str,
        lock: &Lockfile,
        fetcher: &Fetcher,
    ) -> Result<WorkerSpec, CliError> {
        let mut spec = backend::parse(text, lock, fetcher)?;
        if self.locale {
            let folder = locale::folder(fetcher.cache())?;
            spec.env
                .insert(locale::VARIABLE.to_owned(), folder.display().to_string());
        }
        spec.limits.memory = Some(self.memory.bytes());
        Ok(spec)
    }

    /// What a result depends on, as it is typed.
    pub(super) fn arguments(&self) -> Arguments {
        let timeout = Some(self.timeout).filter(|timeout| parse_seconds(TIMEOUT).as_ref() != Ok(timeout));
        Arguments::default()
            .option("--timeout", timeout.map(seconds))
            .option("--memory", self.memory.argument())
            .option("--runs", Some(self.runs).filter(|runs| *runs != 1))
            .and(self.judging.arguments())
            .switch("--locale", self.locale)
    }

    pub(super) fn run_options(&self) -> Result<RunOptions, CliError> {
        Ok(RunOptions {
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
        let earlier = Earlier {
            resume: self.resume,
            force: self.force,
        };
        if self.rejections {
            return rejections::run(&self.backends);
        }
        self.check_floors()?;
        if self.list.is_some() || self.export.is_some() {
            let cancel = Cancel::on_signals().map_err(CliError::Signals)?;
            let mut selected = select(&self.cases, &self.generating, &self.backends, &cancel)?.selection;
            if let Some(shard) = self.shard {
                shard.share(&mut selected.cases, &mut selected.defects);
            }
            return match (&self.export, self.list) {
                (Some(folder), _) => export(&selected, folder),
                (None, format) => list(&selected, format.unwrap_or_default()),
            };
        }
        let before = self.before()?;
        let history = self.history.as_deref().map(History::open).transpose()?;
        let mut report = run_cases(
            &self.cases,
            &self.generating,
            &self.backends,
            &self.models,
            (&self.out, earlier),
            Extent {
                shard: self.shard,
                fail_fast: self.fail_fast,
                retries: self.retries,
            },
        )?;
        report.since = before.map(|before| Diff::of(&before, &report));
        report.past = history.map(|history| history.past(&report)).transpose()?;
        let written = write_all(&report, &self.out);
        for table in [
            render::terminal(&report, look()),
            render::release_table(&report, look()),
            render::model_table(&report, look()),
        ] {
            if !table.is_empty() {
                outln(format_args!("{table}"))?;
            }
        }
        for file in written? {
            info(format_args!("wrote {}", file.display()));
        }
        if self.fail_fast && outcome::any_failure(&report) {
            note(format_args!(
                "error: the run ended with its first failure (--fail-fast)"
            ));
            return Ok(Exit::Regression);
        }
        let exit = outcome::exit(&report, &self.floors);
        match (self.generating.rulings, self.generating.generated) {
            (true, Some(most)) => {
                let ruled = rule(&report, (self.generating.generated_seed, most), &self.out)?;
                // What keeps the results from being whole comes before what they say.
                Ok(if exit == Exit::Passed { ruled } else { exit })
            }
            _ => Ok(exit),
        }
    }

    /// The run with which this one is compared: the one that is named, which must be readable, else a complete one that this one
    /// takes the place of.
    fn before(&self) -> Result<Option<Report>, CliError> {
        match &self.since {
            Some(folder) => Ok(Some(Report::read(folder)?)),
            None if self.resume => Ok(None),
            None => Ok(Report::read(&self.out).ok().filter(|report| report.complete)),
        }
    }

    /// A floor of a backend that is not run would never be reached.
    fn check_floors(&self) -> Result<(), CliError> {
        let named = |name: &String| {
            self.backends
                .backends
                .iter()
                .any(|text| backend::name(text) == name)
        };
        match self.floors.iter().find(|(name, _)| !named(name)) {
            None => Ok(()),
            Some((name, _)) => Err(CliError::Usage(format!(
                "--floor names `{name}`, which is not among the backends: {}",
                self.backends.backends.join(", ")
            ))),
        }
    }
}
