//! What is shown: a report, and what a page shows beside it.

use std::ops::Deref;

use run_record::diff::Diff;
use run_record::past::Past;
use run_record::sums::Sums;
use run_record::{GateReport, Report};

/// A report with what comes from elsewhere. The report itself is what its events say.
#[derive(Debug, Clone, Default)]
pub struct View {
    pub report: Report,
    /// The decisions of gates on this run.
    pub gates: Vec<GateReport>,
    /// The comparison with the previous run.
    pub since: Option<Diff>,
    /// The verdicts of the cases in earlier runs.
    pub past: Option<Past>,
    /// How backends add.
    pub sums: Option<Sums>,
}

impl From<Report> for View {
    fn from(report: Report) -> Self {
        Self {
            report,
            ..Self::default()
        }
    }
}

impl Deref for View {
    type Target = Report;

    fn deref(&self) -> &Report {
        &self.report
    }
}
