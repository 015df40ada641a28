//! Checks whether a worker follows the protocol; no conformance case covers this.
//!
//! A conformance run judges what a backend computes. This module judges its communication: every element
//! type is transferred bit for bit in both directions, an invalid request gives a typed error and does
//! not end the process, sessions are independent, memory is released. The models are small (mostly one
//! Identity), so that little of the runtime is needed. If a backend declines a request as *unsupported*,
//! this is not a fault.
//!
//! - [`verify`]: all checks, in order. [`Finding`]: the result of one.
//! - `elements`: element types and shapes. `values`: sequences, optionals, maps, sparse tensors.
//!   `mistakes`: invalid requests. `sessions`: several models, memory, time, the end of the process.
//!   `store`: models that are named by their digests.

mod bench;
mod elements;
mod mistakes;
mod models;
mod sessions;
mod store;
mod values;

use harness_worker::{Cancel, StartError, WorkerSpec};
use schemars::JsonSchema;
use serde::Serialize;

use bench::Bench;

/// The result of a check.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(tag = "outcome", content = "reason", rename_all = "snake_case")]
pub enum Outcome {
    /// The worker follows the protocol.
    Passed,
    /// The backend declines a requirement of the check.
    Unsupported(String),
    /// The runtime does not load the model of the check, and the worker answers with a typed load error.
    /// No value was transferred, so that this says nothing about the worker. A conformance run counts an
    /// error.
    NotLoaded(String),
    /// The worker violates the protocol.
    Failed(String),
}

/// A check with its result.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct Finding {
    /// The group: `elements`.
    pub group: &'static str,
    /// The name of the check: `float16: special values`.
    pub check: String,
    /// The result.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// A check: its name and its function.
type Check = (String, Box<dyn Fn(&mut Bench) -> Outcome>);

/// A check with a fixed name.
fn check(name: &str, make: impl Fn(&mut Bench) -> Outcome + 'static) -> Check {
    (name.to_owned(), Box::new(make))
}

/// Runs every check on workers of `spec`, and reports each result.
///
/// # Errors
/// A worker does not start, or the command is interrupted. A worker that ends during a check is
/// restarted for the next.
pub fn verify(
    spec: WorkerSpec,
    cancel: &Cancel,
    mut tell: impl FnMut(&Finding),
) -> Result<Vec<Finding>, StartError> {
    let mut bench = Bench::start(spec, cancel.clone())?;
    let groups = [
        ("handshake", sessions::handshake()),
        ("elements", elements::checks()),
        ("values", values::checks()),
        ("mistakes", mistakes::checks()),
        ("sessions", sessions::checks()),
        ("store", store::checks()),
        ("process", sessions::process()),
    ];
    let mut findings = Vec::new();
    for (group, checks) in groups {
        for (check, make) in checks {
            bench.ensure()?;
            let finding = Finding {
                group,
                check,
                outcome: make(&mut bench),
            };
            tell(&finding);
            findings.push(finding);
        }
    }
    Ok(findings)
}
