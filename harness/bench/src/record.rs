//! Converts measured series to records.

use run_record::LatencyRecord;

use super::caching::{self, Pair};
use super::gate::paired_ratio;
use super::plan::Plan;
use super::series::Series;
use super::statistics::{median, summarize};
use super::subject::{Subject, ToMeasure};

/// Why caching could not be tested.
const NOT_VARIED: &str = "no input can be varied, so that the outputs may have been computed before the runs";

/// The record of a series; `subject` is `None` if the model could not be prepared.
pub(super) fn record(
    plan: &Plan,
    model: &ToMeasure,
    subject: Option<&Subject>,
    series: &Series,
) -> LatencyRecord {
    let summary = summarize(&series.samples);
    let caching = not_computed(subject, series).unwrap_or_default();
    LatencyRecord {
        model: model.name().to_owned(),
        network: model.network().to_owned(),
        backend: series.lane.spec.name.clone(),
        version: series.lane.version.clone(),
        threads: series.lane.threads,
        weights: model.weights(),
        interleaved: plan.options.interleaved,
        spinning: plan.options.spinning,
        rounds: series.round_ns.len() as u32,
        samples: series.samples.len() as u64,
        min_ns: summary.min_ns,
        median_ns: summary.median_ns,
        p90_ns: summary.p90_ns,
        p99_ns: summary.p99_ns,
        mean_ns: summary.mean_ns,
        load_ns: median(&series.load_ns),
        first_ns: median(&series.first_ns),
        peak_bytes: series.peak_bytes,
        outputs_ok: series.fault.is_none() && !series.samples.is_empty(),
        reason: series.fault.clone().unwrap_or_default(),
        caching,
        checked_by: subject.map(Subject::checked_by).unwrap_or_default(),
        round_ns: series.round_ns.clone(),
        repeated_ns: of_pairs(&series.pairs, |pair| Some(pair.repeated_ns)),
        fresh_ns: of_pairs(&series.pairs, |pair| pair.fresh_ns),
        batch: model.batch(),
        ratio: None,
        dims: model.dims(),
        source: Some(model.source(plan.seed)),
    }
}

/// Why the times of a series are no latency: its outputs may not have been computed from the inputs of the
/// timed runs. This is the one rule of every command that prints a latency. `None` if they were, or if
/// there are no times.
pub(super) fn not_computed(subject: Option<&Subject>, series: &Series) -> Option<String> {
    if series.samples.is_empty() {
        return None;
    }
    if subject.is_some_and(|subject| !subject.ring.varies()) {
        return Some(NOT_VARIED.to_owned());
    }
    let first = subject.and_then(|subject| subject.ring.sets.first());
    let copy_ns = first.and_then(|inputs| caching::copy_cost(inputs));
    let found = caching::judge(&series.pairs, median(&series.samples), copy_ns)?;
    Some(found.to_string())
}

/// Sets the ratio of each valid record to the fastest one, over the rounds that both have.
pub(super) fn compare_with_fastest(records: &mut [LatencyRecord]) {
    let valid = records.iter().filter(|record| record.valid_median_ns().is_some());
    let Some(fastest) = valid.min_by_key(|record| record.median_ns).cloned() else {
        return;
    };
    for record in records {
        if record.valid_median_ns().is_some() && record.backend != fastest.backend {
            record.ratio = paired_ratio(&record.round_ns, &fastest.round_ns);
        }
    }
}

fn of_pairs(pairs: &[Pair], time: impl Fn(&Pair) -> Option<u64>) -> Option<u64> {
    let times: Vec<u64> = pairs.iter().filter_map(time).collect();
    (!times.is_empty()).then(|| median(&times))
}
