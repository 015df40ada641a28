//! The answers of the backends to open questions of the specification.

use super::super::readings::{ABOUT, rows};
use run_record::Report;

pub(super) struct Readings {
    pub about: &'static str,
    pub rows: Vec<Row>,
}

pub(super) struct Row {
    pub question: String,
    pub default: String,
    /// The answers of each backend, and whether one of them differs from the default.
    pub cells: Vec<(String, bool)>,
}

pub(super) fn readings(report: &Report) -> Readings {
    let row = |row: super::super::readings::Row<'_>| Row {
        question: row.question.to_owned(),
        default: row.default.to_owned(),
        cells: row.cells,
    };
    Readings {
        about: ABOUT,
        rows: rows(report).into_iter().map(row).collect(),
    }
}
