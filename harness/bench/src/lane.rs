//! A backend at one thread count.

use std::sync::Arc;
use std::time::Instant;

use harness_worker::{Cancel, StartError, Worker, WorkerSpec};
use run_record::BackendInfo;

/// The options of backends for the thread count, and for whether idle threads spin.
const THREADS: &str = "threads";
const SPINNING: &str = "spinning";

/// A backend at one thread count.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    /// The worker, with an option for the thread count if the backend has one.
    pub spec: Arc<WorkerSpec>,
    /// The thread count of the option, or the number of processors if the backend has no such option.
    pub threads: u32,
    /// The version of the runtime.
    pub version: String,
}

impl Lane {
    /// A copy of the lane under another name.
    pub fn duplicate(&self) -> Lane {
        let mut spec = (*self.spec).clone();
        spec.name = format!("{} (again)", spec.name);
        Lane {
            spec: Arc::new(spec),
            ..self.clone()
        }
    }
}

/// Asks a backend for its options and makes a lane for each of `threads`. A backend without an option
/// for threads, or for which the option is given, has one lane.
pub(super) fn of_backend(
    spec: &WorkerSpec,
    threads: &[u32],
    spinning: bool,
    cancel: &Cancel,
) -> Result<(BackendInfo, Vec<Lane>), StartError> {
    let mut worker = Worker::start(Arc::new(spec.clone()), cancel.clone())?;
    let deadline = Instant::now() + spec.limits.start;
    // A worker that does not answer gets no options; other faults are reported by the measurement.
    let known = match worker.capabilities(deadline) {
        Ok(Ok(capabilities)) => capabilities.options,
        Ok(Err(_)) | Err(_) => Default::default(),
    };
    let description = worker.description().clone();
    let mut spec = spec.clone();
    if known.contains_key(SPINNING) {
        let value = if spinning { "on" } else { "off" };
        spec.options.insert(SPINNING.to_owned(), value.to_owned());
    }
    let lane = |threads: u32, spec: WorkerSpec| Lane {
        spec: Arc::new(spec),
        threads,
        version: description.version.clone(),
    };
    let given = spec.options.get(THREADS).and_then(|text| text.parse().ok());
    let lanes = match given {
        Some(given) => vec![lane(given, spec.clone())],
        None if known.contains_key(THREADS) => {
            let told = |&threads: &u32| {
                let mut spec = spec.clone();
                spec.options.insert(THREADS.to_owned(), threads.to_string());
                lane(threads, spec)
            };
            threads.iter().map(told).collect()
        }
        None => vec![lane(processors(), spec.clone())],
    };
    let mut options = description.options;
    options.extend(spec.options.clone());
    // The records state the thread count of each series.
    options.remove(THREADS);
    let info = BackendInfo {
        name: spec.name.clone(),
        kind: description.name,
        version: description.version.clone(),
        build: description.build,
        options,
        providers: Vec::new(),
    };
    Ok((info, lanes))
}

/// The number of hardware threads available to this process.
pub fn processors() -> u32 {
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    u32::try_from(count).unwrap_or(u32::MAX)
}
