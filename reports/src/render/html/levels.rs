//! Accuracy of passes: counts per backend, passes whose error exceeds rounding, passes on a fall-back.

use super::super::levels::{EXPLAINED_FAILURES, FALL_BACK, explained_failures};
use run_record::Report;
use run_record::text::{clip, error, thousands};
use run_record::{CaseRecord, Level, OutputStats, Verdict};

pub(super) struct Levels {
    pub policy: String,
    pub fall_back: &'static str,
    pub explained_failures: &'static str,
    pub rows: Vec<Row>,
    pub findings: Vec<Finding>,
    /// The number of findings that are not listed.
    pub more: Option<String>,
    pub fallen: Vec<Fallen>,
}

/// The counts of one backend: its passes by level, its passes on a fall-back, and its other answers that
/// rounding explains.
pub(super) struct Row {
    pub backend: String,
    pub counts: Vec<(Level, String)>,
    pub fell_back: String,
    pub explained: String,
}

/// A pass whose error rounding does not explain.
pub(super) struct Finding {
    pub case: String,
    pub backend: String,
    pub output: String,
    pub error: String,
    pub of_bound: String,
    pub model: String,
}

/// A pass that did not run on the requested provider.
pub(super) struct Fallen {
    pub case: String,
    pub backend: String,
    pub place: String,
}

/// The maximum number of rows; `results.csv` has all.
const LISTED: usize = 500;

pub(super) fn levels(report: &Report) -> Levels {
    let rows = report.backends.iter().map(|backend| Row {
        backend: backend.info.name.clone(),
        counts: backend
            .levels
            .iter()
            .map(|(level, count)| (level, thousands(count)))
            .collect(),
        fell_back: thousands(backend.passed_on_fall_back),
        explained: thousands(explained_failures(backend)),
    });
    let passes = || {
        report
            .cases
            .iter()
            .filter(|record| record.verdict == Verdict::Pass)
    };
    let found: Vec<Finding> = passes().filter_map(finding).collect();
    let policy = &report.started.policy;
    Levels {
        policy: format!("{}, version {}", policy.name, policy.version),
        fall_back: FALL_BACK,
        explained_failures: EXPLAINED_FAILURES,
        rows: rows.collect(),
        more: found
            .len()
            .checked_sub(LISTED)
            .filter(|more| *more > 0)
            .map(|more| thousands(more as u64)),
        findings: found.into_iter().take(LISTED).collect(),
        fallen: passes()
            .filter(|record| record.passed_on_fall_back())
            .map(fallen)
            .take(LISTED)
            .collect(),
    }
}

/// The output of a pass with the largest error relative to its bound.
fn finding(record: &CaseRecord) -> Option<Finding> {
    let beyond = |output: &&OutputStats| output.level >= Level::Tolerated;
    let output = record
        .outputs
        .iter()
        .filter(beyond)
        .max_by(|a, b| a.of_bound.total_cmp(&b.of_bound))?;
    Some(Finding {
        case: record.case.clone(),
        backend: record.backend.clone(),
        output: format!("{} {}", clip(&output.name, 60), output.dtype),
        error: format!("{} ULP", error(output.max_ulp)),
        of_bound: match output.of_bound {
            f64::INFINITY => "must be exact".to_owned(),
            of_bound => format!("{}×", error(of_bound)),
        },
        model: clip(output.model.as_deref().unwrap_or_default(), 80),
    })
}

fn fallen(record: &CaseRecord) -> Fallen {
    let place = record.place.clone().unwrap_or_default();
    let elsewhere = place
        .elsewhere
        .iter()
        .map(|node| clip(node, 80))
        .collect::<Vec<_>>()
        .join("; ");
    Fallen {
        case: record.case.clone(),
        backend: record.backend.clone(),
        place: format!("{} for {}: {elsewhere}", place.words(), place.requested),
    }
}
