//! Variants compared with their plain cases, as text.

use run_record::VariantKind;
use run_record::text::thousands;
use run_record::{Report, VariantReport, VariantTally};

/// A description of the section, for people.
pub(super) const ABOUT: &str = "Metamorphic variants: each case in forms that must not change the answer. A variant differs if the plain \
     case passes and the variant does not, or if both give different answers.";

/// A short description of a kind of variant.
pub(super) const fn what(kind: VariantKind) -> &'static str {
    match kind {
        VariantKind::Initializers => "inputs as initializers, initializers as inputs",
        VariantKind::Shapes => "extents symbolic or unknown",
        VariantKind::Outputs => "outputs omitted",
        VariantKind::Branch => "nodes in the branches of an If",
        VariantKind::Function => "nodes in a local function",
        VariantKind::Identity => "an Identity at inputs or outputs",
        VariantKind::Reshape => "one more axis at the end",
    }
}

/// `3 of 1,212 differ`; empty if none was run.
pub(super) fn cell(tally: &VariantTally) -> String {
    match (tally.run, tally.differ) {
        (0, _) => String::new(),
        (run, differ) => format!("{} of {} differ", thousands(differ), thousands(run)),
    }
}

/// The number of forms of a kind that do not apply, with the reason, the most frequent first: `12: the
/// reason`.
pub(super) fn not_applicable(report: &VariantReport) -> Vec<String> {
    let mut reasons: Vec<(&String, &u64)> = report.not_applicable.iter().collect();
    reasons.sort_by_key(|(reason, count)| (std::cmp::Reverse(**count), (*reason).clone()));
    let words = |(reason, count): (&String, &u64)| format!("{}: {reason}", thousands(*count));
    reasons.into_iter().map(words).collect()
}

/// Whether variants were run.
pub(super) fn any(report: &Report) -> bool {
    !report.variants.is_empty()
}
