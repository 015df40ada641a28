//! The answers of the backends to open questions of the specification.

use super::super::readings::ABOUT;
use super::super::tables;
use run_record::Report;

pub(super) struct Readings {
    pub about: &'static str,
    /// Empty if no case depends on a question.
    pub table: String,
}

pub(super) fn readings(report: &Report) -> Readings {
    Readings {
        about: ABOUT,
        table: if report.readings.is_empty() {
            String::new()
        } else {
            tables::readings(report).html("Open questions and backends")
        },
    }
}
