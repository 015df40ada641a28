//! The arguments of commands that select backends and configure their workers.

use std::num::NonZeroUsize;
use std::time::Duration;

use clap::Args;
use harness_conformance::observe::RunOptions;
use harness_conformance::run::MissingBackend;
use harness_fetch::locale;
use harness_fetch::{Fetcher, Lockfile};
use harness_investigate::runner::Runner;
use harness_worker::backend;
use harness_worker::{BackendArg, Cancel, WorkerSpec};

use super::CliError;
use super::arguments::{Arguments, seconds};
use super::judging::{Bounds, Judging};
use super::limits::Memory;

/// The default time limit of one case in seconds.
const TIMEOUT: &str = "30";

/// The selected backends.
#[derive(Args, Clone, Debug)]
pub struct Backends {
    /// A backend: reference, native, ort, tract, each with options as in `ort:threads=2`; any program
    /// that follows the protocol, as in `cmd:./my-worker --flag`; or a Python module with the interface
    /// of `onnx.backend.base`, as in `onnx-backend:onnxruntime.backend`. `NAME=` before it sets the name
    /// in reports: `new=ort:version=1.31.1` (repeatable).
    #[arg(long = "backend", value_name = "BACKEND", default_values = backend::ALL)]
    pub backends: Vec<BackendArg>,
    #[command(flatten)]
    pub workers: Workers,
    #[command(flatten)]
    pub jobs: Jobs,
    #[command(flatten)]
    pub run: RunArgs,
    /// Whether the reference computes bounds of rounding errors; a command sets it.
    #[arg(skip)]
    pub bounds: Bounds,
}

/// The selected backends of a command that judges no cases.
#[derive(Args, Clone, Debug)]
pub struct Named {
    /// A backend, as for `conformance` (repeatable).
    #[arg(long = "backend", value_name = "BACKEND", default_values = backend::ALL)]
    pub backends: Vec<BackendArg>,
    #[command(flatten)]
    pub workers: Workers,
    #[command(flatten)]
    pub jobs: Jobs,
}

/// The number of workers.
#[derive(Args, Clone, Copy, Default, Debug)]
pub struct Jobs {
    /// Parallel workers of each backend. Default: the number of processors.
    #[arg(long, value_name = "N", value_parser = parse_jobs)]
    pub jobs: Option<NonZeroUsize>,
}

fn parse_jobs(text: &str) -> Result<NonZeroUsize, String> {
    let wrong = |_| "give the number of workers, 1 or more".to_owned();
    text.parse().map_err(wrong)
}

/// How cases are run and judged.
#[derive(Args, Clone, Debug)]
pub struct RunArgs {
    /// Runs of each case. With more than one, a case whose outputs differ between runs is
    /// nondeterministic.
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: u32,
    #[command(flatten)]
    pub judging: Judging,
}

impl Default for RunArgs {
    fn default() -> RunArgs {
        RunArgs {
            runs: 1,
            judging: Judging::default(),
        }
    }
}

/// The configuration of workers.
#[derive(Args, Clone, Debug)]
pub struct Workers {
    /// The time limit of one case in seconds.
    #[arg(long, value_name = "SECONDS", default_value = TIMEOUT, value_parser = parse_seconds)]
    pub timeout: Duration,
    #[command(flatten)]
    pub memory: Memory,
    /// Give the workers a locale en_US.UTF-8 (compiled into the cache by `localedef`), which ONNX
    /// Runtime's StringNormalizer needs.
    #[arg(long)]
    pub locale: bool,
}

pub(super) fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| *seconds > 0.0);
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration.ok_or_else(|| format!("`{text}` is not a positive number of seconds"))
}

impl Named {
    /// The workers of each backend with their limits, and the backends without a worker.
    pub fn specs(
        &self,
        lock: &Lockfile,
        fetcher: &Fetcher,
    ) -> Result<(Vec<WorkerSpec>, Vec<MissingBackend>), CliError> {
        specs(&self.backends, |backend| {
            self.workers.spec(backend, lock, fetcher)
        })
    }

    /// The same backends for a run under the default policy, with bounds.
    pub(super) fn judged(&self) -> Backends {
        Backends {
            backends: self.backends.clone(),
            workers: self.workers.clone(),
            jobs: self.jobs,
            run: RunArgs::default(),
            bounds: Bounds::default(),
        }
    }
}

impl Backends {
    /// The backends as given, separated by commas.
    pub(super) fn shown(&self) -> String {
        let texts: Vec<String> = self.backends.iter().map(BackendArg::to_string).collect();
        texts.join(", ")
    }

    /// Whether the backends are the default ones.
    pub(super) fn are_default(&self) -> bool {
        self.backends
            .iter()
            .map(BackendArg::name)
            .eq(backend::ALL.iter().copied())
    }

    /// The workers of each backend with their limits, and the backends without a worker.
    pub fn specs(
        &self,
        lock: &Lockfile,
        fetcher: &Fetcher,
    ) -> Result<(Vec<WorkerSpec>, Vec<MissingBackend>), CliError> {
        specs(&self.backends, |backend| {
            self.workers.spec(backend, lock, fetcher)
        })
    }
}

impl Jobs {
    /// The number of workers of each backend.
    pub(super) fn count(self) -> NonZeroUsize {
        let processors = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        self.jobs.unwrap_or_else(processors)
    }
}

/// The worker of each backend that has one, and the backends without a worker.
pub(super) fn specs(
    backends: &[BackendArg],
    spec: impl Fn(&BackendArg) -> Result<WorkerSpec, CliError>,
) -> Result<(Vec<WorkerSpec>, Vec<MissingBackend>), CliError> {
    let (mut specs, mut missing) = (Vec::new(), Vec::new());
    for (index, backend) in backends.iter().enumerate() {
        let name = backend.name();
        if backends.iter().take(index).any(|earlier| earlier.name() == name) {
            return Err(CliError::Usage(format!("backend `{name}` is given twice")));
        }
        match spec(backend) {
            Ok(spec) => specs.push(spec),
            Err(CliError::BackendText(error)) if error.is_missing() => missing.push(MissingBackend {
                name: name.to_owned(),
                reason: error.to_string(),
            }),
            Err(error) => return Err(error),
        }
    }
    Ok((specs, missing))
}

impl Backends {
    /// The reference, for the bounds; `None` with `--no-bounds`.
    pub(super) fn bounding(
        &self,
        lock: &Lockfile,
        fetcher: &Fetcher,
    ) -> Result<Option<WorkerSpec>, CliError> {
        if self.bounds.no_bounds {
            Ok(None)
        } else {
            self.reference(lock, fetcher).map(Some)
        }
    }

    /// The reference, with the limits of the backends.
    pub(super) fn reference(&self, lock: &Lockfile, fetcher: &Fetcher) -> Result<WorkerSpec, CliError> {
        self.workers
            .spec(&BackendArg::installed("reference"), lock, fetcher)
    }
}

impl Workers {
    /// The worker of `backend`, with its limits.
    pub(super) fn spec(
        &self,
        backend: &BackendArg,
        lock: &Lockfile,
        fetcher: &Fetcher,
    ) -> Result<WorkerSpec, CliError> {
        let mut spec = backend.spec(lock, fetcher)?;
        if self.locale {
            let folder = locale::folder(fetcher.cache())?;
            spec.env
                .insert(locale::VARIABLE.to_owned(), folder.display().to_string());
        }
        spec.limits.memory = self.memory.limit();
        Ok(spec)
    }
}

impl Backends {
    /// The options that affect results, as arguments.
    pub(super) fn arguments(&self) -> Arguments {
        let Workers {
            timeout,
            memory,
            locale,
        } = &self.workers;
        let timeout = Some(*timeout).filter(|timeout| parse_seconds(TIMEOUT).as_ref() != Ok(timeout));
        Arguments::default()
            .option("--timeout", timeout.map(seconds))
            .option("--memory", memory.argument())
            .option("--runs", Some(self.run.runs).filter(|runs| *runs != 1))
            .and(self.run.judging.arguments())
            .switch("--no-bounds", self.bounds.no_bounds)
            .switch("--locale", *locale)
    }

    /// The options of a run; without --policy the policy `default` decides.
    pub(super) fn run_options(&self, default: &str) -> Result<RunOptions, CliError> {
        Ok(RunOptions {
            timeout: self.workers.timeout,
            runs: self.run.runs,
            policy: self.run.judging.policy(default)?,
            memory: false,
        })
    }
}

/// A backend that runs single requests.
pub(super) fn runner(
    workers: &Workers,
    backend: &BackendArg,
    lock: &Lockfile,
    fetcher: &Fetcher,
    cancel: &Cancel,
) -> Result<Runner, CliError> {
    let spec = workers.spec(backend, lock, fetcher)?;
    Ok(Runner::start(spec, cancel.clone(), workers.timeout)?)
}
