//! The contents of a history as rows with names: a log becomes rows, tables are written from rows, and
//! read back as rows.

use run_record::Report;
use run_record::{CaseRecord, LatencyRecord, RunStarted, VerdictKind};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunRow {
    pub run: String,
    pub started: String,
    pub release: String,
    pub policy: String,
    pub tolerances: u32,
    pub harness: String,
    pub machine: String,
    pub label: String,
    /// Empty for a run of all cases of its releases.
    #[serde(default)]
    pub selection: String,
}

/// A backend of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct BackendRow {
    pub run: String,
    pub backend: String,
    pub kind: String,
    pub version: String,
    pub options: String,
    /// None where it is not known how long the backend took.
    #[serde(default)]
    pub wall_s: Option<f64>,
}

/// A latency that counts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct LatencyRow {
    pub run: String,
    pub backend: String,
    pub model: String,
    pub threads: u32,
    pub setting: String,
    pub median_ns: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ResultRow {
    pub run: String,
    pub backend: String,
    pub test: String,
    pub verdict: String,
    /// `None` for a pass, and if there is none.
    pub reason: Option<String>,
    pub level: Option<String>,
    /// `None` if nothing was measured, or if the error is infinite.
    pub max_ulp: Option<f64>,
    /// Whether the largest error is infinite: JSON cannot represent this.
    pub infinite: bool,
}

/// An operator of a case.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct UseRow {
    pub test: String,
    pub operator: String,
    pub about: bool,
}

/// All rows of some runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rows {
    pub(crate) runs: Vec<RunRow>,
    pub(crate) backends: Vec<BackendRow>,
    pub(crate) results: Vec<ResultRow>,
    pub(crate) uses: Vec<UseRow>,
    pub(crate) latencies: Vec<LatencyRow>,
}

impl Rows {
    /// The rows of one run.
    pub(crate) fn of(report: &Report, label: &str) -> Rows {
        let started = &report.started;
        let mut rows = Rows::default();
        let digest = digest(report);
        for backend in &report.backends {
            let options = backend.info.options.iter();
            let options: Vec<String> = options.map(|(key, value)| format!("{key}={value}")).collect();
            rows.backends.push(BackendRow {
                run: digest.clone(),
                backend: backend.info.name.clone(),
                kind: backend.info.kind.clone(),
                version: backend.info.version.clone(),
                options: options.join(" "),
                wall_s: (backend.wall_s > 0.0).then_some(backend.wall_s),
            });
        }
        for record in &report.cases {
            rows.results.push(result(&digest, record));
            let about = record.accountable_operator();
            rows.uses.extend(record.operators.iter().map(|operator| UseRow {
                test: record.case.clone(),
                operator: operator.clone(),
                about: about == Some(operator),
            }));
        }
        let counting = report
            .latencies
            .iter()
            .filter_map(|record| latency(&digest, record));
        rows.latencies.extend(counting);
        rows.uses.sort();
        rows.uses.dedup();
        rows.runs.push(RunRow {
            run: digest,
            started: started.started.clone(),
            release: started.release.clone(),
            policy: started.policy.name.clone(),
            tolerances: started.policy.version,
            harness: started.environment.harness.clone(),
            machine: format!("{}, {}", started.environment.cpu, started.environment.os),
            label: label.to_owned(),
            selection: selection(started),
        });
        rows
    }
}

/// The arguments that select some of the cases; a shard alone is a part as well.
fn selection(started: &RunStarted) -> String {
    let shard = started
        .shard
        .map(|shard| format!("--shard {}/{}", shard.index, shard.count));
    let arguments = Some(started.selection.clone()).filter(|text| !text.is_empty());
    arguments.into_iter().chain(shard).collect::<Vec<_>>().join(" ")
}

/// A latency, where it counts.
fn latency(run: &str, record: &LatencyRecord) -> Option<LatencyRow> {
    let median_ns = record.valid_median_ns()?;
    let extents = record
        .dims
        .iter()
        .map(|(name, extent)| format!("{name}={extent}"));
    let turns = (!record.interleaved).then(|| "blocks".to_owned());
    let spinning = record.spinning.then(|| "spinning".to_owned());
    let parts = std::iter::once(record.weights.to_string())
        .chain(extents)
        .chain(turns)
        .chain(spinning);
    Some(LatencyRow {
        run: run.to_owned(),
        backend: record.backend.clone(),
        model: record.model.clone(),
        threads: record.threads,
        setting: parts.collect::<Vec<_>>().join(" "),
        median_ns,
    })
}

fn result(run: &str, record: &CaseRecord) -> ResultRow {
    let ulp = record.worst(|output| output.max_ulp);
    ResultRow {
        run: run.to_owned(),
        backend: record.backend.clone(),
        test: record.case.clone(),
        verdict: record.verdict.key().to_owned(),
        reason: Some(record.reason.clone())
            .filter(|reason| record.verdict.kind() != VerdictKind::Pass && !reason.is_empty()),
        level: record.level.map(|level| level.key().to_owned()),
        max_ulp: ulp.filter(|ulp| ulp.is_finite()),
        infinite: ulp.is_some_and(f64::is_infinite),
    }
}

/// The identity of a run: its start, its backends, and its results.
fn digest(report: &Report) -> String {
    let mut digest = Sha256::new();
    let mut add = |text: &str| {
        digest.update((text.len() as u64).to_le_bytes());
        digest.update(text.as_bytes());
    };
    add(&report.started.started);
    report.started.command.iter().for_each(|word| add(word));
    for backend in &report.backends {
        add(&backend.info.name);
        add(&backend.info.version);
    }
    for record in &report.cases {
        add(&record.case);
        add(&record.backend);
        add(record.verdict.key());
        add(&record.reason);
    }
    let bytes = digest.finalize();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
