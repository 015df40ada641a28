//! Does a worker speak the protocol? Checks of the protocol itself, which no conformance case makes.
//!
//! A conformance run judges what a backend computes. This module judges how its worker talks: that every element type travels to the bit
//! in both directions, that a mistake is a typed error and not the end of the process, that sessions are apart, that memory is given
//! back. The models are tiny (mostly one Identity), so that little of the runtime is needed. What a backend declines as *unsupported*
//! is no fault.
//!
//! - [`verify`]: all checks, in order. [`Finding`]: what one came to.
//! - `elements`: element types and shapes. `values`: sequences, optionals, maps, sparse tensors. `mistakes`: requests that cannot be
//!   answered. `sessions`: several models, memory, time, the end of the process.

mod bench;
mod elements;
mod mistakes;
mod models;
mod sessions;
mod values;

use harness_worker::{Cancel, StartError, WorkerSpec};
use serde::Serialize;

use bench::Bench;

/// What a check came to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "outcome", content = "reason", rename_all = "snake_case")]
pub enum Outcome {
    /// As the protocol says.
    Passed,
    /// The backend declines what the check needs.
    Unsupported(String),
    /// Not as the protocol says.
    Failed(String),
}

/// A check and what it came to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Finding {
    /// The group: `elements`.
    pub group: &'static str,
    /// What is checked: `float16: special values`.
    pub check: String,
    /// What it came to.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// A check: its name, and what makes it.
type Check = (String, Box<dyn Fn(&mut Bench) -> Outcome>);

/// A check with a fixed name.
fn check(name: &str, make: impl Fn(&mut Bench) -> Outcome + 'static) -> Check {
    (name.to_owned(), Box::new(make))
}

/// Makes every check on workers of `spec`, and tells each as it is made.
///
/// # Errors
/// A worker that does not start, or an interruption. A worker that dies during a check is started again for the next.
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
