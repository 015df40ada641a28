//! Latencies for the page and the terminal: for each kind of weights and thread count a chart and a
//! table of medians, with ratios to the fastest.

use std::collections::BTreeMap;

use super::RenderError;
use super::html::chart::{self, Series};
use super::throughput::{Throughput, throughput};
use run_record::Report;
use run_record::scaling::scaled;
use run_record::text::{counted, mebibytes, multiple, nanoseconds};
use run_record::{
    CheckedBy, LatencyGate, LatencyRecord, LatencyVerdict, MachineState, RatioInterval, Weights,
};

pub(super) struct Latencies {
    pub panels: Vec<Panel>,
    /// The decisions whether a backend became slower.
    pub gates: Vec<GateRow>,
    /// Facts about the machine; empty if there are none.
    pub machine: String,
    /// Sources of uncertainty, as sentences.
    pub noise: Vec<String>,
    /// How latencies scale with batch and threads, if that was measured.
    pub throughput: Option<Throughput>,
    /// Every series with all its figures.
    pub details: Vec<Detail>,
}

/// One decision; except for the names and the reason, its texts are safe.
pub(super) struct GateRow {
    pub model: String,
    pub threads: u32,
    pub backend: String,
    pub against: String,
    pub verdict: String,
    pub slower: bool,
    /// `+6.1 % (+2.4 % to +9.8 %)`.
    pub change: String,
    pub pairs: u64,
    pub reason: String,
}

/// All models at one thread count.
pub(super) struct Panel {
    pub title: String,
    pub note: String,
    pub chart: String,
    /// The backend, its sign in the chart, and the number of its colour.
    pub columns: Vec<(String, &'static str, usize)>,
    pub rows: Vec<Row>,
}

pub(super) struct Row {
    pub model: String,
    pub cells: Vec<Cell>,
}

/// A median; except for the reason, its texts are safe.
#[derive(Default)]
pub(super) struct Cell {
    pub median: String,
    /// `1.84×`, or `~1.02×` if the interval contains 1; empty if there is nothing to compare.
    pub ratio: String,
    /// The 95 % interval of the ratio, `1.79× to 1.90×`; empty if there is none.
    pub interval: String,
    pub fastest: bool,
    /// That this median is not valid, in short, and the reason.
    pub fault: &'static str,
    pub reason: String,
    /// The time of the load, of the first run, and the peak memory.
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
        gates: report.latency_gates.iter().map(gate_row).collect(),
        machine: report.machine.as_ref().map(machine).unwrap_or_default(),
        noise: report
            .machine
            .as_ref()
            .map(|state| state.noise.clone())
            .unwrap_or_default(),
        throughput: throughput(report),
        details: report
            .latencies
            .iter()
            .map(|record| detail(report, record))
            .collect(),
    })
}

fn gate_row(gate: &LatencyGate) -> GateRow {
    let percent = |ratio: f64| format!("{:+.1} %", 100.0 * (ratio - 1.0));
    let change = |ratio: &RatioInterval| {
        let (low, high) = (percent(ratio.low), percent(ratio.high));
        format!("{} ({low} to {high})", percent(ratio.estimate))
    };
    GateRow {
        model: gate.model.clone(),
        threads: gate.threads,
        backend: gate.backend.clone(),
        against: gate.against.clone(),
        verdict: gate.verdict.to_string(),
        slower: gate.verdict == LatencyVerdict::Slower,
        change: gate.ratio.as_ref().map(change).unwrap_or_default(),
        pairs: gate.pairs,
        reason: gate.reason.clone(),
    }
}

/// `governor powersave; 1200 to 3400 MHz; steal 3.1 %; other processes 0.7 processors; load 1.5`.
fn machine(state: &MachineState) -> String {
    let governor = Some(&state.governor).filter(|governor| !governor.is_empty());
    let parts = [
        governor.map(|governor| format!("governor {governor}")),
        state.mhz.map(|(low, high)| format!("{low} to {high} MHz")),
        state.steal.map(|part| format!("steal {:.1} %", 100.0 * part)),
        state
            .others
            .map(|busy| format!("other processes {busy:.1} processors")),
        state.load.map(|load| format!("load {load:.1}")),
        state
            .throttled
            .map(|count| format!("throttled {}", counted(count, "time"))),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
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
        title: format!("{}, {weights} weights", counted(threads, "thread")),
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

/// The method, if it is the same for all series.
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
    let first_run = records
        .iter()
        .filter(|record| record.samples > 0 && record.checked_by == CheckedBy::FirstRun)
        .count();
    let checked = match first_run {
        0 => String::new(),
        count => format!(
            "; {count} of {} series are compared with their own first runs, because the reference gave no answer",
            records.len()
        ),
    };
    let unsure = if records.iter().any(|record| is_unsure(record)) {
        "; ~: the 95 % interval of the ratio contains 1"
    } else {
        ""
    };
    format!("{turns}; {threads}{checked}{unsure}")
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
    let reached = |ns: u64| (ns > 0).then(|| nanoseconds(ns));
    let once = [reached(record.load_ns), reached(record.first_ns)];
    let costs = once.into_iter().flatten().chain(record.peak_bytes.map(mebibytes));
    let cost = costs.collect::<Vec<_>>().join("  ");
    let (Some(own), Some(best)) = (record.valid_median_ns(), fastest) else {
        return Cell {
            median,
            fault: fault(record),
            reason: reason(record),
            cost,
            ..Cell::default()
        };
    };
    let ratio = match compared && best > 0 {
        true if is_unsure(record) => format!("~{:.2}×", own as f64 / best as f64),
        true => format!("{:.2}×", own as f64 / best as f64),
        false => String::new(),
    };
    Cell {
        median,
        ratio,
        interval: record.ratio.as_ref().map(interval).unwrap_or_default(),
        fastest: compared && own == best,
        cost,
        ..Cell::default()
    }
}

/// Whether the fastest backend may be no faster.
fn is_unsure(record: &LatencyRecord) -> bool {
    record
        .ratio
        .is_some_and(|ratio| (ratio.low..=ratio.high).contains(&1.0))
}

/// `1.79× to 1.90×`.
fn interval(ratio: &RatioInterval) -> String {
    format!("{:.2}× to {:.2}×", ratio.low, ratio.high)
}

/// Why a latency is not valid, in short.
fn fault(record: &LatencyRecord) -> &'static str {
    match (record.samples > 0, record.outputs_ok) {
        (false, _) => "no result",
        (true, false) => "wrong outputs",
        (true, true) => "caching",
    }
}

/// Why a latency is not valid; empty if it is.
fn reason(record: &LatencyRecord) -> String {
    let parts = [&record.reason, &record.caching].map(String::as_str);
    let said = parts.into_iter().filter(|part| !part.is_empty());
    said.collect::<Vec<_>>().join("; ")
}

fn detail(report: &Report, record: &LatencyRecord) -> Detail {
    let timed = |ns: u64| {
        if record.samples > 0 {
            nanoseconds(ns)
        } else {
            String::new()
        }
    };
    let reached = |ns: u64| if ns > 0 { nanoseconds(ns) } else { String::new() };
    let efficiency = scaled(report, record).map(|scaled| format!("{:.0} %", 100.0 * scaled.efficiency));
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
            record.ratio.as_ref().map(interval).unwrap_or_default(),
            record.samples_per_second().map(multiple).unwrap_or_default(),
            efficiency.unwrap_or_default(),
        ],
        reason: reason(record),
    }
}
