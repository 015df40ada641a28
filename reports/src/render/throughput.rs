//! Throughput for the page and the terminal: samples per second of each network at each batch size and
//! thread count, with the speed-up by threads.

use std::collections::BTreeMap;

use run_record::Report;
use run_record::scaling::{network, scaled, scales};
use run_record::text;
use run_record::{LatencyRecord, Weights};

/// The columns before those of the backends.
pub(super) const COLUMNS: [&str; 3] = ["network", "batch", "threads"];

/// What the figures of a cell are.
pub(super) const ABOUT: &str = "samples per second; with several threads the speed-up over one and, in parentheses, the efficiency: the \
     speed-up divided by the number of threads";

/// The throughputs of a report.
pub(super) struct Throughput {
    pub backends: Vec<String>,
    pub rows: Vec<Row>,
}

/// One network at one batch size and thread count.
pub(super) struct Row {
    pub network: String,
    pub batch: u64,
    pub threads: u32,
    /// `512  1.85× (93 %)` for each backend; empty if there is no valid latency.
    pub cells: Vec<String>,
}

/// The throughputs; `None` if no network was measured at several batch sizes or thread counts.
pub(super) fn throughput(report: &Report) -> Option<Throughput> {
    if !scales(report) {
        return None;
    }
    let known = |record: &&LatencyRecord| record.samples_per_second().is_some();
    let records: Vec<&LatencyRecord> = report.latencies.iter().filter(known).collect();
    let infos = report.backends.iter().map(|backend| &backend.info.name);
    let backends: Vec<&String> = infos
        .filter(|name| records.iter().any(|record| record.backend == **name))
        .collect();
    let mut rows: BTreeMap<(&str, Weights, u64, u32), Vec<String>> = BTreeMap::new();
    for record in records {
        let Some(place) = backends.iter().position(|name| **name == record.backend) else {
            continue;
        };
        let key = (
            network(record),
            record.weights,
            record.batch.unwrap_or_default(),
            record.threads,
        );
        let cells = rows
            .entry(key)
            .or_insert_with(|| vec![String::new(); backends.len()]);
        if let Some(cell) = cells.get_mut(place) {
            *cell = words(report, record);
        }
    }
    let row = |((network, _, batch, threads), cells): ((&str, Weights, u64, u32), Vec<String>)| Row {
        network: network.to_owned(),
        batch,
        threads,
        cells,
    };
    Some(Throughput {
        backends: backends.into_iter().cloned().collect(),
        rows: rows.into_iter().map(row).collect(),
    })
}

fn words(report: &Report, record: &LatencyRecord) -> String {
    let rate = record
        .samples_per_second()
        .map(text::multiple)
        .unwrap_or_default();
    match scaled(report, record) {
        Some(scaled) => {
            let percent = 100.0 * scaled.efficiency;
            format!("{rate}  {:.2}× ({percent:.0} %)", scaled.speed_up)
        }
        None => rate,
    }
}
