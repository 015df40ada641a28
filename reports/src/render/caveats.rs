//! Facts that a reader of the figures must know: what was not run, and why.

use run_record::Report;
use run_record::text::{counted, thousands};
use run_record::{CaseRecord, Verdict};

/// The maximum number of cases in one sentence.
const NAMED: usize = 3;

/// The caveats of the run, and what a reader must know about the independence of its backends.
pub fn caveats(report: &Report) -> Vec<String> {
    warnings(report).into_iter().chain(kinship(report)).collect()
}

/// The domain whose formulas the native backend shares with the reference.
const SHARED: &str = "ai.onnx.ml.";

/// That agreement of the native backend with the reference is weaker evidence, where a case shows it.
pub(super) fn kinship(report: &Report) -> Option<String> {
    let native = report
        .backends
        .iter()
        .find(|backend| backend.info.kind == "native")?;
    let shown = report
        .exercises
        .iter()
        .flat_map(|case| &case.exercises)
        .any(|exercise| exercise.operator.starts_with(SHARED));
    shown.then(|| {
        format!(
            "{}: no second opinion on ai.onnx.ml, whose formulas and attributes it reads as the reference does",
            native.info.name
        )
    })
}

/// One sentence for each backend without a worker, for each with cases that were not run, and for the
/// cases that cannot be read; empty if all cases were run on all backends. The texts are as hostile as
/// the texts that they quote.
pub(super) fn warnings(report: &Report) -> Vec<String> {
    if !report.judged() {
        return Vec::new();
    }
    let mut said: Vec<String> = report
        .missing
        .iter()
        .map(|entry| missing(report, entry))
        .collect();
    for backend in &report.backends {
        let name = &backend.info.name;
        if !report.missing.contains_key(name) {
            said.extend(not_run(report, name, backend.not_run()));
        }
    }
    said.extend(unreadable(report));
    if said.is_empty() && !report.complete {
        said.push("the run is incomplete".to_owned());
    }
    said
}

fn missing(report: &Report, (name, reason): (&String, &String)) -> String {
    let cases = report.backend(name).map_or(0, |backend| backend.not_run());
    format!("{name} is missing, {} not run: {reason}", counted(cases, "case"))
}

fn not_run(report: &Report, name: &str, cases: u64) -> Option<String> {
    let reason = report
        .cases_of(name)
        .find(|record| record.verdict == Verdict::NotRun)
        .map(|record| format!(": {}", record.reason));
    (cases > 0).then(|| {
        format!(
            "{name}: {} not run{}",
            counted(cases, "case"),
            reason.unwrap_or_default()
        )
    })
}

fn unreadable(report: &Report) -> Option<String> {
    let cases = report.unreadable();
    let named = cases.iter().take(NAMED).map(|record| {
        let CaseRecord { case, reason, .. } = record;
        format!("{case} ({reason})")
    });
    let named = named.collect::<Vec<_>>().join("; ");
    let more = if cases.len() > NAMED {
        format!("; and {} more", thousands((cases.len() - NAMED) as u64))
    } else {
        String::new()
    };
    let count = thousands(cases.len() as u64);
    let what = if cases.len() == 1 {
        "case cannot"
    } else {
        "cases cannot"
    };
    (!cases.is_empty())
        .then(|| format!("{count} {what} be read, and were given to no backend: {named}{more}"))
}
