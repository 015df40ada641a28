//! `results.csv`, `latency.csv` and `releases.csv`: tables for programs and spreadsheets. An empty field
//! means that there is no value. A column is one line here.

use std::collections::BTreeSet;

use super::RenderError;
use super::table::{Cell, Field, Table};
use run_record::Report;
use run_record::scaling::{self, Scaled};
use run_record::standing::{self, SampleCounts, Standing};
use run_record::{
    CaseId, CaseRecord, DataFinding, LatencyRecord, Level, OutputStats, Place, RatioInterval, VariantId,
    VerdictKind,
};

/// A row of `results.csv`.
struct Result<'a> {
    record: &'a CaseRecord,
    id: CaseId<'a>,
    version: &'a str,
    variant: Option<VariantId<'a>>,
    findings: Vec<&'a DataFinding>,
    samples: Option<SampleCounts>,
}

impl Result<'_> {
    fn worst(&self, error: fn(&OutputStats) -> f64) -> Option<f64> {
        self.record.worst(error)
    }

    fn sum(&self, count: fn(&OutputStats) -> u64) -> u64 {
        self.record.outputs.iter().map(count).sum()
    }
}

/// One row for each case and backend. Errors are the maximum over the case's outputs (the bias is the
/// one with the largest magnitude), counts are sums; operators are separated by spaces, the models of
/// bounds by semicolons, and the other corpora that have the case, to which the row also applies, by
/// spaces. For a variant, `plain_case` and `variant` are the case and the form; `reference_disagrees` is
/// the difference of the reference from the stored outputs, and `expected_from` is the source of those.
/// The samples of a case are its data sets, if it has several; `worst_sample` is empty if all are exact.
pub fn results_csv(report: &Report) -> std::result::Result<String, RenderError> {
    let rows = report.cases.iter().map(|record| Result {
        record,
        id: CaseId::parse(&record.case),
        version: report
            .backend(&record.backend)
            .map_or("", |backend| &backend.info.version),
        variant: VariantId::parse(&record.case),
        findings: report
            .data_findings
            .iter()
            .filter(|finding| finding.case == record.case)
            .collect(),
        samples: standing::samples(record),
    });
    Table::of(&result_fields(), rows).csv()
}

fn result_fields<'a>() -> Vec<Field<Result<'a>>> {
    vec![
        ("case", |row| row.record.case.as_str().into()),
        ("corpus", |row| row.id.corpus.into()),
        ("suite", |row| row.id.suite.into()),
        ("name", |row| row.id.name.into()),
        ("backend", |row| row.record.backend.as_str().into()),
        ("backend_version", |row| row.version.into()),
        ("verdict", |row| row.record.verdict.key().into()),
        ("kind", |row| row.record.verdict.detail().into_owned().into()),
        ("reason", |row| row.record.reason.as_str().into()),
        ("operators", |row| row.record.operators.join(" ").into()),
        ("max_abs", |row| row.worst(|output| output.max_abs).into()),
        ("max_rel", |row| row.worst(|output| output.max_rel).into()),
        ("max_ulp", |row| row.worst(|output| output.max_ulp).into()),
        ("official_rule", |row| row.record.official.into()),
        ("load_ns", |row| row.record.load_ns.into()),
        ("run_ns", |row| row.record.run_ns.into()),
        ("attempts", |row| row.record.attempts.into()),
        ("also_in", |row| row.record.also_in.join(" ").into()),
        ("level", |row| row.record.level.map(Level::key).into()),
        ("bound_model", |row| models(row.record).into()),
        ("of_bound", |row| row.worst(|output| output.of_bound).into()),
        ("unequal", |row| row.sum(|output| output.unequal).into()),
        ("differing", |row| row.sum(|output| output.differing).into()),
        ("mean_abs", |row| row.worst(|output| output.mean_abs).into()),
        ("mean_rel", |row| row.worst(|output| output.mean_rel).into()),
        ("mean_ulp", |row| row.worst(|output| output.mean_ulp).into()),
        ("bias", |row| row.record.bias().into()),
        ("needed_rtol", |row| row.worst(|output| output.needed_rtol).into()),
        ("nan", |row| row.sum(|output| output.special.nan).into()),
        ("infinity", |row| row.sum(|output| output.special.infinity).into()),
        ("negative_zero", |row| {
            row.sum(|output| output.special.negative_zero).into()
        }),
        ("flushed", |row| row.sum(|output| output.special.flushed).into()),
        ("providers", |row| {
            row.record.place.as_ref().map(Place::words).into()
        }),
        ("fell_back", |row| {
            row.record.place.as_ref().map(Place::fell_back).into()
        }),
        ("plain_case", |row| {
            row.variant.as_ref().map(|variant| variant.plain).into()
        }),
        ("variant", |row| {
            row.variant.as_ref().map(|variant| variant.form).into()
        }),
        ("reference_disagrees", |row| disagrees(&row.findings).into()),
        ("expected_from", |row| {
            row.findings.first().map(|finding| finding.origin()).into()
        }),
        ("peak_bytes", |row| row.record.peak_bytes.into()),
        ("samples", |row| {
            row.samples.as_ref().map(|samples| samples.run).into()
        }),
        ("samples_right", |row| {
            row.samples.as_ref().map(|samples| samples.right).into()
        }),
        ("worst_sample", |row| worst_sample(row).into()),
        ("answer", |row| Standing::of(row.record).key().into()),
    ]
}

fn disagrees(findings: &[&DataFinding]) -> String {
    let words = findings
        .iter()
        .map(|finding| format!("{}: {}", finding.data_set, finding.reason));
    words.collect::<Vec<_>>().join("; ")
}

fn worst_sample(row: &Result<'_>) -> Option<String> {
    standing::sample_words(row.record, row.samples.as_ref()?.worst)
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

/// A row of `latency.csv`.
struct Latency<'a> {
    record: &'a LatencyRecord,
    scaled: Option<Scaled>,
}

impl Latency<'_> {
    /// A time, if there are samples.
    fn timed(&self, ns: u64) -> Option<u64> {
        (self.record.samples > 0).then_some(ns)
    }

    fn ratio(&self, part: fn(RatioInterval) -> f64) -> Option<f64> {
        self.record.ratio.map(|ratio| rounded(part(ratio)))
    }
}

/// One row for each model, backend, thread count and kind of weights. Without samples there are no
/// times. `caching` states why a latency is not valid although the outputs are right. `ratio` is the
/// ratio to the fastest backend with the bounds of its 95 % interval, `speed_up` the ratio of the time with
/// one thread to this one, `efficiency` the speed-up divided by the number of threads.
pub fn latency_csv(report: &Report) -> std::result::Result<String, RenderError> {
    let rows = report.latencies.iter().map(|record| Latency {
        record,
        scaled: scaling::scaled(report, record),
    });
    Table::of(&latency_fields(), rows).csv()
}

fn latency_fields<'a>() -> Vec<Field<Latency<'a>>> {
    vec![
        ("model", |row| row.record.model.as_str().into()),
        ("backend", |row| row.record.backend.as_str().into()),
        ("threads", |row| row.record.threads.into()),
        ("samples", |row| row.record.samples.into()),
        ("min_ns", |row| row.timed(row.record.min_ns).into()),
        ("median_ns", |row| row.timed(row.record.median_ns).into()),
        ("p90_ns", |row| row.record.p90_ns.into()),
        ("load_ns", |row| reached(row.record.load_ns).into()),
        ("first_ns", |row| reached(row.record.first_ns).into()),
        ("outputs_ok", |row| row.record.outputs_ok.into()),
        ("mean_ns", |row| row.timed(row.record.mean_ns).into()),
        ("p99_ns", |row| row.record.p99_ns.into()),
        ("rounds", |row| row.record.rounds.into()),
        ("weights", |row| key(&row.record.weights)),
        ("interleaved", |row| row.record.interleaved.into()),
        ("spinning", |row| row.record.spinning.into()),
        ("backend_version", |row| row.record.version.as_str().into()),
        ("reason", |row| row.record.reason.as_str().into()),
        ("peak_bytes", |row| row.record.peak_bytes.into()),
        ("caching", |row| row.record.caching.as_str().into()),
        ("checked_by", |row| key(&row.record.checked_by)),
        ("repeated_ns", |row| row.record.repeated_ns.into()),
        ("fresh_ns", |row| row.record.fresh_ns.into()),
        ("dims", |row| dims(row.record).into()),
        ("network", |row| scaling::network(row.record).into()),
        ("batch", |row| row.record.batch.into()),
        ("samples_per_s", |row| {
            row.record.samples_per_second().map(rounded).into()
        }),
        ("ratio", |row| row.ratio(|ratio| ratio.estimate).into()),
        ("ratio_low", |row| row.ratio(|ratio| ratio.low).into()),
        ("ratio_high", |row| row.ratio(|ratio| ratio.high).into()),
        ("speed_up", |row| {
            row.scaled.as_ref().map(|scaled| rounded(scaled.speed_up)).into()
        }),
        ("efficiency", |row| {
            row.scaled
                .as_ref()
                .map(|scaled| rounded(scaled.efficiency))
                .into()
        }),
    ]
}

/// The name of a value as the log has it.
fn key(value: &impl serde::Serialize) -> Cell {
    let json = serde_json::to_value(value).ok();
    json.as_ref().and_then(serde_json::Value::as_str).into()
}

fn reached(ns: u64) -> Option<u64> {
    (ns > 0).then_some(ns)
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

/// One row for each corpus and backend: the number of cases, the number of new ones, and the number of
/// each verdict.
pub fn releases_csv(report: &Report) -> std::result::Result<String, RenderError> {
    let names = ["corpus", "backend", "cases", "distinct"];
    let mut table = Table::new(names.into_iter().chain(VerdictKind::ALL.map(VerdictKind::key)));
    for release in &report.releases {
        for (backend, tally) in report.backends.iter().zip(&release.tallies) {
            let names = [release.corpus.as_str(), &backend.info.name].map(Cell::from);
            let counts = [release.cases, release.distinct].into_iter();
            let counts = counts.chain(tally.iter().map(|(_, count)| count));
            table.push(names.into_iter().chain(counts.map(Cell::from)));
        }
    }
    table.csv()
}
