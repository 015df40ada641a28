//! Disagreements of the reference with stored outputs, as text.

use run_record::DataFinding;
use run_record::Report;
use run_record::text::counted;

/// The title of such findings in every report.
pub(super) const TITLE: &str = "The reference disagrees with the data";

/// The consequence, for people.
pub(super) const ABOUT: &str = "The stored outputs and the answer of the reference differ by more than the official rule \
     allows. One of the two is wrong, so the verdicts on these cases do not say which backend is right.";

/// The maximum number of findings in the terminal and the summary.
const LISTED: usize = 10;

/// One finding as text: `test_data_set_0: …`, and the source of the expected outputs.
pub(super) fn words(finding: &DataFinding) -> String {
    format!(
        "{}: {} (expected outputs: {})",
        finding.data_set,
        finding.reason,
        finding.origin()
    )
}

/// The listed findings, and the number of others; `None` without findings.
pub(super) fn listed(report: &Report) -> Option<(&[DataFinding], usize)> {
    let findings = report.data_findings.as_slice();
    let listed = findings.get(..LISTED).unwrap_or(findings);
    (!findings.is_empty()).then_some((listed, findings.len() - listed.len()))
}

/// The title with the number of data sets.
pub(super) fn title(report: &Report) -> String {
    format!("{TITLE} of {}", counted(report.data_findings.len(), "data set"))
}
