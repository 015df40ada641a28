//! Networks × backends as Markdown: latency, verdict and memory of each series.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::RenderError;
use run_record::Report;
use run_record::shown::markdown as escape;
use run_record::text::{counted, mebibytes, nanoseconds};
use run_record::{CheckedBy, LatencyRecord, Weights};

/// A series and its place.
type Key<'r> = (&'r str, &'r str);

/// A table for each kind of weights and thread count: a row for each model, a column for each backend. Below
/// it are the reasons for each series without a valid latency.
pub fn networks_markdown(report: &Report) -> Result<String, RenderError> {
    let mut tables: BTreeMap<(Weights, u32), Vec<&LatencyRecord>> = BTreeMap::new();
    for record in &report.latencies {
        tables
            .entry((record.weights, record.threads))
            .or_default()
            .push(record);
    }
    let mut text = String::new();
    for ((weights, threads), records) in tables {
        writeln!(text, "### {}, {weights} weights\n", counted(threads, "thread"))?;
        table(report, &records, &mut text)?;
    }
    writeln!(
        text,
        "Each cell has the median latency, the verdict on the outputs of the timed runs, and the peak memory of \
         the worker with model and inputs. *Right* outputs agree with those of the reference; *repeatable* ones \
         agree with the backend's own first run, where the reference did not answer in time."
    )?;
    Ok(text)
}

fn table(report: &Report, records: &[&LatencyRecord], text: &mut String) -> Result<(), RenderError> {
    let cells: BTreeMap<Key, &LatencyRecord> = records
        .iter()
        .map(|record| ((record.model.as_str(), record.backend.as_str()), *record))
        .collect();
    let infos = report.backends.iter().map(|backend| &backend.info);
    let backends = infos.filter(|info| records.iter().any(|record| record.backend == info.name));
    let backends: Vec<_> = backends.collect();
    let mut models: Vec<&str> = records.iter().map(|record| record.model.as_str()).collect();
    models.dedup();
    text.push_str("| network |");
    for info in &backends {
        write!(text, " {} |", escape(&format!("{} {}", info.name, info.version)))?;
    }
    writeln!(text, "\n|:--|{}", "--:|".repeat(backends.len()))?;
    for model in models {
        write!(text, "| {} |", escape(model))?;
        for info in &backends {
            let cell = cells.get(&(model, info.name.as_str())).map(|record| cell(record));
            write!(text, " {} |", cell.unwrap_or_default())?;
        }
        text.push('\n');
    }
    text.push('\n');
    for record in records.iter().filter(|record| record.valid_median_ns().is_none()) {
        let reason = if record.reason.is_empty() {
            &record.caching
        } else {
            &record.reason
        };
        let (model, backend) = (escape(&record.model), escape(&record.backend));
        writeln!(text, "- {model}, {backend}: {}", escape(reason))?;
    }
    text.push('\n');
    Ok(())
}

/// `12.3 ms, right, 210 MiB`.
fn cell(record: &LatencyRecord) -> String {
    let latency = record.valid_median_ns().map(nanoseconds);
    let parts = [
        latency,
        Some(verdict(record).to_owned()),
        record.peak_bytes.map(mebibytes),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn verdict(record: &LatencyRecord) -> &'static str {
    match (record.samples > 0, record.outputs_ok, record.checked_by) {
        (false, ..) => "no result",
        (true, false, _) => "wrong",
        (true, true, _) if !record.caching.is_empty() => "caching",
        (true, true, CheckedBy::Reference) => "right",
        (true, true, CheckedBy::FirstRun) => "repeatable",
    }
}
