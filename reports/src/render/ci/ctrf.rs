//! CTRF, the Common Test Report Format: a JSON document for tools that collect test results of many
//! frameworks.

use serde::Serialize;

use super::super::RenderError;
use super::super::standing::{Standing, Standings, Status};
use crate::View;
use run_record::shown;
use run_record::{CaseId, CaseRecord};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    report_format: &'static str,
    spec_version: &'static str,
    results: Results<'a>,
}

#[derive(Serialize)]
struct Results<'a> {
    tool: Tool,
    summary: Summary,
    tests: Vec<Test<'a>>,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

/// Counts of tests; start and stop in milliseconds, of which only the difference is meaningful.
#[derive(Serialize, Default)]
struct Summary {
    tests: u64,
    passed: u64,
    failed: u64,
    pending: u64,
    skipped: u64,
    other: u64,
    start: u64,
    stop: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Test<'a> {
    name: &'a str,
    status: &'static str,
    /// Milliseconds.
    duration: u64,
    suite: Vec<&'a str>,
    /// The verdict, which is more precise than the five statuses of the format.
    raw_status: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    message: String,
}

/// Every result as a test, in suites by backend and suite of the corpus; a known failure of a baseline
/// is skipped.
pub fn ctrf(report: &View) -> Result<String, RenderError> {
    let standings = Standings::of(report);
    let tests = report
        .cases
        .iter()
        .map(|record| test(record, standings.standing(record)));
    let tests: Vec<Test<'_>> = tests.collect();
    let mut summary = Summary {
        tests: tests.len() as u64,
        stop: (report.wall_s * 1e3) as u64,
        ..Summary::default()
    };
    for test in &tests {
        *match test.status {
            "passed" => &mut summary.passed,
            "failed" => &mut summary.failed,
            "pending" => &mut summary.pending,
            _ => &mut summary.skipped,
        } += 1;
    }
    let document = Document {
        report_format: "CTRF",
        spec_version: "0.0.0",
        results: Results {
            tool: Tool {
                name: "onnx-conformance",
                version: env!("CARGO_PKG_VERSION"),
            },
            summary,
            tests,
        },
    };
    let mut text = shown::json(&serde_json::to_string(&document)?);
    text.push('\n');
    Ok(text)
}

fn test(record: &CaseRecord, standing: Standing) -> Test<'_> {
    let CaseId { corpus, suite, name } = CaseId::parse(&record.case);
    let times = [record.load_ns, record.run_ns].into_iter().flatten();
    Test {
        name,
        status: match standing.status {
            Status::Passed => "passed",
            Status::Failed | Status::Broken => "failed",
            Status::Skipped => "skipped",
            Status::NotRun => "pending",
        },
        duration: times.fold(0, u64::saturating_add) / 1_000_000,
        suite: vec![&record.backend, corpus, suite],
        raw_status: standing.kind,
        message: standing.message,
    }
}
