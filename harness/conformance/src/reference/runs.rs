//! Runs with random rounding.

use std::time::{Duration, Instant};

use backend_api::protocol::Load;
use backend_api::{BackendError, Named};
use harness_compare::leaves;
use harness_worker::{Declined, Worker, WorkerExit};

use crate::noise::{SetSpreads, Spread};

/// Why there are no runs with random rounding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Lost {
    /// The reference declines the model or its inputs.
    Refused(String),
    /// It did not finish.
    Unfinished(String),
}

impl Lost {
    /// The reason, and what helps.
    pub(crate) fn reason(self) -> String {
        match self {
            Lost::Refused(reason) => reason,
            Lost::Unfinished(reason) => format!("{reason}; give it more time (--timeout)"),
        }
    }
}

/// Runs a model `count` times on `inputs`. Returns the spread of its outputs, or why the worker declines all
/// runs: random rounding may move an index out of its range in some. The load and each run may take
/// `timeout`.
///
/// # Errors
/// The worker's exit.
pub(super) fn runs(
    worker: &mut Worker,
    model: Load,
    inputs: &[Named],
    count: u32,
    timeout: Duration,
) -> Result<Result<SetSpreads, String>, WorkerExit> {
    let deadline = || Instant::now() + timeout;
    let loaded = match worker.load(model, deadline())? {
        Ok(loaded) => loaded,
        Err(refusal) => return Ok(Err(message(&refusal))),
    };
    let (mut all, mut refused) = (None, None);
    for _ in 0..count {
        match worker.run(loaded.session, inputs.to_vec(), deadline())? {
            Ok(ran) => join(all.get_or_insert_default(), spreads(&ran.outputs)),
            Err(refusal) => refused = Some(message(&refusal)),
        }
    }
    let _ = worker.unload(loaded.session, deadline())?;
    Ok(match (all, refused) {
        (None, Some(refusal)) => Err(refusal),
        (all, _) => Ok(all.unwrap_or_default()),
    })
}

/// The spreads of one run.
pub(crate) fn spreads(outputs: &[Named]) -> SetSpreads {
    let leaves = leaves(outputs).into_iter();
    leaves
        .filter_map(|(name, tensor)| Some((name, Spread::of(&tensor)?)))
        .collect()
}

/// The message without the phase, which is that of these runs.
fn message(refusal: &Declined) -> String {
    match refusal {
        Declined::Backend(BackendError::Load { message } | BackendError::Run { message }) => message.clone(),
        other => other.to_string(),
    }
}

/// Merges further runs. An output that changed its shape has no spread.
pub(crate) fn join(spreads: &mut SetSpreads, runs: SetSpreads) {
    for (name, further) in runs {
        let joined = match spreads.remove(&name) {
            Some(known) => known.join(&further),
            None => Some(further),
        };
        if let Some(joined) = joined {
            spreads.insert(name, joined);
        }
    }
}
