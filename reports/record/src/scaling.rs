//! How latencies scale: the throughput at each batch size, and the speed-up with more threads.

use crate::LatencyRecord;
use crate::Report;

/// The speed-up of a series over the series with one thread.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Scaled {
    /// The latency with one thread divided by this one.
    pub speed_up: f64,
    /// The speed-up divided by the number of threads; 1 is perfect.
    pub efficiency: f64,
}

/// The speed-up of `record`; `None` for one thread, and if either latency is not valid or was not measured.
pub fn scaled(report: &Report, record: &LatencyRecord) -> Option<Scaled> {
    let alike = |other: &&LatencyRecord| {
        other.threads == 1
            && other.model == record.model
            && other.backend == record.backend
            && other.weights == record.weights
    };
    let own = record
        .valid_median_ns()
        .filter(|ns| record.threads > 1 && *ns > 0)?;
    let one = report.latencies.iter().find(alike)?.valid_median_ns()?;
    let speed_up = one as f64 / own as f64;
    Some(Scaled {
        speed_up,
        efficiency: speed_up / f64::from(record.threads),
    })
}

/// The name of the network of `record` without extents. Logs of earlier versions have only the model's name.
pub fn network(record: &LatencyRecord) -> &str {
    if record.network.is_empty() {
        &record.model
    } else {
        &record.network
    }
}

/// Whether any network was measured at several batch sizes or thread counts.
pub fn scales(report: &Report) -> bool {
    let point = |record: &LatencyRecord| (record.batch, record.threads);
    report.latencies.iter().any(|record| {
        let same = |other: &&LatencyRecord| {
            network(other) == network(record)
                && other.backend == record.backend
                && other.weights == record.weights
        };
        let batched = record.batch.is_some() && record.valid_median_ns().is_some();
        batched
            && report
                .latencies
                .iter()
                .filter(same)
                .any(|other| point(other) != point(record))
    })
}
