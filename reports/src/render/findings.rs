//! Where the reference disagrees with stored outputs, as text.

use crate::Report;
use crate::record::DataFinding;
use crate::text::thousands;

/// What such a finding is called in every report.
pub(super) const TITLE: &str = "The reference disagrees with the data";

/// What follows from it, for people.
pub(super) const ABOUT: &str = "The stored outputs and the answer of the reference differ by more than the official rule \
     allows. One of the two is wrong, so the verdicts on these cases do not say which backend is right.";

/// Most findings that the terminal and the summary list.
const LISTED: usize = 10;

/// One finding in words: `test_data_set_0: …`, and where the expected outputs come from.
pub(super) fn words(finding: &DataFinding) -> String {
    format!(
        "{}: {} (expected outputs: {})",
        finding.data_set,
        finding.reason,
        finding.origin()
    )
}

/// The findings that are listed, and how many more there are; none where there is no finding.
pub(super) fn listed(report: &Report) -> Option<(&[DataFinding], usize)> {
    let findings = report.data_findings.as_slice();
    let listed = findings.get(..LISTED).unwrap_or(findings);
    (!findings.is_empty()).then_some((listed, findings.len() - listed.len()))
}

/// The title with the number of data sets.
pub(super) fn title(report: &Report) -> String {
    let count = report.data_findings.len() as u64;
    let things = if count == 1 { "data set" } else { "data sets" };
    format!("{TITLE} of {} {things}", thousands(count))
}
