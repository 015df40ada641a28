//! Disagreements of the reference with the data of cases.

use super::super::findings::{ABOUT, title};
use run_record::Report;

pub(super) struct Findings {
    pub title: String,
    pub about: &'static str,
    pub rows: Vec<Row>,
}

pub(super) struct Row {
    pub case: String,
    pub data_set: String,
    pub reason: String,
    pub origin: String,
}

pub(super) fn findings(report: &Report) -> Findings {
    let rows = report.data_findings.iter().map(|finding| Row {
        case: finding.case.clone(),
        data_set: finding.data_set.clone(),
        reason: finding.reason.clone(),
        origin: finding.origin(),
    });
    Findings {
        title: title(report),
        about: ABOUT,
        rows: rows.collect(),
    }
}
