//! `profile`: measures how long backends take for each node of a model.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use harness_console::{info, look, note, outln};
use harness_fetch::{Fetcher, Lockfile};
use harness_investigate::runner::Runner;
use harness_investigate::survey::survey;
use harness_profile::{Request, add_survey, graph, peak, profile};
use harness_worker::{BackendArg, Cancel, WorkerSpec, backend};
use reports::render::{self, RenderError};
use run_record::graph::ModelGraph;
use run_record::profile::Profile as Profiled;
use run_record::{replace_in, replace_or_remove};

use super::inputs::first_inputs;
use super::inputs::{Inputs, REFERENCE};
use super::limits::Memory;
use super::locate::one;
use super::selection::fetcher;
use super::workers::{parse_seconds, specs};
use super::{CliError, Exit};

/// The option of backends for the thread count.
const THREADS: &str = "threads";

/// The backend that gives the shapes of values that the profiled backends do not report: it
/// runs every node as it is in the file.
const ORACLE: &str = "native:optimize=off";

/// Measure how long backends take for each node of a model, and how far each node is from the peak
/// of the machine.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask profile model.onnx\n  \
    cargo xtask profile model.onnx --backend native --backend ort --threads 2 --out profile\n  \
    cargo xtask profile bert.onnx --dim batch=1 --dim sequence=128 --top 30\n  \
    cargo xtask profile model.onnx --backend tract --check --out profile\n\n\
    Profiled runs include the cost of the measurement; `bench` measures latencies. The reference, native, ort and tract tell the times of \
    their steps; other workers do where they have the request `profile` of the protocol. docs/bench.md describes the method and the files.\n\n\
    Exit codes: 0 every backend gave a profile; 1 a backend gave none; 2 usage, a file that is not a model or does not fit; \
    4 no model; 5 interrupted; 6 a backend is missing; 73 a file cannot be written.")]
pub struct Profile {
    /// The model: a file, or the id of a test case (`onnx-1.23.2/node/test_abs`, `own/…`, `generated/…`).
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// A backend, as for `conformance` (repeatable).
    #[arg(long = "backend", value_name = "BACKEND", default_values = backend::TIMED)]
    backends: Vec<BackendArg>,
    #[command(flatten)]
    inputs: Inputs,
    /// The seed of generated inputs.
    #[arg(long, value_name = "N", default_value = "0")]
    seed: u64,
    /// The number of threads of each backend that has an option for it.
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: u32,
    /// The number of profiled runs.
    #[arg(long, value_name = "N", default_value = "20", value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,
    /// The number of nodes in the table of the longest nodes.
    #[arg(long, value_name = "N", default_value = "10")]
    top: usize,
    /// Also run every node alone on each backend and compare it with the reference: the graph then
    /// shows errors and what is not supported.
    #[arg(long, requires = "out")]
    check: bool,
    /// Do not measure the peak of the machine.
    #[arg(long)]
    no_peak: bool,
    /// The time limit of all runs of a backend, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = parse_seconds)]
    timeout: Duration,
    #[command(flatten)]
    memory: Memory,
    /// The folder for the table, the trace, the page and the pictures.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Profile {
    pub(super) fn execute(self) -> Result<Exit, CliError> {
        let subject = one(&self.model)?;
        let cancel = Cancel::on_signals().map_err(CliError::Signals)?;
        let (lock, fetcher) = (Lockfile::embedded()?, fetcher()?);
        let (specs, missing) = specs(&self.backends, |backend| self.spec(backend, &lock, &fetcher))?;
        for backend in &missing {
            note(format_args!("error: {}", backend.reason));
        }
        let start = |spec: WorkerSpec| Ok::<_, CliError>(Runner::start(spec, cancel.clone(), self.timeout)?);
        let mut reference = start(self.spec(&BackendArg::installed(REFERENCE), &lock, &fetcher)?)?;
        let inputs = first_inputs(&subject, &self.inputs, self.seed, &mut reference)?;
        let mut backends = Vec::new();
        for spec in specs {
            backends.push(self.threaded(spec, &cancel)?);
        }
        // The oracle may be missing; the reference then remains.
        let oracle = self
            .spec(&BackendArg::installed(ORACLE), &lock, &fetcher)
            .and_then(start);
        let mut oracles: Vec<Runner> = oracle.into_iter().chain([reference]).collect();
        let request = Request {
            subject: &subject,
            inputs,
            runs: self.runs,
            threads: self.threads,
            peak: (!self.no_peak).then(|| peak(self.threads)),
        };
        let profile = profile(&request, &mut backends, &mut oracles)?;
        let mut graph = graph(&profile, &subject);
        if self.check
            && let Some(reference) = oracles.last_mut()
        {
            let survey = survey(&subject.model, &request.inputs, reference, &mut backends)?;
            if !survey.stopped.is_empty() {
                note(format_args!(
                    "the reference gives no answer on the node after {} others: {}",
                    survey.nodes.len(),
                    survey.stopped
                ));
            }
            let names: Vec<String> = backends.iter().map(|backend| backend.name().to_owned()).collect();
            add_survey(&mut graph, &names, &survey);
        }
        let written = self.out.as_deref().map(|folder| write(&profile, &graph, folder));
        outln(format_args!(
            "{}",
            render::profile_text(&profile, self.top, look())
        ))?;
        for file in written.transpose()?.into_iter().flatten() {
            info(format_args!("wrote {}", file.display()));
        }
        let complete = profile.backends.iter().all(|backend| backend.problem.is_empty());
        Ok(match (missing.is_empty(), complete) {
            (false, _) => Exit::BackendMissing,
            (true, true) => Exit::Passed,
            (true, false) => Exit::Regression,
        })
    }

    fn spec(&self, backend: &BackendArg, lock: &Lockfile, fetcher: &Fetcher) -> Result<WorkerSpec, CliError> {
        let mut spec = backend.spec(lock, fetcher)?;
        spec.limits.memory = self.memory.limit();
        Ok(spec)
    }

    /// Starts a backend with the number of threads, if it has an option for it that is not given.
    fn threaded(&self, spec: WorkerSpec, cancel: &Cancel) -> Result<Runner, CliError> {
        let mut asked = Runner::start(spec.clone(), cancel.clone(), self.timeout)?;
        let known = asked.capabilities()?.options;
        if spec.options.contains_key(THREADS) || !known.contains_key(THREADS) {
            return Ok(asked);
        }
        let mut spec = spec;
        spec.options.insert(THREADS.to_owned(), self.threads.to_string());
        Ok(Runner::start(spec, cancel.clone(), self.timeout)?)
    }
}

type Renderer = fn(&Profiled) -> Result<String, RenderError>;
type Drawing = fn(&Profiled) -> Result<Option<String>, RenderError>;

/// The files of a profile, by name.
const FILES: [(&str, Renderer); 3] = [
    ("profile.csv", render::profile_csv),
    ("profile-trace.json", render::profile_trace),
    ("profile.html", render::profile_html),
];

/// The pictures of a profile, by name.
const PICTURES: [(&str, Drawing); 2] = [
    ("pictures/operator-time.svg", render::shares_svg),
    ("pictures/roofline.svg", render::roofline_svg),
];

fn write(profile: &Profiled, graph: &ModelGraph, folder: &Path) -> Result<Vec<PathBuf>, CliError> {
    let mut written = Vec::new();
    for (name, renderer) in FILES {
        written.push(replace_in(folder, name, renderer(profile)?.as_bytes())?);
    }
    for (name, drawing) in PICTURES {
        written.extend(replace_or_remove(
            folder,
            name,
            drawing(profile)?.as_deref().map(str::as_bytes),
        )?);
    }
    written.push(replace_in(
        folder,
        "graph.html",
        render::graph_html(graph)?.as_bytes(),
    )?);
    Ok(written)
}
