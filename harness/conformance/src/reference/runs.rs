//! Runs with random rounding.

use std::time::{Duration, Instant};

use harness_compare::leaves;
use harness_worker::{Worker, WorkerExit};

use crate::case::Case;
use crate::noise::{SetSpreads, Spread};

/// Runs every data set of `case` `count` times. Returns the spread of its outputs for each; empty if the
/// worker declines. The load and each run may take `timeout`.
///
/// # Errors
/// The worker's exit.
pub fn runs(
    worker: &mut Worker,
    case: &Case,
    count: u32,
    timeout: Duration,
) -> Result<Vec<SetSpreads>, WorkerExit> {
    let deadline = || Instant::now() + timeout;
    let mut spreads = vec![SetSpreads::new(); case.data_sets.len()];
    let Some(first) = case.data_sets.first() else {
        return Ok(spreads);
    };
    let Ok(loaded) = worker.load(case.load_request(first, false), deadline())? else {
        return Ok(spreads);
    };
    for (set, spreads) in case.data_sets.iter().zip(&mut spreads) {
        for _ in 0..count {
            let Ok(ran) = worker.run(loaded.session, set.inputs.clone(), deadline())? else {
                spreads.clear();
                break;
            };
            for (name, tensor) in leaves(&ran.outputs) {
                if let Some(run) = Spread::of(&tensor) {
                    add(spreads, name, &run);
                }
            }
        }
    }
    let _ = worker.unload(loaded.session, deadline())?;
    Ok(spreads)
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
