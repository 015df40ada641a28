//! Investigations on backends with planted faults: the reference interpreter on a copy of the model with
//! one changed node.

mod as_given;
mod bodies;
mod inside;
mod networks;
mod planted;
mod reducing;
mod stepped;

use std::time::Duration;

use harness_investigate::runner::Runner;
use harness_worker::{Cancel, WorkerSpec};

/// A backend with a fault, `NODE:KIND`; without one it is the reference.
fn faulty(fault: &str) -> Runner {
    refusing(fault, None)
}

/// A backend with a fault that also refuses models.
fn refusing(fault: &str, refuses: Option<&str>) -> Runner {
    let mut spec = WorkerSpec::new("faulty", env!("CARGO_BIN_EXE_faulty-worker"));
    spec.options.insert("fault".to_owned(), fault.to_owned());
    let refuses = refuses.map(|what| ("refuses".to_owned(), what.to_owned()));
    spec.options.extend(refuses);
    Runner::start(spec, Cancel::default(), Duration::from_secs(20)).expect("a worker")
}
