//! What many runs show over time: series with their change points, and the versions with which
//! cases began to fail.
//!
//! These are records only. Whoever keeps the history fills them, and
//! [`render::history_html`](crate::render::history_html) shows them.

use schemars::JsonSchema;
use serde::Serialize;

use crate::text::{nanoseconds, seconds, thousands, ulp};
use crate::{Severity, VerdictKind};

/// A history as its page shows it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Trends {
    /// How many runs were looked at.
    pub runs: u64,
    /// The operator whose cases were counted; none where all were.
    pub operator: Option<String>,
    /// The series, by backend.
    pub trends: Vec<Trend>,
    /// The cases that fail in the newest version of a backend and passed in an older one.
    pub first_bad: Vec<BackendBad>,
}

/// A backend over runs that can be compared with each other.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Trend {
    /// The backend's name in reports.
    pub backend: String,
    /// What the runs have in common: `ONNX 1.22.0, policy official`, or the machine of latencies.
    pub about: String,
    /// The runs, oldest first.
    pub runs: Vec<TrendRun>,
    /// The series; each has one value for each run.
    pub series: Vec<Series>,
}

/// A run of a trend.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TrendRun {
    /// When it began, UTC, RFC 3339.
    pub started: String,
    /// The backend's version.
    pub version: String,
    /// What a person called the run.
    pub label: String,
}

/// One figure over runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Series {
    /// What is counted or measured.
    pub measure: Measure,
    /// The model of a latency, with what else must be equal; empty for the other measures.
    pub subject: String,
    /// The figure of each run; none where the run has none.
    pub values: Vec<Option<f64>>,
    /// Where it changed.
    pub changes: Vec<SeriesChange>,
}

/// A change point of a series.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SeriesChange {
    /// The place of the first run after the change, in [`Trend::runs`].
    pub run: usize,
    /// The median of the figures from the change before to this one.
    pub before: f64,
    /// The median from this change to the next.
    pub after: f64,
    /// The probability that both sides have the same mean.
    pub p: f64,
    /// Cases that passed in the run before the change and fail in the first one after it; none
    /// where cases are not counted.
    pub broke: Option<u64>,
    /// Cases that failed before and pass after.
    pub fixed: Option<u64>,
}

/// What a series counts or measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Cases that passed.
    Pass,
    /// Cases whose answer was wrong.
    Wrong,
    /// Cases without an answer: errors, crashes, time-outs.
    Broken,
    /// Cases that the backend said not to support.
    Unsupported,
    /// The largest error of right answers, in units in the last place.
    Error,
    /// How long the backend took, in seconds.
    Duration,
    /// The median latency of a model, in nanoseconds.
    Latency,
}

/// A change point with what it belongs to.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Change {
    /// The backend's name in reports.
    pub backend: String,
    /// As [`Trend::about`].
    pub about: String,
    /// What changed.
    pub measure: Measure,
    /// As [`Series::subject`].
    pub subject: String,
    /// When the first run after the change began, UTC.
    pub since: String,
    /// The backend's version in the run before.
    pub last_version: String,
    /// Its version in the first run after the change.
    pub version: String,
    /// The figures, as in [`SeriesChange`].
    pub before: f64,
    /// See `before`.
    pub after: f64,
    /// Whether it is for the better; none where it is neither.
    pub better: Option<bool>,
    /// As [`SeriesChange::broke`].
    pub broke: Option<u64>,
    /// As [`SeriesChange::fixed`].
    pub fixed: Option<u64>,
    /// As [`SeriesChange::p`].
    pub p: f64,
}

impl Trends {
    /// The change points of all series, newest first.
    pub fn changes(&self) -> Vec<Change> {
        let mut all = Vec::new();
        for trend in &self.trends {
            for series in &trend.series {
                all.extend(
                    series
                        .changes
                        .iter()
                        .filter_map(|change| trend.change(series, change)),
                );
            }
        }
        all.sort_by(|a, b| b.since.cmp(&a.since));
        all
    }
}

impl Trend {
    fn change(&self, series: &Series, change: &SeriesChange) -> Option<Change> {
        let run = self.runs.get(change.run)?;
        let last = change.run.checked_sub(1).and_then(|last| self.runs.get(last));
        Some(Change {
            backend: self.backend.clone(),
            about: self.about.clone(),
            measure: series.measure,
            subject: series.subject.clone(),
            since: run.started.clone(),
            last_version: last.map(|run| run.version.clone()).unwrap_or_default(),
            version: run.version.clone(),
            before: change.before,
            after: change.after,
            better: series.measure.is_better(change.before, change.after),
            broke: change.broke,
            fixed: change.fixed,
            p: change.p,
        })
    }
}

impl Change {
    /// `1.30.0 → 1.31.1`, or the version where it is one.
    pub fn versions(&self) -> String {
        if self.last_version == self.version {
            self.version.clone()
        } else {
            format!("{} → {}", self.last_version, self.version)
        }
    }

    /// `pass`, or the model of a latency, as [`Series::title`].
    pub fn title(&self) -> String {
        title(self.measure, &self.subject)
    }

    /// `2 broke, 4 fixed`; empty where cases are not counted.
    pub fn moved(&self) -> String {
        match (self.broke, self.fixed) {
            (Some(broke), Some(fixed)) => format!("{} broke, {} fixed", thousands(broke), thousands(fixed)),
            _ => String::new(),
        }
    }

    /// `3.1e-7`, `0`.
    pub fn probability(&self) -> String {
        match self.p {
            0.0 => "0".to_owned(),
            p => format!("{p:.1e}"),
        }
    }
}

fn title(measure: Measure, subject: &str) -> String {
    match subject {
        "" => measure.label().to_owned(),
        subject => format!("{} of {subject}", measure.label()),
    }
}

impl Series {
    /// `pass`, or the model of a latency.
    pub fn title(&self) -> String {
        title(self.measure, &self.subject)
    }
}

impl Measure {
    /// The measures that count cases.
    pub const COUNTS: [Measure; 4] = [
        Measure::Pass,
        Measure::Wrong,
        Measure::Broken,
        Measure::Unsupported,
    ];

    /// The measure that counts cases of this verdict; none of a verdict that says nothing of the backend.
    pub fn counting(verdict: VerdictKind) -> Option<Measure> {
        Some(match verdict.severity()? {
            Severity::Passed => Measure::Pass,
            Severity::Wrong => Measure::Wrong,
            Severity::Error | Severity::Crash => Measure::Broken,
            Severity::Unsupported => Measure::Unsupported,
        })
    }

    /// What people read.
    pub const fn label(self) -> &'static str {
        match self {
            Measure::Pass => "pass",
            Measure::Wrong => "wrong",
            Measure::Broken => "broken",
            Measure::Unsupported => "not supported",
            Measure::Error => "max ULP",
            Measure::Duration => "duration",
            Measure::Latency => "latency",
        }
    }

    /// A figure as people read it: `1,726`, `3.2 s`, `21.1 ms`.
    pub fn figure(self, value: f64) -> String {
        match self {
            Measure::Pass | Measure::Wrong | Measure::Broken | Measure::Unsupported | Measure::Error => {
                ulp(value)
            }
            Measure::Duration => seconds(value),
            Measure::Latency => nanoseconds(value.max(0.0).round() as u64),
        }
    }

    /// Whether a change from one figure to another is for the better; none where it is neither.
    pub fn is_better(self, before: f64, after: f64) -> Option<bool> {
        let rises = (before != after).then_some(after > before)?;
        match self {
            Measure::Pass => Some(rises),
            Measure::Wrong | Measure::Broken | Measure::Error | Measure::Duration | Measure::Latency => {
                Some(!rises)
            }
            Measure::Unsupported => None,
        }
    }
}

/// The cases of a backend that fail in its newest version and passed in an older one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct BackendBad {
    /// The backend's name in reports.
    pub backend: String,
    /// The cases.
    pub cases: Vec<Bad>,
}

/// A case that fails in the newest version of a backend, and passed in an older one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Bad {
    /// The case.
    pub test: String,
    /// The last version in which it passed.
    pub last_good: String,
    /// The first version from which on it does not pass.
    pub first_bad: String,
    /// The verdict of the newest version.
    pub verdict: String,
    /// Its reason.
    pub reason: String,
}
