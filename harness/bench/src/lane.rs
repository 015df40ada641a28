//! A backend at one thread count.

use std::sync::Arc;
use std::time::Instant;

use harness_worker::{Cancel, StartError, Worker, WorkerSpec};
use reports::record::BackendInfo;

/// The options by which backends are told how many threads to use, and whether they spin while idle.
const THREADS: &str = "threads";
const SPINNING: &str = "spinning";

/// A backend at one thread count.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    /// The worker, with options for the thread count where the backend has such.
    pub spec: Arc<WorkerSpec>,
    /// Threads it may use: as it was told, or all of the machine where it cannot be told.
    pub threads: u32,
    /// Version of the runtime.
    pub version: String,
}

impl Lane {
    /// The same once more, under another name.
    pub fn again(&self) -> Lane {
        let mut spec = (*self.spec).clone();
        spec.name = format!("{} (again)", spec.name);
        Lane {
            spec: Arc::new(spec),
            ..self.clone()
        }
    }
}

/// Asks a backend what it can be told, and makes a lane for each of `threads`. A backend without an option for it, and one
/// whose option is given already, has a single lane.
pub(super) fn of_backend(
    spec: &WorkerSpec,
    threads: &[u32],
    spinning: bool,
    cancel: &Cancel,
) -> Result<(BackendInfo, Vec<Lane>), StartError> {
    let mut worker = Worker::start(Arc::new(spec.clone()), cancel.clone())?;
    let deadline = Instant::now() + spec.limits.start;
    // A worker that does not answer this is one that cannot be told anything; what else is wrong shows when it is measured.
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
    // Each series has its own count, which the records state.
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

/// Hardware threads that this process may use.
pub fn processors() -> u32 {
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    u32::try_from(count).unwrap_or(u32::MAX)
}
