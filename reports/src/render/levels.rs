//! The columns beside the levels of passes in every report.

use run_record::BackendReport;
use run_record::Level;

/// The column of passes that did not run on the requested provider.
pub(super) const FALL_BACK: &str = "passed on a fall-back";

/// The column of answers that do not pass although rounding explains them.
pub(super) const EXPLAINED_FAILURES: &str = "failed, within rounding";

/// The number of answers that do not pass although rounding explains them.
pub(super) fn explained_failures(backend: &BackendReport) -> u64 {
    backend.failed_levels.get(Level::WithinRounding)
}
