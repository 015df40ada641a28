//! Starts the workers of a run before any work, so that a failure to start is reported early.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::thread;

use harness_console::note;
use harness_corpus::readings::Readings;
use harness_worker::{Cancel, Pool, StartError, WorkerSpec};
use run_record::BackendInfo;

use super::{NoisePlan, Plan, RunError, readings};

/// A backend without a worker.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MissingBackend {
    /// Its name in reports.
    pub name: String,
    /// Why it has no worker.
    pub reason: String,
}

impl MissingBackend {
    /// The reasons by the names of the backends, for the log's start event.
    pub fn reasons(all: &[MissingBackend]) -> BTreeMap<String, String> {
        all.iter()
            .map(|one| (one.name.clone(), one.reason.clone()))
            .collect()
    }
}

/// The backends of a plan, each with a worker after its handshake.
#[derive(Debug)]
pub struct Participants {
    /// In the order of the plan.
    pub(super) pools: Vec<(WorkerSpec, Pool)>,
    /// Backends that did not start, and those of the plan.
    pub(super) missing: Vec<MissingBackend>,
    /// The reference for the bounds and the noise, if one of them is requested.
    pub(super) reference: Option<Pool>,
}

impl Participants {
    /// Starts a worker of each backend, in parallel. A backend that does not start is omitted, with a
    /// line on stderr. The reference is also started, and ended, with every option that a later phase
    /// gives it: a reference that is too old for one of them is an error before an earlier log is
    /// replaced.
    ///
    /// # Errors
    /// A backend does not know an option, the reference does not start, no backend starts, or the
    /// command is interrupted.
    pub fn start(plan: &Plan, cancel: &Cancel) -> Result<Participants, RunError> {
        let noise = plan.noise.as_ref().map(|noise| &noise.reference);
        let reference = plan.reference.as_ref().or(noise);
        let later = later_specs(plan)?;
        let specs: Vec<&WorkerSpec> = plan.backends.iter().chain(reference).chain(&later).collect();
        let mut started = start_all(&specs, plan.workers, cancel);
        for later in started.split_off(specs.len() - later.len()) {
            drop(later?);
        }
        let reference = if reference.is_some() {
            started.pop().transpose()?
        } else {
            None
        };
        let mut participants = Participants {
            pools: Vec::new(),
            missing: plan.missing.clone(),
            reference,
        };
        for (spec, pool) in plan.backends.iter().zip(started) {
            match pool {
                Ok(pool) => participants.pools.push((spec.clone(), pool)),
                Err(error) if error.is_cancelled() || error.is_option() => return Err(error.into()),
                Err(error) => participants.missing.push(MissingBackend {
                    name: spec.name.clone(),
                    reason: error.to_string(),
                }),
            }
        }
        for MissingBackend { reason, .. } in &participants.missing {
            note(format_args!("error: {reason}"));
        }
        if participants.pools.is_empty() {
            Err(RunError::NoBackend)
        } else {
            Ok(participants)
        }
    }

    /// The names of all backends of the plan, including missing ones, sorted.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let started = self.pools.iter().map(|(spec, _)| spec.name.as_str());
        let missing = self.missing.iter().map(|missing| missing.name.as_str());
        let mut names: Vec<&str> = started.chain(missing).collect();
        names.sort_unstable();
        names.into_iter()
    }

    /// The description of each backend.
    pub(super) fn infos(&self) -> impl Iterator<Item = (&WorkerSpec, BackendInfo)> {
        self.pools.iter().map(|(spec, pool)| (spec, info(spec, pool)))
    }
}

/// The reference with the options that the phases `readings` and `noise` add.
fn later_specs(plan: &Plan) -> Result<Vec<WorkerSpec>, RunError> {
    let mut specs = match &plan.reference {
        Some(reference) => readings::covering_specs(reference, &Readings::embedded()?),
        None => Vec::new(),
    };
    specs.extend(plan.noise.as_ref().map(NoisePlan::noisy));
    Ok(specs)
}

fn start_all(specs: &[&WorkerSpec], size: NonZeroUsize, cancel: &Cancel) -> Vec<Result<Pool, StartError>> {
    thread::scope(|scope| {
        let starts: Vec<_> = specs
            .iter()
            .map(|spec| scope.spawn(|| Pool::start((*spec).clone(), size, cancel.clone())))
            .collect();
        let joined = starts.into_iter().map(|start| match start.join() {
            Ok(started) => started,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.collect()
    })
}

/// The description of a backend with its name in reports.
pub(super) fn info(spec: &WorkerSpec, pool: &Pool) -> BackendInfo {
    let description = pool.description();
    BackendInfo {
        name: spec.name.clone(),
        kind: description.name.clone(),
        version: description.version.clone(),
        build: description.build.clone(),
        options: description.options.clone(),
        providers: Vec::from_iter(Some(description.provider.clone()).filter(|name| !name.is_empty())),
    }
}
