//! `bench`: how fast.

mod deciding;
mod latency_gate;
mod measuring;
mod models;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use harness_bench::{Old, Plan, RunOptions, Task, ToMeasure, processors};
use harness_conformance::run::Missing;
use harness_console::note;
use harness_corpus::{Fetcher, Lockfile};
use harness_worker::backend;
use harness_worker::{Cancel, WorkerSpec};
use reports::record::{Release, Weights};

use super::conformance::{parse_seconds, specs};
use super::inputs::REFERENCE;
use super::limits::Memory;
use super::running::started;
use super::selection::fetcher;
use super::{CliError, Exit};

pub use deciding::Deciding;
pub(super) use latency_gate::LatencyGating;
use measuring::{decide, measure, no_spinning, saved};
pub(super) use models::light_cases;
use models::{Named, Opened, hub_models};

/// Measure latencies in isolated workers, check the outputs of what was timed, and write reports.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask bench\n  \
    cargo xtask bench model.onnx --backend native --backend ort\n  \
    cargo xtask bench bert.onnx --dim batch=1,8,32 --dim sequence=128\n  \
    cargo xtask bench net.onnx --input image=street.jpg --shape image=1x3x224x224\n  \
    cargo xtask bench resnet50 squeezenet --threads 1\n  \
    cargo xtask bench --zoo hub --model classification --backend native\n  \
    cargo xtask bench --backend ort --backend ort:optimization=basic --blocks --spinning on\n  \
    cargo xtask bench model.onnx --backend 'cmd:./new-worker' --against 'cmd:./old-worker'\n  \
    cargo xtask bench model.onnx --backend ort --against ort:version=1.30.0 --margin 5\n  \
    cargo xtask bench model.onnx --backend native --aa\n\n\
    A median needs 11 timed runs, a 90th percentile 64, a 99th 662; with fewer it is left out. docs/bench.md describes the method.\n\n\
    Exit codes: 0 every series has a valid latency, and with --against none is slower; 2 usage, a file that is no model or does\n\
    not fit, a saved run of another machine; 3 slower (--against); 4 no model; 5 interrupted; 6 a backend is missing;\n\
    7 a series has too few samples, wrong outputs, cached ones or none, or --against cannot decide; 73 a report cannot be written.")]
pub struct Bench {
    /// Models: `.onnx` files, folders with a `model.onnx`, folders of either, names of light models. All of --zoo when left out.
    #[arg(value_name = "MODEL", conflicts_with_all = ["zoo", "patterns"])]
    models: Vec<PathBuf>,
    /// The value of an input of a model file: NAME=FILE, a file .npy, .npz, .pb, .json, or an image; or a FILE.npz with arrays named
    /// after inputs (repeatable). Inputs without a value come from the data sets beside the model, or are drawn by --seed.
    #[arg(long = "input", value_name = "NAME=FILE", requires = "models")]
    inputs: Vec<String>,
    /// The extent of a symbolic dimension of a model file, or several, each of which is measured; of one without a name as
    /// INPUT:AXIS=N (repeatable).
    #[arg(long = "dim", value_name = "NAME=N,…", requires = "models")]
    dims: Vec<String>,
    /// The shape of an input of a model file: INPUT=1x3x224x224. It must fit the declared one (repeatable).
    #[arg(long = "shape", value_name = "INPUT=SHAPE", requires = "models")]
    shapes: Vec<String>,
    /// Which collection of models.
    #[arg(long, value_enum, default_value_t = Zoo::Light)]
    zoo: Zoo,
    /// The ONNX release that the light models come with.
    #[arg(long, value_name = "VERSION", default_value = "1.22.0")]
    release: Release,
    /// Only models of --zoo whose id contains this word, or matches it as a glob if it has any of *?[{ (repeatable).
    #[arg(long = "model", id = "patterns", value_name = "PATTERN")]
    patterns: Vec<String>,
    /// A backend, as `conformance` takes it (repeatable).
    #[arg(long = "backend", value_name = "BACKEND", default_values = backend::TIMED)]
    backends: Vec<String>,
    /// Whether the backend is slower than this: another backend, as --backend takes it, measured in turns with it; or the folder of a
    /// bench on this machine.
    #[arg(long, value_name = "OLD", conflicts_with_all = ["aa", "blocks"])]
    against: Option<String>,
    /// How much two measurements of the same backend differ on this machine.
    #[arg(long, conflicts_with = "blocks")]
    aa: bool,
    #[command(flatten)]
    deciding: Deciding,
    /// Threads that a backend may use: numbers or `all`. One that has no option `threads` runs once, as it is.
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "1,all", value_parser = parse_threads)]
    threads: Vec<u32>,
    /// Weights of the light models: the constant fill that they come with, or seeded random values.
    #[arg(long, value_enum, default_value_t = WeightsOption::Random)]
    weights: WeightsOption,
    /// Turns of each backend, each in a process of its own; --against and --aa have as many as they need.
    #[arg(long, value_name = "N", default_value = "8", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    rounds: u32,
    /// Timed runs in each turn.
    #[arg(long, value_name = "N", default_value = "8", value_parser = clap::value_parser!(u32).range(1..=20_000))]
    samples: u32,
    /// Runs before them that are not counted, after those that a backend needs until its runs do not get shorter.
    #[arg(long, value_name = "N", default_value = "2", value_parser = clap::value_parser!(u32).range(0..=20_000))]
    warmup: u32,
    /// Give each backend all its turns at once, with a pause before the next, instead of one turn in each round.
    #[arg(long)]
    blocks: bool,
    /// Whether idle threads of backends spin instead of sleeping, which takes time from whoever runs next.
    #[arg(long, value_enum, default_value_t = Switch::Off)]
    spinning: Switch,
    /// Where random weights, inputs and the order of turns come from.
    #[arg(long, value_name = "N", default_value = "0")]
    seed: u64,
    /// Seconds that one load, run or turn may take.
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = parse_seconds)]
    timeout: Duration,
    /// Seconds that the reference may take for all inputs of a model file; after that, outputs are compared with those of the first
    /// runs of the same backend.
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
    /// Models of the ONNX model zoo that `fetch --zoo hub` brought into the cache.
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

impl Bench {
    /// The backends as they were typed.
    pub(super) fn backend_texts(&self) -> &[String] {
        &self.backends
    }

    /// The old backend as it was typed, or a folder.
    pub(super) fn against_text(&self) -> Option<&String> {
        self.against.as_ref()
    }

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

    /// What is to be measured, and why some models cannot be.
    fn plan(
        &self,
        lock: &Lockfile,
        fetcher: &Fetcher,
        cancel: &Cancel,
    ) -> Result<(Plan, Vec<CliError>), CliError> {
        let paths = self.paths(fetcher)?;
        let (backends, missing) = self.backends(lock, fetcher)?;
        // The reference says what is right, so it gets what time and memory the others get.
        let reference = self.spec(REFERENCE, lock, fetcher)?;
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
            conduct: RunOptions {
                rounds: self.rounds,
                samples: self.samples,
                warmup: self.warmup,
                interleaved: !self.blocks,
                spinning: self.spinning == Switch::On,
                timeout: self.timeout,
            },
            task,
            // Nothing is judged here, so there are no cases whose verdict could be missing.
            started: started(release, 0),
        };
        Ok((plan, failed))
    }

    /// The model files that are named or selected, none for all light models.
    fn paths(&self, fetcher: &Fetcher) -> Result<Vec<PathBuf>, CliError> {
        match (self.models.is_empty(), self.zoo) {
            (false, _) => Ok(self.models.clone()),
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
        let Some(text) = &self.against else {
            return Ok(Task::Measure);
        };
        if self.backends.len() != 1 {
            return Err(CliError::Usage(
                "--against compares one backend with an old one: name it with --backend".to_owned(),
            ));
        }
        let folder = PathBuf::from(text);
        let old = match folder.is_dir() {
            true => Old::Saved(Box::new(saved(&folder, &self.out)?)),
            false => {
                let mut spec = self.spec(text, lock, fetcher)?;
                no_spinning(&spec)?;
                if backends.iter().any(|new| new.name == spec.name) {
                    spec.name = format!("{} (old)", spec.name);
                }
                Old::Worker(Box::new(spec))
            }
        };
        Ok(Task::Gate {
            old,
            design: self.deciding.design(),
        })
    }

    /// The workers of each backend, and the backends that have none.
    fn backends(
        &self,
        lock: &Lockfile,
        fetcher: &Fetcher,
    ) -> Result<(Vec<WorkerSpec>, Vec<Missing>), CliError> {
        let (specs, missing) = specs(&self.backends, |text| self.spec(text, lock, fetcher))?;
        specs.iter().try_for_each(no_spinning)?;
        Ok((specs, missing))
    }

    fn spec(&self, text: &str, lock: &Lockfile, fetcher: &Fetcher) -> Result<WorkerSpec, CliError> {
        let mut spec = backend::parse(text, lock, fetcher)?;
        spec.limits.memory = Some(self.memory.bytes());
        Ok(spec)
    }
}
