//! Variants compared with their plain cases.

use super::super::tables;
use super::super::variants::{ABOUT, any, not_applicable};
use run_record::Report;

pub(super) struct Variants {
    pub about: &'static str,
    /// Empty if no variant was run.
    pub table: String,
    /// Why each kind does not apply, and to how many cases.
    pub reasons: Vec<(&'static str, Vec<String>)>,
}

pub(super) fn variants(report: &Report) -> Variants {
    let reasons = report
        .variants
        .iter()
        .map(|kind| (kind.kind.key(), not_applicable(kind)));
    Variants {
        about: ABOUT,
        table: if any(report) {
            tables::variants(report, true).html("Variants and backends")
        } else {
            String::new()
        },
        reasons: reasons.collect(),
    }
}
