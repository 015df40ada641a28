//! Converts an observation to a record of the log.

use harness_compare::Comparison;
use harness_worker::Failure;
use reports::record::CaseRecord;

use crate::judge::{Judgement, judge, judge_unusable};
use crate::observe::{Event, Observation};

/// The record of a case that a worker was given.
pub fn judged(
    case: String,
    backend: &str,
    operators: Vec<String>,
    observed: Result<Observation, Failure>,
    attempts: u32,
) -> CaseRecord {
    let Judgement { verdict, reason } = judge(&observed);
    let (event, load_ns, run_ns, place) = match observed {
        Ok(seen) => (Some(seen.event), seen.load_ns, seen.run_ns, seen.place),
        Err(_) => (None, None, None, None),
    };
    let comparison = match event {
        Some(Event::Answered(comparison)) => Some(comparison),
        _ => None,
    };
    CaseRecord {
        case,
        also_in: Vec::new(),
        backend: backend.to_owned(),
        verdict,
        reason,
        operators,
        level: comparison.as_ref().and_then(Comparison::level),
        place,
        official: comparison.as_ref().map(|comparison| comparison.official),
        outputs: comparison.map_or_else(Vec::new, |comparison| comparison.outputs),
        load_ns,
        run_ns,
        attempts,
    }
}

/// The record of a case that cannot be read.
pub fn unusable(case: String, backend: &str, error: &dyn std::error::Error) -> CaseRecord {
    let Judgement { verdict, reason } = judge_unusable(error);
    CaseRecord {
        case,
        also_in: Vec::new(),
        backend: backend.to_owned(),
        verdict,
        reason,
        operators: Vec::new(),
        outputs: Vec::new(),
        load_ns: None,
        run_ns: None,
        official: None,
        level: None,
        place: None,
        attempts: 0,
    }
}
