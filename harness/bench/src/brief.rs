//! The latency of one backend on one model in a few seconds, for a ranking.

use std::sync::Arc;
use std::time::Duration;

use backend_api::Named;
use harness_investigate::subject as investigated;
use harness_worker::{Cancel, WorkerSpec};

use super::lane::Lane;
use super::plan::RunOptions;
use super::record::not_computed;
use super::series::Series;
use super::statistics::median;
use super::subject::Subject;

/// The maximum number of timed runs.
const RUNS: u32 = 20;

/// A latency, or why there is none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Latency {
    /// The median of a few runs in nanoseconds.
    Median(u64),
    /// The backend failed in a run, or its outputs may not have been computed from the inputs of the timed
    /// runs.
    Nothing {
        /// Why.
        reason: String,
    },
}

/// Measures a backend in one fresh process, by the rule of a bench: it gets no inputs when it loads the
/// model, inputs differ between runs, and times that are not those of computations are no latency. The
/// answer of the backend on `inputs` was judged before.
pub fn latency(
    subject: &investigated::Subject,
    inputs: Vec<Named>,
    spec: &WorkerSpec,
    timeout: Duration,
    cancel: &Cancel,
) -> Latency {
    let lane = Lane {
        spec: Arc::new(spec.clone()),
        threads: 0,
        version: String::new(),
    };
    let options = RunOptions {
        rounds: 1,
        samples: RUNS,
        warmup: 1,
        interleaved: false,
        spinning: true,
        timeout,
    };
    let subject = Subject::judged(subject, inputs);
    let mut series = Series::brief(&lane);
    series.turn(&subject, options, 0, cancel);
    match series
        .fault
        .clone()
        .or_else(|| not_computed(Some(&subject), &series))
    {
        Some(reason) => Latency::Nothing { reason },
        None => Latency::Median(median(&series.samples)),
    }
}
