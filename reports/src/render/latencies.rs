//! How fast, as the page and the terminal show it: for each kind of weights and thread count a chart and a table of medians, with ratios to the fastest.

use std::collections::BTreeMap;

use super::RenderError;
use super::html::chart::{self, Series};
use crate::Report;
use crate::record::{LatencyRecord, Weights};
use crate::text::{mebibytes, nanoseconds};

pub(super) struct Latencies {
    pub panels: Vec<Panel>,
    /// Every series with all its figures.
    pub details: Vec<Detail>,
}

/// All models at one thread count.
pub(super) struct Panel {
    pub title: String,
    pub note: String,
    pub chart: String,
    /// Backend, the sign it has in the chart, and the number of its colour.
    pub columns: Vec<(String, &'static str, usize)>,
    pub rows: Vec<Row>,
}

pub(super) struct Row {
    pub model: String,
    pub cells: Vec<Cell>,
}

/// A median; its texts are figures and words of ours, but for the reason.
#[derive(Default)]
pub(super) struct Cell {
    pub median: String,
    /// `1.84×`; empty where there is nothing to compare.
    pub ratio: String,
    pub fastest: bool,
    /// That this median does not count, in short, and why.
    pub fault: &'static str,
    pub reason: String,
    /// Time to load, and the most memory.
    pub cost: String,
}

impl Cell {
    /// Median, ratio and fault in one text.
    pub fn words(&self) -> String {
        let parts = [self.median.as_str(), &self.ratio, self.fault];
        parts
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join("  ")
    }
}

pub(super) struct Detail {
    pub model: String,
    pub backend: String,
    pub threads: u32,
    pub weights: &'static str,
    pub samples: u64,
    pub figures: Vec<String>,
    pub reason: String,
}

pub(super) fn latencies(report: &Report) -> Result<Latencies, RenderError> {
    let mut panels: BTreeMap<(Weights, u32), Vec<&LatencyRecord>> = BTreeMap::new();
    for record in &report.latencies {
        panels
            .entry((record.weights, record.threads))
            .or_default()
            .push(record);
    }
    let panels = panels
        .iter()
        .map(|((weights, threads), records)| panel(report, *weights, *threads, records));
    Ok(Latencies {
        panels: panels.collect::<Result<_, _>>()?,
        details: report.latencies.iter().map(detail).collect(),
    })
}

fn panel(
    report: &Report,
    weights: Weights,
    threads: u32,
    records: &[&LatencyRecord],
) -> Result<Panel, RenderError> {
    let backends: Vec<&str> = report
        .backends
        .iter()
        .map(|backend| backend.info.name.as_str())
        .filter(|name| records.iter().any(|record| record.backend == *name))
        .collect();
    let mut models: Vec<&str> = records.iter().map(|record| record.model.as_str()).collect();
    models.dedup();
    let find = |model: &str, backend: &str| {
        records
            .iter()
            .copied()
            .find(|record| record.model == model && record.backend == backend)
    };
    let grid: Vec<Vec<Option<&LatencyRecord>>> = models
        .iter()
        .map(|model| backends.iter().map(|backend| find(model, backend)).collect())
        .collect();
    let signs = backends.iter().enumerate().map(|(rank, name)| {
        let series = Series::of(rank);
        ((*name).to_owned(), series.sign(), series.number())
    });
    Ok(Panel {
        title: format!(
            "{threads} thread{}, {weights} weights",
            if threads == 1 { "" } else { "s" }
        ),
        note: note(records),
        chart: chart::draw(&models, &grid)?,
        columns: signs.collect(),
        rows: models
            .iter()
            .zip(&grid)
            .map(|(model, row)| Row {
                model: (*model).to_owned(),
                cells: cells(row),
            })
            .collect(),
    })
}

/// How it was measured, where that is the same for all.
fn note(records: &[&LatencyRecord]) -> String {
    let all = |is: fn(&LatencyRecord) -> bool, yes: &'static str, no: &'static str| match (
        records.iter().all(|r| is(r)),
        records.iter().any(|r| is(r)),
    ) {
        (true, _) => yes,
        (false, false) => no,
        (false, true) => "mixed, see all figures",
    };
    let turns = all(
        |record| record.interleaved,
        "backends took turns",
        "each backend ran in one block",
    );
    let threads = all(
        |record| record.spinning,
        "idle threads spin",
        "idle threads sleep",
    );
    format!("{turns}; {threads}")
}

fn cells(row: &[Option<&LatencyRecord>]) -> Vec<Cell> {
    let fastest = row
        .iter()
        .flatten()
        .filter_map(|record| record.valid_median_ns())
        .min();
    let compared = row
        .iter()
        .flatten()
        .filter_map(|record| record.valid_median_ns())
        .count()
        > 1;
    row.iter()
        .map(|record| {
            record
                .map(|record| cell(record, fastest, compared))
                .unwrap_or_default()
        })
        .collect()
}

fn cell(record: &LatencyRecord, fastest: Option<u64>, compared: bool) -> Cell {
    let median = if record.samples > 0 {
        nanoseconds(record.median_ns)
    } else {
        String::new()
    };
    let load = (record.load_ns > 0).then(|| nanoseconds(record.load_ns));
    let costs = load.into_iter().chain(record.peak_bytes.map(mebibytes));
    let cost = costs.collect::<Vec<_>>().join("  ");
    let (Some(own), Some(best)) = (record.valid_median_ns(), fastest) else {
        let fault = if record.samples > 0 {
            "wrong outputs"
        } else {
            "no result"
        };
        return Cell {
            median,
            fault,
            reason: record.reason.clone(),
            cost,
            ..Cell::default()
        };
    };
    let ratio = if compared && best > 0 {
        format!("{:.2}×", own as f64 / best as f64)
    } else {
        String::new()
    };
    Cell {
        median,
        ratio,
        fastest: compared && own == best,
        cost,
        ..Cell::default()
    }
}

fn detail(record: &LatencyRecord) -> Detail {
    let timed = |ns: u64| {
        if record.samples > 0 {
            nanoseconds(ns)
        } else {
            String::new()
        }
    };
    let reached = |ns: u64| if ns > 0 { nanoseconds(ns) } else { String::new() };
    Detail {
        model: record.model.clone(),
        backend: record.backend.clone(),
        threads: record.threads,
        weights: record.weights.key(),
        samples: record.samples,
        figures: vec![
            timed(record.min_ns),
            timed(record.median_ns),
            timed(record.mean_ns),
            record.p90_ns.map(nanoseconds).unwrap_or_default(),
            record.p99_ns.map(nanoseconds).unwrap_or_default(),
            reached(record.load_ns),
            reached(record.first_ns),
            record.peak_bytes.map(mebibytes).unwrap_or_default(),
        ],
        reason: record.reason.clone(),
    }
}
