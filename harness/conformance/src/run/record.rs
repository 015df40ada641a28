//! Converts an observation to a record of the log.

use harness_compare::Comparison;
use harness_worker::Failure;
use run_record::{CaseRecord, DataSetResult};

use crate::judge::{Judgement, judge, judge_event, judge_unusable};
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
    let seen = observed.ok();
    let comparison = match seen.as_ref().map(|seen| &seen.event) {
        Some(Event::Answered(comparison)) => Some(comparison),
        Some(Event::Declined { .. } | Event::Differed { .. }) | None => None,
    };
    CaseRecord {
        case,
        also_in: Vec::new(),
        backend: backend.to_owned(),
        verdict,
        reason,
        operators,
        level: comparison.and_then(Comparison::level),
        official: comparison.map(|comparison| comparison.official),
        outputs: comparison.map_or_else(Vec::new, |comparison| comparison.outputs.clone()),
        load_ns: seen.as_ref().and_then(|seen| seen.load_ns),
        run_ns: seen.as_ref().and_then(|seen| seen.run_ns),
        peak_bytes: seen.as_ref().and_then(|seen| seen.peak_bytes),
        place: seen.as_ref().and_then(|seen| seen.place.clone()),
        data_sets: seen.map_or_else(Vec::new, |seen| seen.data_sets.iter().map(data_set).collect()),
        attempts,
    }
}

/// The record of one data set.
fn data_set((name, event): &(String, Event)) -> DataSetResult {
    let Judgement { verdict, reason } = judge_event(event);
    DataSetResult {
        name: name.clone(),
        verdict,
        reason,
        outputs: match event {
            Event::Answered(comparison) => comparison.outputs.len(),
            Event::Declined { .. } | Event::Differed { .. } => 0,
        },
    }
}

/// The record of a case that cannot be read.
pub fn unusable(case: String, backend: &str, error: &dyn std::error::Error) -> CaseRecord {
    let Judgement { verdict, reason } = judge_unusable(error);
    CaseRecord {
        case,
        backend: backend.to_owned(),
        verdict,
        reason,
        ..CaseRecord::default()
    }
}
