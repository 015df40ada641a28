//! `results.csv` and `latency.csv`: tables for programs and spreadsheets. An empty field means that
//! there is no value.

use std::collections::BTreeSet;
use std::io;

use csv::Writer;
use serde::Serialize;

use super::RenderError;
use run_record::Report;
use run_record::{
    CaseId, CaseRecord, CheckedBy, DataFinding, LatencyRecord, Level, OutputStats, Place, VariantId,
    VerdictKind, Weights,
};
use run_record::{scaling, shown, standing};

#[derive(Serialize)]
struct ResultRow<'a> {
    case: &'a str,
    corpus: &'a str,
    suite: &'a str,
    name: &'a str,
    backend: &'a str,
    backend_version: &'a str,
    verdict: &'a str,
    kind: &'a str,
    reason: &'a str,
    operators: &'a str,
    max_abs: Option<f64>,
    max_rel: Option<f64>,
    max_ulp: Option<f64>,
    official_rule: Option<bool>,
    load_ns: Option<u64>,
    run_ns: Option<u64>,
    attempts: u32,
    also_in: &'a str,
    level: Option<&'a str>,
    bound_model: String,
    of_bound: Option<f64>,
    unequal: u64,
    differing: u64,
    mean_abs: Option<f64>,
    mean_rel: Option<f64>,
    mean_ulp: Option<f64>,
    bias: Option<f64>,
    needed_rtol: Option<f64>,
    nan: u64,
    infinity: u64,
    negative_zero: u64,
    flushed: u64,
    providers: String,
    fell_back: Option<bool>,
    plain_case: &'a str,
    variant: &'a str,
    reference_disagrees: &'a str,
    expected_from: &'a str,
    peak_bytes: Option<u64>,
    samples: Option<usize>,
    samples_right: Option<usize>,
    worst_sample: &'a str,
}

const RESULT_COLUMNS: [&str; 42] = [
    "case",
    "corpus",
    "suite",
    "name",
    "backend",
    "backend_version",
    "verdict",
    "kind",
    "reason",
    "operators",
    "max_abs",
    "max_rel",
    "max_ulp",
    "official_rule",
    "load_ns",
    "run_ns",
    "attempts",
    "also_in",
    "level",
    "bound_model",
    "of_bound",
    "unequal",
    "differing",
    "mean_abs",
    "mean_rel",
    "mean_ulp",
    "bias",
    "needed_rtol",
    "nan",
    "infinity",
    "negative_zero",
    "flushed",
    "providers",
    "fell_back",
    "plain_case",
    "variant",
    "reference_disagrees",
    "expected_from",
    "peak_bytes",
    "samples",
    "samples_right",
    "worst_sample",
];

#[derive(Serialize)]
struct LatencyRow<'a> {
    model: &'a str,
    backend: &'a str,
    threads: u32,
    samples: u64,
    min_ns: Option<u64>,
    median_ns: Option<u64>,
    p90_ns: Option<u64>,
    load_ns: Option<u64>,
    first_ns: Option<u64>,
    outputs_ok: bool,
    mean_ns: Option<u64>,
    p99_ns: Option<u64>,
    rounds: u32,
    weights: Weights,
    interleaved: bool,
    spinning: bool,
    backend_version: &'a str,
    reason: &'a str,
    peak_bytes: Option<u64>,
    caching: &'a str,
    checked_by: CheckedBy,
    repeated_ns: Option<u64>,
    fresh_ns: Option<u64>,
    dims: String,
    network: &'a str,
    batch: Option<u64>,
    samples_per_s: Option<f64>,
    ratio: Option<f64>,
    ratio_low: Option<f64>,
    ratio_high: Option<f64>,
    speed_up: Option<f64>,
    efficiency: Option<f64>,
}

const LATENCY_COLUMNS: [&str; 32] = [
    "model",
    "backend",
    "threads",
    "samples",
    "min_ns",
    "median_ns",
    "p90_ns",
    "load_ns",
    "first_ns",
    "outputs_ok",
    "mean_ns",
    "p99_ns",
    "rounds",
    "weights",
    "interleaved",
    "spinning",
    "backend_version",
    "reason",
    "peak_bytes",
    "caching",
    "checked_by",
    "repeated_ns",
    "fresh_ns",
    "dims",
    "network",
    "batch",
    "samples_per_s",
    "ratio",
    "ratio_low",
    "ratio_high",
    "speed_up",
    "efficiency",
];

/// One row for each case and backend. Errors are the maximum over the case's outputs (the bias is the
/// one with the largest magnitude), counts are sums; operators are separated by spaces, the models of
/// bounds by semicolons, and the other corpora that have the case, to which the row also applies, by
/// spaces. For a variant, `plain_case` and `variant` are the case and the form; `reference_disagrees` is
/// the difference of the reference from the stored outputs, and `expected_from` is the source of those.
/// The samples of a case are its data sets, if it has several; `worst_sample` is empty if all are exact.
pub fn results_csv(report: &Report) -> Result<String, RenderError> {
    table(&RESULT_COLUMNS, &report.cases, |record, writer| {
        let version = report
            .backend(&record.backend)
            .map_or("", |backend| &backend.info.version);
        let findings = report.data_findings.iter();
        let findings: Vec<&DataFinding> = findings.filter(|finding| finding.case == record.case).collect();
        result_row(record, version, &findings, writer)
    })
}

/// One row for each model, backend, thread count and kind of weights. Without samples there are no
/// times. `caching` states why a latency is not valid although the outputs are right. `ratio` is the
/// ratio to the fastest backend with the bounds of its 95 % interval, `speed_up` the ratio of the time with
/// one thread to this one, `efficiency` the speed-up divided by the number of threads.
pub fn latency_csv(report: &Report) -> Result<String, RenderError> {
    table(&LATENCY_COLUMNS, &report.latencies, |record, writer| {
        latency_row(report, record, writer)
    })
}

/// One row for each corpus and backend: the number of cases, the number of new ones, and the number of
/// each verdict.
pub fn releases_csv(report: &Report) -> Result<String, RenderError> {
    let verdicts = VerdictKind::ALL.map(VerdictKind::key);
    let columns: Vec<&str> = ["corpus", "backend", "cases", "distinct"]
        .into_iter()
        .chain(verdicts)
        .collect();
    table(&columns, &report.releases, |release, writer| {
        for (backend, tally) in report.backends.iter().zip(&release.tallies) {
            let counts = [release.cases, release.distinct]
                .into_iter()
                .chain(tally.iter().map(|(_, count)| count));
            let names = [release.corpus.clone(), backend.info.name.clone()];
            writer.write_record(names.into_iter().chain(counts.map(|count| count.to_string())))?;
        }
        Ok(())
    })
}

pub(super) type Buffer = Writer<Vec<u8>>;

/// A table with its header line, which is also present without rows. No cell is a formula.
pub(super) fn table<T>(
    columns: &[&str],
    records: &[T],
    row: impl Fn(&T, &mut Buffer) -> Result<(), csv::Error>,
) -> Result<String, RenderError> {
    let mut writer = csv::WriterBuilder::new()
        .has_headers(false)
        .from_writer(Vec::new());
    writer.write_record(columns)?;
    for record in records {
        row(record, &mut writer)?;
    }
    Ok(shown(&finish(writer)?)?)
}

/// The same table with every cell made safe for spreadsheets.
fn shown(table: &str) -> Result<String, csv::Error> {
    let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(table.as_bytes());
    for record in reader.records() {
        writer.write_record(record?.iter().map(|text| shown::cell(text).into_owned()))?;
    }
    finish(writer)
}

fn finish(writer: Buffer) -> Result<String, csv::Error> {
    let bytes = writer
        .into_inner()
        .map_err(|error| csv::Error::from(io::Error::from(error.error().kind())))?;
    String::from_utf8(bytes).map_err(|error| csv::Error::from(io::Error::other(error)))
}

fn result_row(
    record: &CaseRecord,
    backend_version: &str,
    findings: &[&DataFinding],
    writer: &mut Buffer,
) -> Result<(), csv::Error> {
    let variant = VariantId::parse(&record.case);
    let variant = variant.as_ref();
    let disagrees: Vec<String> = findings
        .iter()
        .map(|finding| format!("{}: {}", finding.data_set, finding.reason))
        .collect();
    let origin = findings
        .first()
        .map(|finding| finding.origin())
        .unwrap_or_default();
    let CaseId { corpus, suite, name } = CaseId::parse(&record.case);
    let worst = |error: fn(&OutputStats) -> f64| record.worst(error);
    let sum = |count: fn(&OutputStats) -> u64| record.outputs.iter().map(count).sum();
    let samples = standing::samples(record);
    let worst_sample = samples.and_then(|samples| standing::sample_words(record, samples.worst));
    writer.serialize(ResultRow {
        case: &record.case,
        corpus,
        suite,
        name,
        backend: &record.backend,
        backend_version,
        verdict: record.verdict.key(),
        kind: &record.verdict.detail(),
        reason: &record.reason,
        operators: &record.operators.join(" "),
        max_abs: worst(|output| output.max_abs),
        max_rel: worst(|output| output.max_rel),
        max_ulp: worst(|output| output.max_ulp),
        official_rule: record.official,
        load_ns: record.load_ns,
        run_ns: record.run_ns,
        attempts: record.attempts,
        also_in: &record.also_in.join(" "),
        level: record.level.map(Level::key),
        bound_model: models(record),
        of_bound: worst(|output| output.of_bound),
        unequal: sum(|output| output.unequal),
        differing: sum(|output| output.differing),
        mean_abs: worst(|output| output.mean_abs),
        mean_rel: worst(|output| output.mean_rel),
        mean_ulp: worst(|output| output.mean_ulp),
        bias: record.bias(),
        needed_rtol: worst(|output| output.needed_rtol),
        nan: sum(|output| output.special.nan),
        infinity: sum(|output| output.special.infinity),
        negative_zero: sum(|output| output.special.negative_zero),
        flushed: sum(|output| output.special.flushed),
        providers: record.place.as_ref().map(Place::words).unwrap_or_default(),
        fell_back: record.place.as_ref().map(Place::fell_back),
        plain_case: variant.map_or("", |variant| variant.plain),
        variant: variant.map_or("", |variant| variant.form),
        reference_disagrees: &disagrees.join("; "),
        expected_from: &origin,
        peak_bytes: record.peak_bytes,
        samples: samples.map(|samples| samples.run),
        samples_right: samples.map(|samples| samples.right),
        worst_sample: &worst_sample.unwrap_or_default(),
    })
}

/// The error models of all outputs, each once.
fn models(record: &CaseRecord) -> String {
    let models: BTreeSet<&str> = record
        .outputs
        .iter()
        .filter_map(|output| output.model.as_deref())
        .collect();
    models.into_iter().collect::<Vec<_>>().join("; ")
}

/// `batch=8 sequence=16`.
fn dims(record: &LatencyRecord) -> String {
    let dims = record
        .dims
        .iter()
        .map(|(name, extent)| format!("{name}={extent}"));
    dims.collect::<Vec<_>>().join(" ")
}

/// The value with six significant digits: more are noise.
fn rounded(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

fn latency_row(report: &Report, record: &LatencyRecord, writer: &mut Buffer) -> Result<(), csv::Error> {
    let timed = |ns: u64| (record.samples > 0).then_some(ns);
    let reached = |ns: u64| (ns > 0).then_some(ns);
    let scaled = scaling::scaled(report, record);
    writer.serialize(LatencyRow {
        model: &record.model,
        backend: &record.backend,
        threads: record.threads,
        samples: record.samples,
        min_ns: timed(record.min_ns),
        median_ns: timed(record.median_ns),
        p90_ns: record.p90_ns,
        load_ns: reached(record.load_ns),
        first_ns: reached(record.first_ns),
        outputs_ok: record.outputs_ok,
        mean_ns: timed(record.mean_ns),
        p99_ns: record.p99_ns,
        rounds: record.rounds,
        weights: record.weights,
        interleaved: record.interleaved,
        spinning: record.spinning,
        backend_version: &record.version,
        reason: &record.reason,
        peak_bytes: record.peak_bytes,
        caching: &record.caching,
        checked_by: record.checked_by,
        repeated_ns: record.repeated_ns,
        fresh_ns: record.fresh_ns,
        dims: dims(record),
        network: scaling::network(record),
        batch: record.batch,
        samples_per_s: record.samples_per_second().map(rounded),
        ratio: record.ratio.map(|ratio| rounded(ratio.estimate)),
        ratio_low: record.ratio.map(|ratio| rounded(ratio.low)),
        ratio_high: record.ratio.map(|ratio| rounded(ratio.high)),
        speed_up: scaled.map(|scaled| rounded(scaled.speed_up)),
        efficiency: scaled.map(|scaled| rounded(scaled.efficiency)),
    })
}
