//! Runs with random rounding.

use std::time::{Duration, Instant};

use backend_api::protocol::Load;
use backend_api::{BackendError, Named};
use harness_compare::leaves;
use harness_worker::{Declined, Worker, WorkerExit};

use crate::noise::{SetSpreads, Spread};

/// Runs a model `count` times on each set of inputs. Returns the spread of its outputs for each, or why the
/// worker declines. The load and each run may take `timeout`.
///
/// # Errors
/// The worker's exit.
pub fn runs(
    worker: &mut Worker,
    model: Load,
    sets: &[&[Named]],
    count: u32,
    timeout: Duration,
) -> Result<Vec<Result<SetSpreads, String>>, WorkerExit> {
    let deadline = || Instant::now() + timeout;
    let loaded = match worker.load(model, deadline())? {
        Ok(loaded) => loaded,
        Err(refusal) => return Ok(vec![Err(message(&refusal)); sets.len()]),
    };
    let mut found = Vec::with_capacity(sets.len());
    for inputs in sets {
        let mut spreads = Ok(SetSpreads::new());
        for _ in 0..count {
            match (
                &mut spreads,
                worker.run(loaded.session, inputs.to_vec(), deadline())?,
            ) {
                (Ok(spreads), Ok(ran)) => {
                    for (name, tensor) in leaves(&ran.outputs) {
                        if let Some(run) = Spread::of(&tensor) {
                            add(spreads, name, &run);
                        }
                    }
                }
                (_, Err(refusal)) => {
                    spreads = Err(message(&refusal));
                    break;
                }
                (Err(_), Ok(_)) => break,
            }
        }
        found.push(spreads);
    }
    let _ = worker.unload(loaded.session, deadline())?;
    Ok(found)
}

/// The message without the phase, which is that of these runs.
fn message(refusal: &Declined) -> String {
    match refusal {
        Declined::Backend(BackendError::Load { message } | BackendError::Run { message }) => message.clone(),
        other => other.to_string(),
    }
}

/// Merges runs of the output `name`. An output that changed its shape has no spread.
pub fn add(spreads: &mut SetSpreads, name: String, runs: &Spread) {
    let joined = match spreads.remove(&name) {
        Some(known) => known.join(runs),
        None => Some(runs.clone()),
    };
    if let Some(joined) = joined {
        spreads.insert(name, joined);
    }
}
