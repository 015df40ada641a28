//! `gate --latency`: compares a backend with a saved bench of this machine.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use harness_bench::gate::SavedRun;
use harness_bench::{Baseline, Plan, RunOptions, Task, ToMeasure, user_model};
use harness_fetch::{Fetcher, Lockfile};
use harness_investigate::inputs::Request;
use harness_investigate::runner::Runner;
use harness_investigate::subject;
use harness_worker::{BackendArg, Cancel, WorkerSpec};
use run_record::{LatencyRecord, ModelSource};

use super::models::light_cases;
use super::{Deciding, decide, measure, no_spinning, saved};
use crate::inputs::REFERENCE;
use crate::limits::Memory;
use crate::running::started;
use crate::selection::fetcher;
use crate::{CliError, Exit};

/// The time limit of one load, run or turn.
const TIMEOUT: Duration = Duration::from_secs(300);
/// The time limit of the reference for all inputs of a model.
const REFERENCE_TIME: Duration = Duration::from_secs(10);
/// The number of timed runs per turn, and of runs before them that are not counted.
const SAMPLES: u32 = 8;
const WARMUP: u32 = 2;

/// A gate of a backend with a saved bench as baseline.
pub(crate) struct LatencyGating<'g> {
    /// The backend as given on the command line.
    pub backend: &'g BackendArg,
    /// The folder of the bench.
    pub saved: &'g Path,
    /// The parameters of the gate.
    pub deciding: &'g Deciding,
    /// The memory limit of a worker.
    pub memory: Memory,
    /// The folder for the log and the reports.
    pub out: &'g Path,
}

impl LatencyGating<'_> {
    /// Repeats the measurements of the saved bench for the backend, and decides.
    pub fn execute(&self) -> Result<Exit, CliError> {
        let (lock, fetcher) = (Lockfile::embedded()?, fetcher()?);
        let cancel = Cancel::on_signals().map_err(CliError::Signals)?;
        let saved = saved(self.saved, self.out)?;
        let spec = self.spec(self.backend, &lock, &fetcher)?;
        no_spinning(&spec)?;
        let reference = self.spec(&BackendArg::installed(REFERENCE), &lock, &fetcher)?;
        let records = self.records(&saved, &spec.name)?;
        let first = records.first().copied().cloned().unwrap_or_default();
        let mut threads: Vec<u32> = records.iter().map(|record| record.threads).collect();
        threads.sort_unstable();
        threads.dedup();
        let seed = first.source.as_ref().map_or(0, |source| source.seed);
        let plan = Plan {
            models: self.models(&saved, &records, &reference, (&lock, &fetcher), &cancel)?,
            backends: vec![spec],
            missing: Vec::new(),
            reference,
            reference_budget: REFERENCE_TIME,
            threads,
            seed,
            options: RunOptions {
                rounds: 1,
                samples: SAMPLES,
                warmup: WARMUP,
                interleaved: true,
                spinning: first.spinning,
                timeout: TIMEOUT,
            },
            started: started(saved.report.started.release.clone(), 0),
            task: Task::Gate {
                old: Baseline::Saved(Box::new(saved)),
                design: self.deciding.design(),
            },
        };
        let report = measure(&plan, self.out, &cancel)?;
        Ok(decide(&report, &plan.task))
    }

    fn spec(&self, backend: &BackendArg, lock: &Lockfile, fetcher: &Fetcher) -> Result<WorkerSpec, CliError> {
        let mut spec = backend.spec(lock, fetcher)?;
        spec.limits.memory = self.memory.limit();
        Ok(spec)
    }

    /// The records of the backend in the saved bench; all records if it has only one backend.
    fn records<'s>(&self, saved: &'s SavedRun, name: &str) -> Result<Vec<&'s LatencyRecord>, CliError> {
        let single = saved.report.backends.len() == 1;
        let of_it = |record: &&LatencyRecord| single || record.backend == name;
        let records: Vec<&LatencyRecord> = saved.report.latencies.iter().filter(of_it).collect();
        if records.is_empty() {
            let names = saved
                .report
                .backends
                .iter()
                .map(|backend| backend.info.name.as_str());
            Err(CliError::Usage(format!(
                "`{}` has no latencies of backend `{name}`; it has latencies of {}",
                self.saved.display(),
                names.collect::<Vec<_>>().join(", ")
            )))
        } else {
            Ok(records)
        }
    }

    /// The models of the records, each once, with their inputs.
    fn models(
        &self,
        saved: &SavedRun,
        records: &[&LatencyRecord],
        reference: &WorkerSpec,
        (lock, fetcher): (&Lockfile, &Fetcher),
        cancel: &Cancel,
    ) -> Result<Vec<ToMeasure>, CliError> {
        let by_name: BTreeMap<&str, &LatencyRecord> = records
            .iter()
            .map(|record| (record.model.as_str(), *record))
            .collect();
        let mut models = Vec::new();
        let mut runner: Option<Runner> = None;
        for (name, record) in by_name {
            let source = record.source.as_ref().ok_or_else(|| {
                let folder = self.saved.display();
                CliError::Usage(format!(
                    "`{folder}` does not state the origin of model `{name}`: run `bench` again"
                ))
            })?;
            if source.sha256.is_empty() {
                let release = saved.report.started.release.parse();
                let release = release.map_err(|_| unknown_release(self.saved))?;
                let pattern = format!("*/light/test_{}", source.path);
                let cases = light_cases(&release, &[pattern], lock, fetcher)?.into_iter();
                let weights = record.weights;
                models.extend(cases.map(|files| ToMeasure::light(files, weights)));
                continue;
            }
            let runner = match &mut runner {
                Some(runner) => runner,
                none => none.insert(Runner::start(reference.clone(), cancel.clone(), TIMEOUT)?),
            };
            models.push(own(name, source, runner)?);
        }
        Ok(models)
    }
}

/// A model file with the inputs and the name of the record.
fn own(name: &str, source: &ModelSource, reference: &mut Runner) -> Result<ToMeasure, CliError> {
    let path = PathBuf::from(&source.path);
    let subject = subject::open(&path)?.next();
    let subject = subject.ok_or_else(|| CliError::Usage(format!("no model in `{}`", path.display())))??;
    let request = Request {
        inputs: source.inputs.clone(),
        dims: source.dims.clone(),
        shapes: source.shapes.clone(),
        seed: source.seed,
        is_timed: true,
        ..Request::default()
    };
    let mut model = user_model(&subject, &request, &[], reference)?;
    name.clone_into(&mut model.name);
    Ok(ToMeasure::User(Box::new(model)))
}

fn unknown_release(folder: &Path) -> CliError {
    CliError::Usage(format!(
        "`{}` does not state the release of its light models",
        folder.display()
    ))
}
