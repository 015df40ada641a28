//! The backends of a bench, each of which has answered its handshake, and the reference.

use harness_conformance::run::{Missing, RunError};
use harness_console::note;
use harness_worker::{Cancel, WorkerSpec};
use reports::record::{BackendInfo, RunStarted};

use super::gate::SavedError;
use super::lane::{self, Lane};
use super::oracle::Oracle;
use super::plan::{Old, Plan, Task};

/// The backends of a bench, each of which has answered its handshake, and the reference.
pub struct Team {
    pub(super) infos: Vec<BackendInfo>,
    pub(super) lanes: Vec<Lane>,
    /// Lanes of the old backend, where there is one.
    pub(super) old: Vec<Lane>,
    missing: Vec<Missing>,
    pub(super) oracle: Oracle,
}

impl Team {
    /// Starts a worker of each backend. A backend that does not start is left out, with a line on stderr.
    ///
    /// # Errors
    /// An option that a backend does not know, an interruption, a reference or an old backend that does not start, or no
    /// backend at all.
    pub fn start(plan: &Plan, cancel: &Cancel) -> Result<Team, RunError> {
        let (mut infos, mut lanes) = (Vec::new(), Vec::new());
        let mut missing = plan.missing.clone();
        let ask = |spec: &WorkerSpec| lane::of_backend(spec, &plan.threads, plan.conduct.spinning, cancel);
        for spec in &plan.backends {
            match ask(spec) {
                Ok((info, of_backend)) => {
                    infos.push(info);
                    lanes.extend(of_backend);
                }
                Err(error) if error.is_cancelled() || error.is_option() => return Err(error.into()),
                Err(error) => missing.push(Missing {
                    name: spec.name.clone(),
                    reason: error.to_string(),
                }),
            }
        }
        for Missing { reason, .. } in &missing {
            note(format_args!("error: {reason}"));
        }
        if lanes.is_empty() {
            return Err(RunError::NoBackend);
        }
        let mut old = Vec::new();
        if let Task::Gate {
            old: Old::Worker(spec),
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
            oracle: Oracle::start(plan.reference.clone(), cancel.clone(), plan.conduct.timeout)?,
        })
    }

    /// Whether a saved run has a series for each that is about to be measured.
    ///
    /// # Errors
    /// The first series that it has not, or that is one of another model.
    pub fn check_saved(&self, plan: &Plan) -> Result<(), SavedError> {
        if let Task::Gate {
            old: Old::Saved(saved),
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

    /// What stands at the head of the log.
    pub fn started(&self, plan: &Plan) -> RunStarted {
        RunStarted {
            missing: Missing::reasons(&self.missing),
            ..plan.started.clone()
        }
    }
}
