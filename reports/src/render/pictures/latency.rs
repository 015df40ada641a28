//! How fast: the distribution of the rounds of each model, and how latencies scale with threads.

use std::collections::BTreeMap;

use super::axis::Axis;
use super::chart::{Chart, Curve, Join, svg};
use crate::render::RenderError;
use run_record::LatencyRecord;
use run_record::Report;
use run_record::text::{counted, nanoseconds};

/// With more panels a picture is too small to read.
pub(super) const PANELS: usize = 12;

/// The efficiencies with a line: the speed-up divided by the number of threads.
const EFFICIENCIES: [f64; 3] = [1.0, 0.75, 0.5];

/// The empirical distribution function of the medians of rounds, a panel for each model with its
/// threads and weights.
pub(super) fn distribution(report: &Report, legend: &[&str]) -> Result<Option<String>, RenderError> {
    let mut models: BTreeMap<(String, u32), Vec<Curve>> = BTreeMap::new();
    for record in valid(report).filter(|record| record.round_ns.len() > 1) {
        if let Some(series) = place(legend, record) {
            let key = (
                format!("{}, {} weights", record.model, record.weights),
                record.threads,
            );
            models.entry(key).or_default().push(rounds(series, record));
        }
    }
    let charts: Vec<Chart> = models
        .into_iter()
        .take(PANELS)
        .map(|((model, threads), curves)| panel(&model, threads, curves))
        .collect();
    if charts.is_empty() {
        return Ok(None);
    }
    svg("Distribution of latencies, by model and backend", legend, &charts).map(Some)
}

pub(super) fn rounds(series: usize, record: &LatencyRecord) -> Curve {
    let mut sorted = record.round_ns.clone();
    sorted.sort_unstable();
    let count = sorted.len() as f64;
    let point = |(below, ns): (usize, &u64)| (*ns as f64, 100.0 * (below + 1) as f64 / count);
    let first = sorted.first().map(|ns| (*ns as f64, 0.0));
    Curve {
        series,
        join: Join::Steps,
        points: first
            .into_iter()
            .chain(sorted.iter().enumerate().map(point))
            .collect(),
    }
}

fn panel(model: &str, threads: u32, curves: Vec<Curve>) -> Chart {
    let figures = || {
        curves
            .iter()
            .flat_map(|curve| curve.points.iter().map(|(ns, _)| *ns))
    };
    let (low, high) = (
        figures().fold(f64::INFINITY, f64::min),
        figures().fold(0.0, f64::max),
    );
    let label = |ns: f64| nanoseconds(ns.max(0.0).round() as u64);
    let name = "median latency of a round";
    Chart {
        title: format!("{model}, {}", counted(threads, "thread")),
        x: if high > 5.0 * low {
            Axis::decades(name, figures(), label)
        } else {
            Axis::round(name, figures(), label)
        },
        y: Axis::linear(
            "rounds that are at most as slow",
            [0.0, 25.0, 50.0, 75.0, 100.0],
            |part| format!("{part} %"),
        ),
        curves,
        guides: Vec::new(),
    }
}

/// How much faster a model is with more threads than with one, a panel for each model that was
/// measured with one and with more.
pub(super) fn scaling(report: &Report, legend: &[&str]) -> Result<Option<String>, RenderError> {
    let mut models: BTreeMap<String, BTreeMap<usize, BTreeMap<u32, f64>>> = BTreeMap::new();
    for record in valid(report) {
        if let (Some(series), Some(median)) = (place(legend, record), record.valid_median_ns()) {
            let model = models
                .entry(format!("{}, {} weights", record.model, record.weights))
                .or_default();
            model
                .entry(series)
                .or_default()
                .insert(record.threads, median as f64);
        }
    }
    let charts: Vec<Chart> = models
        .into_iter()
        .filter_map(|(model, series)| speed_up(&model, &series))
        .take(PANELS)
        .collect();
    if charts.is_empty() {
        return Ok(None);
    }
    svg(
        "Speed-up with more threads, by model and backend",
        legend,
        &charts,
    )
    .map(Some)
}

pub(super) fn speed_up(model: &str, series: &BTreeMap<usize, BTreeMap<u32, f64>>) -> Option<Chart> {
    let curve = |(&series, medians): (&usize, &BTreeMap<u32, f64>)| {
        let one = *medians.get(&1).filter(|_| medians.len() > 1)?;
        let points = medians
            .iter()
            .map(|(threads, median)| (f64::from(*threads), one / median));
        Some(Curve {
            series,
            join: Join::Lines,
            points: points.collect(),
        })
    };
    let curves: Vec<Curve> = series.iter().filter_map(curve).collect();
    let most = curves
        .iter()
        .flat_map(|curve| &curve.points)
        .map(|(threads, _)| *threads)
        .reduce(f64::max)?;
    let fastest = curves
        .iter()
        .flat_map(|curve| &curve.points)
        .map(|(_, speed)| *speed)
        .fold(most, f64::max);
    let mut threads: Vec<f64> = curves
        .iter()
        .flat_map(|curve| &curve.points)
        .map(|(threads, _)| *threads)
        .collect();
    threads.sort_by(f64::total_cmp);
    threads.dedup();
    Some(Chart {
        title: format!("{model}: speed-up with more threads"),
        x: Axis::linear("threads", threads, |threads| format!("{threads}")),
        y: Axis::round(
            "times as fast as one thread; dashed: efficiencies of 100, 75 and 50 %",
            [0.0, fastest].into_iter(),
            |speed| format!("{speed}"),
        ),
        curves,
        guides: EFFICIENCIES
            .map(|part| [(1.0, part), (most, part * most)])
            .to_vec(),
    })
}

pub(super) fn valid(report: &Report) -> impl Iterator<Item = &LatencyRecord> {
    report
        .latencies
        .iter()
        .filter(|record| record.valid_median_ns().is_some())
}

pub(super) fn place(legend: &[&str], record: &LatencyRecord) -> Option<usize> {
    legend.iter().position(|name| *name == record.backend)
}
