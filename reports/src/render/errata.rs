//! The number of cases in the errata, in one line.

use run_record::Report;
use run_record::text::thousands;

/// `Excluded, because the test data or the text is faulty (errata.toml): 54 incomplete data, 31 wrong
/// data`; `None` without such cases.
pub(super) fn errata_line(report: &Report) -> Option<String> {
    let counts = report.errata();
    let counts = counts
        .iter()
        .map(|(erratum, &cases)| format!("{} {}", thousands(cases), erratum.label()));
    let counts: Vec<_> = counts.collect();
    (!counts.is_empty()).then(|| {
        format!(
            "Excluded, because the test data or the text is faulty (errata.toml): {}",
            counts.join(", ")
        )
    })
}
