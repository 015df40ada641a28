//! `bench`: how fast.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use harness_bench::{Plan, RunOptions, Team, conclusive, processors, run};
use harness_conformance::run::{Earlier, Missing, RunDirectory};
use harness_console::{look, note, outln, progress};
use harness_corpus::{CaseFiles, Corpus, CorpusError, Fetcher, Filter, Lockfile};
use harness_worker::backend;
use harness_worker::{Cancel, WorkerSpec};
use reports::record::{LatencyRecord, Release, Weights};
use reports::{Report, render, write_all};

use super::conformance::{parse_seconds, specs};
use super::limits::Memory;
use super::running::started;
use super::selection::fetcher;
use super::{CliError, Exit};

/// Measure latencies in isolated workers, check the outputs of what was timed, and write reports.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask bench\n  \
    cargo xtask bench --model resnet50 --model squeezenet --threads 1\n  \
    cargo xtask bench --backend ort --backend ort:optimization=basic --blocks --spinning on\n  \
    cargo xtask bench --backend ort --backend 'cmd:./my-worker --flag' --rounds 4 --samples 20\n\n\
    A median needs 11 timed runs, a 90th percentile 64, a 99th 662; with fewer it is left out.\n\n\
    Exit codes: 0 every series has a valid latency; 2 usage; 4 no model; 5 interrupted; 6 a backend is missing;\n\
    7 a series has too few samples, wrong outputs or none; 73 a report cannot be written.")]
pub struct Bench {
    /// Which collection of models.
    #[arg(long, value_enum, default_value_t = Zoo::Light)]
    zoo: Zoo,
    /// The ONNX release that the models come with.
    #[arg(long, value_name = "VERSION", default_value = "1.22.0")]
    release: Release,
    /// Only models whose id contains this word, or matches it as a glob if it has any of *?[{ (repeatable).
    #[arg(long = "model", value_name = "PATTERN")]
    models: Vec<String>,
    /// A backend, as `conformance` takes it (repeatable).
    #[arg(long = "backend", value_name = "BACKEND", default_values = backend::TIMED)]
    backends: Vec<String>,
    /// Threads that a backend may use: numbers or `all`. One that has no option `threads` runs once, as it is.
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "1,all", value_parser = parse_threads)]
    threads: Vec<u32>,
    /// Weights of the models: the constant fill that the light ones come with, or seeded random values.
    #[arg(long, value_enum, default_value_t = WeightsOption::Random)]
    weights: WeightsOption,
    /// Turns of each backend.
    #[arg(long, value_name = "N", default_value = "8", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    rounds: u32,
    /// Timed runs in each turn.
    #[arg(long, value_name = "N", default_value = "8", value_parser = clap::value_parser!(u32).range(1..=20_000))]
    samples: u32,
    /// Runs at the beginning of each turn that are not counted.
    #[arg(long, value_name = "N", default_value = "2", value_parser = clap::value_parser!(u32).range(0..=20_000))]
    warmup: u32,
    /// Give each backend all its turns at once, with a pause before the next, instead of one turn in each round.
    #[arg(long)]
    blocks: bool,
    /// Whether idle threads of backends spin instead of sleeping, which takes time from whoever runs next.
    #[arg(long, value_enum, default_value_t = Switch::Off)]
    spinning: Switch,
    /// Where random weights and inputs come from.
    #[arg(long, value_name = "N", default_value = "0")]
    seed: u64,
    /// Seconds that one load, run or turn may take.
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = parse_seconds)]
    timeout: Duration,
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

    pub(super) fn execute(self) -> Result<Exit, CliError> {
        let (lock, fetcher) = (Lockfile::embedded()?, fetcher()?);
        let plan = self.plan(&lock, &fetcher)?;
        let directory = RunDirectory::take(&self.out)?;
        let cancel = Cancel::on_signals().map_err(CliError::Signals)?;
        let team = Team::start(&plan, &cancel)?;
        let mut opened = directory.open_log(&team.started(&plan), Earlier::REPLACED)?;
        let report = run(&plan, team, &mut opened.log, &cancel, progress())?;
        let written = write_all(&report, &self.out);
        let table = render::latency_table(&report, look())?;
        outln(format_args!("{table}"))?;
        for file in written? {
            note(format_args!("wrote {}", file.display()));
        }
        Ok(decide(&report))
    }

    fn plan(&self, lock: &Lockfile, fetcher: &Fetcher) -> Result<Plan, CliError> {
        let (backends, missing) = self.backends(lock, fetcher)?;
        // The reference says what is right, so it gets what time and memory the others get.
        let reference = self.spec("reference", lock, fetcher)?;
        let mut threads = self.threads.clone();
        threads.sort_unstable();
        threads.dedup();
        Ok(Plan {
            cases: self.cases(lock, fetcher)?,
            backends,
            missing,
            reference,
            threads,
            weights: match self.weights {
                WeightsOption::Constant => Weights::Constant,
                WeightsOption::Random => Weights::Random,
            },
            seed: self.seed,
            conduct: RunOptions {
                rounds: self.rounds,
                samples: self.samples,
                warmup: self.warmup,
                interleaved: !self.blocks,
                spinning: self.spinning == Switch::On,
                timeout: self.timeout,
            },
            // Nothing is judged here, so there are no cases whose verdict could be missing.
            started: started(self.release.to_string(), 0),
        })
    }

    fn cases(&self, lock: &Lockfile, fetcher: &Fetcher) -> Result<Vec<CaseFiles>, CliError> {
        let Zoo::Light = self.zoo;
        light_cases(&self.release, &self.models, lock, fetcher)
    }

    /// The workers of each backend, and the backends that have none.
    fn backends(
        &self,
        lock: &Lockfile,
        fetcher: &Fetcher,
    ) -> Result<(Vec<WorkerSpec>, Vec<Missing>), CliError> {
        let (specs, missing) = specs(&self.backends, |text| self.spec(text, lock, fetcher))?;
        match specs.iter().find(|spec| spec.options.contains_key("spinning")) {
            None => Ok((specs, missing)),
            Some(spec) => Err(CliError::Usage(format!(
                "backend `{}`: spinning is one rule for all backends here; use --spinning",
                spec.name
            ))),
        }
    }

    fn spec(&self, text: &str, lock: &Lockfile, fetcher: &Fetcher) -> Result<WorkerSpec, CliError> {
        let mut spec = backend::parse(text, lock, fetcher)?;
        spec.limits.memory = Some(self.memory.bytes());
        Ok(spec)
    }
}

/// The light models of a release that `patterns` select, at least one.
pub(super) fn light_cases(
    release: &Release,
    patterns: &[String],
    lock: &Lockfile,
    fetcher: &Fetcher,
) -> Result<Vec<CaseFiles>, CliError> {
    let corpus = Corpus::pinned(&release.corpus(), lock, fetcher)?;
    let mut cases = Filter::new(patterns)
        .map_err(CorpusError::from)?
        .select(&[corpus])?
        .cases;
    cases.retain(|case| case.id.suite() == "light");
    if cases.is_empty() {
        let patterns = format!("{} among the light models", patterns.join(", "));
        return Err(CorpusError::NoCaseSelected { patterns }.into());
    }
    Ok(cases)
}

/// Says on stderr which series prove nothing.
fn decide(report: &Report) -> Exit {
    let mut exit = Exit::Passed;
    for record in &report.latencies {
        if let Some(problem) = problem(record) {
            let LatencyRecord {
                model,
                backend,
                threads,
                ..
            } = record;
            note(format_args!(
                "inconclusive: {model}, {backend}, {threads} threads: {problem}"
            ));
            exit = Exit::Inconclusive;
        }
    }
    match (
        report.complete,
        report.missing.is_empty(),
        report.latencies.is_empty(),
    ) {
        (false, ..) => Exit::Incomplete,
        (true, false, _) => Exit::BackendMissing,
        (true, true, true) => Exit::Inconclusive,
        (true, true, false) => exit,
    }
}

fn problem(record: &LatencyRecord) -> Option<String> {
    if record.valid_median_ns().is_none() {
        return Some(record.reason.clone());
    }
    let few = !conclusive(record.samples);
    few.then(|| format!("{} timed runs are too few to state a median", record.samples))
}
