//! The verdicts with a column in tables of counts.

use run_record::Report;
use run_record::VerdictKind;

/// The verdicts by which backends are compared: they always have a column.
const ALWAYS: [VerdictKind; 7] = [
    VerdictKind::Pass,
    VerdictKind::Mismatch,
    VerdictKind::Unsupported,
    VerdictKind::Error,
    VerdictKind::Crash,
    VerdictKind::Timeout,
    VerdictKind::Disputed,
];

/// The verdicts in tables of counts, in the order of [`VerdictKind::ALL`], including every verdict that
/// occurs.
pub(super) fn columns(report: &Report) -> Vec<VerdictKind> {
    let occurs = |kind: &VerdictKind| report.backends.iter().any(|backend| backend.tally.get(*kind) > 0);
    let shown = |kind: &VerdictKind| ALWAYS.contains(kind) || occurs(kind);
    VerdictKind::ALL.into_iter().filter(shown).collect()
}
