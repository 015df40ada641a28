//! How many samples per second: by batch size, a panel for each network and thread count.

use std::collections::BTreeMap;

use super::axis::Axis;
use super::chart::{Chart, Curve, Join, svg};
use super::latency::{PANELS, place, valid};
use crate::render::RenderError;
use run_record::Report;
use run_record::scaling::network;
use run_record::text::{counted, multiple, thousands};

/// The samples per second of each backend, by batch size.
type Rates = BTreeMap<usize, BTreeMap<u64, f64>>;

/// Samples per second by batch size, a panel for each network with its threads and weights that was measured
/// at several batch sizes.
pub(super) fn throughput(report: &Report, legend: &[&str]) -> Result<Option<String>, RenderError> {
    let mut networks: BTreeMap<(String, u32), Rates> = BTreeMap::new();
    for record in valid(report) {
        if let (Some(series), Some(batch), Some(rate)) =
            (place(legend, record), record.batch, record.samples_per_second())
        {
            let name = format!("{}, {} weights", network(record), record.weights);
            let rates = networks.entry((name, record.threads)).or_default();
            rates.entry(series).or_default().insert(batch, rate);
        }
    }
    let charts: Vec<Chart> = networks
        .into_iter()
        .filter_map(|((name, threads), rates)| panel(&name, threads, &rates))
        .take(PANELS)
        .collect();
    if charts.is_empty() {
        return Ok(None);
    }
    svg(
        "Throughput by batch size, for each network and backend",
        legend,
        &charts,
    )
    .map(Some)
}

/// A panel; `None` if no backend has several batch sizes.
pub(super) fn panel(name: &str, threads: u32, rates: &Rates) -> Option<Chart> {
    if !rates.values().any(|points| points.len() > 1) {
        return None;
    }
    let curve = |(&series, points): (&usize, &BTreeMap<u64, f64>)| Curve {
        series,
        join: Join::Lines,
        points: points
            .iter()
            .map(|(batch, rate)| (*batch as f64, *rate))
            .collect(),
    };
    let curves: Vec<Curve> = rates.iter().map(curve).collect();
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let mut batches: Vec<f64> = points().map(|(batch, _)| *batch).collect();
    batches.sort_by(f64::total_cmp);
    batches.dedup();
    let rates: Vec<f64> = points().map(|(_, rate)| *rate).chain([0.0]).collect();
    Some(Chart {
        title: format!("{name}, {}", counted(threads, "thread")),
        x: Axis::linear("batch size", batches, |batch| thousands(batch as u64)),
        y: Axis::round("samples per second", rates.into_iter(), multiple),
        curves,
        guides: Vec::new(),
    })
}
