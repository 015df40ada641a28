//! The backends of a bench after their handshakes, and the reference.

use std::sync::Arc;

use harness_conformance::referee::{Effort, Referee};
use harness_conformance::run::{MissingBackend, RunError};
use harness_console::note;
use harness_worker::{Cancel, WorkerSpec};
use run_record::{BackendInfo, RunStarted};

use super::gate::SavedError;
use super::lane::{self, Lane};
use super::oracle::Oracle;
use super::plan::{Baseline, Plan, Task};

/// The backends of a bench after their handshakes, and the reference.
pub struct Team {
    pub(super) infos: Vec<BackendInfo>,
    pub(super) lanes: Vec<Lane>,
    /// Lanes of the old backend, if there is one.
    pub(super) old: Vec<Lane>,
    missing: Vec<MissingBackend>,
    pub(super) oracle: Oracle,
    pub(super) referee: Arc<Referee>,
}

impl Team {
    /// Starts a worker of each backend. A backend that does not start is omitted, with a line on stderr.
    ///
    /// # Errors
    /// A backend does not know an option, the command is interrupted, the reference or the old backend
    /// does not start, or no backend starts.
    pub fn start(plan: &Plan, cancel: &Cancel) -> Result<Team, RunError> {
        let (mut infos, mut lanes) = (Vec::new(), Vec::new());
        let mut missing = plan.missing.clone();
        let ask = |spec: &WorkerSpec| lane::of_backend(spec, &plan.threads, plan.options.spinning, cancel);
        for spec in &plan.backends {
            match ask(spec) {
                Ok((info, of_backend)) => {
                    infos.push(info);
                    lanes.extend(of_backend);
                }
                Err(error) if error.is_cancelled() || error.is_option() => return Err(error.into()),
                Err(error) => missing.push(MissingBackend {
                    name: spec.name.clone(),
                    reason: error.to_string(),
                }),
            }
        }
        for MissingBackend { reason, .. } in &missing {
            note(format_args!("error: {reason}"));
        }
        if lanes.is_empty() {
            return Err(RunError::NoBackend);
        }
        let mut old = Vec::new();
        if let Task::Gate {
            old: Baseline::Worker(spec),
            ..
        } = &plan.task
        {
            let (info, of_backend) = ask(spec)?;
            infos.push(info);
            old = of_backend;
        }
        lanes.sort_by_key(|lane| lane.threads);
        Ok(Team {
            infos,
            lanes,
            old,
            missing,
            oracle: Oracle::start(plan.reference.clone(), cancel.clone(), plan.options.timeout)?,
            referee: Arc::new(Referee::start(
                plan.reference.clone(),
                Effort::ADAPTIVE,
                cancel.clone(),
                plan.reference_budget,
            )?),
        })
    }

    /// Checks that a saved run has a series for each series to be measured.
    ///
    /// # Errors
    /// The first series that is missing or is of another model.
    pub fn check_saved(&self, plan: &Plan) -> Result<(), SavedError> {
        if let Task::Gate {
            old: Baseline::Saved(saved),
            ..
        } = &plan.task
        {
            for model in &plan.models {
                for lane in &self.lanes {
                    saved.series(model, &lane.spec.name, lane.threads)?;
                }
            }
        }
        Ok(())
    }

    /// The first event of the log.
    pub fn started(&self, plan: &Plan) -> RunStarted {
        RunStarted {
            missing: MissingBackend::reasons(&self.missing),
            ..plan.started.clone()
        }
    }
}
