//! `bench`: measures latencies.

mod deciding;
mod latency_gate;
mod measuring;
mod models;

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, ValueEnum};
use harness_bench::{Baseline, Plan, RunOptions, Task, ToMeasure, processors};
use harness_conformance::run::MissingBackend;
use harness_console::note;
use harness_fetch::{Fetcher, Lockfile};
use harness_worker::backend::{self, BackendTextError};
use harness_worker::{BackendArg, Cancel, WorkerSpec};
use run_record::{Release, Weights};

use super::inputs::REFERENCE;
use super::limits::Memory;
use super::running::started;
use super::selection::fetcher;
use super::workers::{parse_seconds, specs};
use super::{CliError, Exit};

pub use deciding::Deciding;
pub(super) use latency_gate::LatencyGating;
use measuring::{decide, measure, no_spinning, saved};
pub(super) use models::light_cases;
use models::{Named, Opened, exported_models, hub_models};

/// Measure latencies in isolated workers, check the outputs of the timed runs, and write reports.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask bench\n  \
    cargo xtask bench model.onnx --backend native --backend ort\n  \
    cargo xtask bench bert.onnx --dim batch=1,8,32 --dim sequence=128\n  \
    cargo xtask bench net.onnx --input image=street.jpg --shape image=1x3x224x224\n  \
    cargo xtask bench net.onnx --input image=photos/\n  \
    cargo xtask bench resnet50 squeezenet --threads 1\n  \
    cargo xtask bench --zoo architectures --model llama --model bert --threads 1\n  \
    cargo xtask bench --zoo hub --model classification --backend native\n  \
    cargo xtask bench --backend ort --backend ort:optimization=basic --blocks --spinning on\n  \
    cargo xtask bench model.onnx --backend 'cmd:./new-worker' --against 'cmd:./old-worker'\n  \
    cargo xtask bench model.onnx --backend ort --against ort:version=1.30.0 --margin 5\n  \
    cargo xtask bench model.onnx --backend native --aa\n\n\
    A median needs 11 timed runs, a 90th percentile 64, a 99th 662; with fewer it is omitted. docs/bench.md describes the method.\n\n\
    Exit codes: 0 every series has a valid latency, and with --against none is slower; 2 usage, a file that is not a model or does \
    not fit, a saved run of another machine; 3 slower (--against); 4 no model; 5 interrupted; 6 a backend is missing; \
    7 a series has too few samples, wrong outputs, cached ones or none, or --against cannot decide; 73 a report cannot be written.")]
pub struct Bench {
    /// Models: `.onnx` files, folders with a `model.onnx`, folders of either, names of light models.
    /// Default: all models of --zoo.
    #[arg(value_name = "MODEL", conflicts_with_all = ["zoo", "patterns"])]
    models: Vec<PathBuf>,
    /// The value of an input of a model file: NAME=FILE, where the file is .npy, .npz, .pb, .json, or an
    /// image; or FILE.npz with arrays named after inputs; or a folder of such files, of which the first
    /// four that differ and have equal shapes are used in turn (repeatable). Other inputs come from the
    /// data sets beside the model, or are generated from --seed.
    #[arg(long = "input", value_name = "NAME=FILE|FOLDER", requires = "models")]
    inputs: Vec<String>,
    /// The extent of a symbolic dimension of a model file, or several extents, each of which is
    /// measured; for a dimension without a name INPUT:AXIS=N (repeatable).
    #[arg(long = "dim", value_name = "NAME=N,…", requires = "models")]
    dims: Vec<String>,
    /// The shape of an input of a model file: INPUT=1x3x224x224. It must fit the declared shape
    /// (repeatable).
    #[arg(long = "shape", value_name = "INPUT=SHAPE", requires = "models")]
    shapes: Vec<String>,
    /// The collection of models.
    #[arg(long, value_enum, default_value_t = Zoo::Light)]
    zoo: Zoo,
    /// The ONNX release of the light models.
    #[arg(long, value_name = "VERSION", default_value = "1.22.0")]
    release: Release,
    /// Only models of --zoo whose id contains this word, or matches it as a glob if it contains any of
    /// *?[{ (repeatable).
    #[arg(long = "model", id = "patterns", value_name = "PATTERN")]
    patterns: Vec<String>,
    /// A backend, as for `conformance` (repeatable).
    #[arg(long = "backend", value_name = "BACKEND", default_values = backend::TIMED)]
    backends: Vec<BackendArg>,
    /// Test whether the backend is slower than this one: another backend, in the form of --backend,
    /// measured in pairs with it; or the folder of a bench on this machine.
    #[arg(long, value_name = "OLD", conflicts_with_all = ["aa", "blocks"])]
    against: Option<Against>,
    /// Measure how much two measurements of the same backend differ on this machine.
    #[arg(long, conflicts_with = "blocks")]
    aa: bool,
    #[command(flatten)]
    deciding: Deciding,
    /// Thread counts: numbers or `all`. A backend without an option `threads` runs once, with its
    /// default.
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "1,all", value_parser = parse_threads)]
    threads: Vec<u32>,
    /// Weights of the light models: their constant fill, or seeded random values.
    #[arg(long, value_enum, default_value_t = WeightsOption::Random)]
    weights: WeightsOption,
    /// Turns of each backend, each in a process of its own; --against and --aa run as many as they need.
    #[arg(long, value_name = "N", default_value = "8", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    rounds: u32,
    /// Timed runs in each turn.
    #[arg(long, value_name = "N", default_value = "8", value_parser = clap::value_parser!(u32).range(1..=20_000))]
    samples: u32,
    /// Runs before them that are not counted, after the warm-up, which ends when times do not decrease.
    #[arg(long, value_name = "N", default_value = "2", value_parser = clap::value_parser!(u32).range(0..=20_000))]
    warmup: u32,
    /// Give each backend all its turns in succession, with a pause before the next backend, instead of
    /// one turn in each round.
    #[arg(long)]
    blocks: bool,
    /// Whether idle threads of backends spin instead of sleeping. Spinning takes time from the backend
    /// that runs next.
    #[arg(long, value_enum, default_value_t = Switch::Off)]
    spinning: Switch,
    /// The seed of random weights, of inputs and of the order of turns.
    #[arg(long, value_name = "N", default_value = "0")]
    seed: u64,
    /// The time limit of one load, run or turn, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = parse_seconds)]
    timeout: Duration,
    /// The time limit of the reference for all inputs of a model file, in seconds; the remaining outputs
    /// are compared with those of the first runs of the same backend.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = parse_seconds)]
    reference_time: Duration,
    #[command(flatten)]
    memory: Memory,
    /// The folder for the log and the reports.
    #[arg(long, value_name = "DIR", default_value = "bench-report")]
    out: PathBuf,
}

/// Collections of models.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum Zoo {
    /// The nine networks of 2012 to 2017 that come with the official tests, without their weights.
    Light,
    /// Networks that `fetch --zoo architectures` exported to the cache; without --model those in the sizes
    /// that people deploy (`architectures/full-size/*`).
    Architectures,
    /// Models of the ONNX model zoo that `fetch --zoo hub` stored in the cache.
    Hub,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum WeightsOption {
    Constant,
    Random,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Switch {
    On,
    Off,
}

fn parse_threads(text: &str) -> Result<u32, String> {
    if text == "all" {
        return Ok(processors());
    }
    let count = text.parse().ok().filter(|&count| count > 0);
    count.ok_or_else(|| format!("`{text}` is neither a number of threads nor `all`"))
}

/// What the backend is compared with.
#[derive(Clone, Debug)]
pub enum Against {
    /// The folder of a bench.
    Folder(PathBuf),
    /// Another backend.
    Backend(BackendArg),
}

impl FromStr for Against {
    type Err = BackendTextError;

    fn from_str(text: &str) -> Result<Against, BackendTextError> {
        let folder = PathBuf::from(text);
        if folder.is_dir() {
            Ok(Against::Folder(folder))
        } else {
            text.parse().map(Against::Backend)
        }
    }
}

impl Bench {
    pub(super) fn execute(self) -> Result<Exit, CliError> {
        let (lock, fetcher) = (Lockfile::embedded()?, fetcher()?);
        let cancel = Cancel::on_signals().map_err(CliError::Signals)?;
        let (plan, failed) = self.plan(&lock, &fetcher, &cancel)?;
        let report = measure(&plan, &self.out, &cancel)?;
        for error in &failed {
            note(format_args!("error: {error}"));
        }
        let exit = decide(&report, &plan.task);
        Ok(exit.unless_passed(|| failed.first().map_or(Exit::Passed, CliError::exit)))
    }

    /// The plan of the bench, and why some models cannot be measured.
    fn plan(
        &self,
        lock: &Lockfile,
        fetcher: &Fetcher,
        cancel: &Cancel,
    ) -> Result<(Plan, Vec<CliError>), CliError> {
        let paths = self.paths(fetcher)?;
        let (backends, missing) = self.backends(lock, fetcher)?;
        // The reference has the time and memory limits of the other backends.
        let reference = self.spec(&BackendArg::installed(REFERENCE), lock, fetcher)?;
        let mut threads = self.threads.clone();
        threads.sort_unstable();
        threads.dedup();
        let task = self.task(&backends, lock, fetcher)?;
        let Opened { models, failed } = self.models(&paths, &reference, lock, fetcher, cancel)?;
        let light = models
            .iter()
            .any(|model| matches!(model, ToMeasure::Light { .. }));
        let release = if light {
            self.release.to_string()
        } else {
            String::new()
        };
        let plan = Plan {
            models,
            backends,
            missing,
            reference,
            reference_budget: self.reference_time,
            threads,
            seed: self.seed,
            options: RunOptions {
                rounds: self.rounds,
                samples: self.samples,
                warmup: self.warmup,
                interleaved: !self.blocks,
                spinning: self.spinning == Switch::On,
                timeout: self.timeout,
            },
            task,
            // A bench has no cases, so that no verdict can be missing.
            started: started(release, 0),
        };
        Ok((plan, failed))
    }

    /// The named or selected model files; empty for all light models.
    fn paths(&self, fetcher: &Fetcher) -> Result<Vec<PathBuf>, CliError> {
        match (self.models.is_empty(), self.zoo) {
            (false, _) => Ok(self.models.clone()),
            (true, Zoo::Architectures) => exported_models(&self.patterns, fetcher),
            (true, Zoo::Hub) => hub_models(&self.patterns, fetcher),
            (true, Zoo::Light) => Ok(Vec::new()),
        }
    }

    fn models(
        &self,
        paths: &[PathBuf],
        reference: &WorkerSpec,
        lock: &Lockfile,
        fetcher: &Fetcher,
        cancel: &Cancel,
    ) -> Result<Opened, CliError> {
        let weights = match self.weights {
            WeightsOption::Constant => Weights::Constant,
            WeightsOption::Random => Weights::Random,
        };
        let light = |patterns: &[String]| light_cases(&self.release, patterns, lock, fetcher);
        if paths.is_empty() {
            let cases = light(&self.patterns)?.into_iter();
            return Ok(Opened {
                models: cases.map(|files| ToMeasure::light(files, weights)).collect(),
                failed: Vec::new(),
            });
        }
        let named = Named {
            paths,
            inputs: &self.inputs,
            dims: &self.dims,
            shapes: &self.shapes,
            seed: self.seed,
            weights,
        };
        named.open(reference, self.timeout, cancel, light)
    }

    fn task(&self, backends: &[WorkerSpec], lock: &Lockfile, fetcher: &Fetcher) -> Result<Task, CliError> {
        if self.aa {
            return Ok(Task::Noise(self.deciding.fixed()));
        }
        let Some(against) = &self.against else {
            return Ok(Task::Measure);
        };
        if self.backends.len() != 1 {
            return Err(CliError::Usage(
                "--against compares one backend with an old one: name it with --backend".to_owned(),
            ));
        }
        let old = match against {
            Against::Folder(folder) => Baseline::Saved(Box::new(saved(folder, &self.out)?)),
            Against::Backend(backend) => {
                let mut spec = self.spec(backend, lock, fetcher)?;
                no_spinning(&spec)?;
                if backends.iter().any(|new| new.name == spec.name) {
                    spec.name = format!("{} (old)", spec.name);
                }
                Baseline::Worker(Box::new(spec))
            }
        };
        Ok(Task::Gate {
            old,
            design: self.deciding.design(),
        })
    }

    /// The workers of each backend, and the backends without a worker.
    fn backends(
        &self,
        lock: &Lockfile,
        fetcher: &Fetcher,
    ) -> Result<(Vec<WorkerSpec>, Vec<MissingBackend>), CliError> {
        let (specs, missing) = specs(&self.backends, |backend| self.spec(backend, lock, fetcher))?;
        specs.iter().try_for_each(no_spinning)?;
        Ok((specs, missing))
    }

    fn spec(&self, backend: &BackendArg, lock: &Lockfile, fetcher: &Fetcher) -> Result<WorkerSpec, CliError> {
        let mut spec = backend.spec(lock, fetcher)?;
        spec.limits.memory = self.memory.limit();
        Ok(spec)
    }
}
