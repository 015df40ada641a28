//! Converts measured series to records.

use reports::record::LatencyRecord;

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
    let varies = subject.is_none_or(|subject| subject.ring.varies());
    let caching = match (varies, series.samples.is_empty()) {
        (_, true) => String::new(),
        (false, false) => NOT_VARIED.to_owned(),
        (true, false) => {
            let first = subject.and_then(|subject| subject.ring.sets.first());
            let copy_ns = first.and_then(|inputs| caching::copy_cost(inputs));
            caching::judge(&series.pairs, summary.median_ns, copy_ns)
                .map(|caching| caching.to_string())
                .unwrap_or_default()
        }
    };
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
