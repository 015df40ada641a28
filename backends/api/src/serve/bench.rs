//! Repeated, measured runs of one model.

use std::time::Instant;

use crate::protocol::Benched;
use crate::{BackendError, Named, Session};

/// The nanoseconds since `start`.
pub(super) fn nanoseconds_since(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// Runs the warm-up, then the measured runs. Both start with the first set of inputs and cycle through all.
/// Without a set, nothing runs. The measured time includes only the run: outputs are dropped after the clock
/// is read.
pub(super) fn bench(
    session: &mut dyn Session,
    warmup: u32,
    iterations: u32,
    sets: &[Vec<Named>],
) -> Result<Benched, BackendError> {
    let mut warmup_nanoseconds = Vec::new();
    for inputs in sets.iter().cycle().take(warmup as usize) {
        warmup_nanoseconds.push(measured(session, inputs)?.0);
    }
    let mut nanoseconds = Vec::new();
    let (mut first, mut last) = (None, Vec::new());
    for inputs in sets.iter().cycle().take(iterations as usize) {
        let (elapsed, outputs) = measured(session, inputs)?;
        nanoseconds.push(elapsed);
        match first {
            None => first = Some(outputs),
            Some(_) => last = outputs,
        }
    }
    let first = first.unwrap_or_default();
    if nanoseconds.len() == 1 {
        last.clone_from(&first);
    }
    Ok(Benched {
        warmup_nanoseconds,
        nanoseconds,
        first,
        last,
    })
}

/// Runs once and returns the outputs and the time in nanoseconds.
pub(super) fn measured(
    session: &mut dyn Session,
    inputs: &[Named],
) -> Result<(u64, Vec<Named>), BackendError> {
    let start = Instant::now();
    let outputs = session.run(inputs);
    let elapsed = nanoseconds_since(start);
    outputs.map(|outputs| (elapsed, outputs))
}
