//! Variants beside their plain cases, as text.

use crate::record::VariantKind;
use crate::text::thousands;
use crate::{Report, VariantReport, VariantTally};

/// What the section is about, for people.
pub(super) const ABOUT: &str = "Each case again in forms that must not change the answer. A variant differs where the plain \
     case passes and the variant does not, or where both give different answers.";

/// What a kind of variant does, in a few words.
pub(super) const fn what(kind: VariantKind) -> &'static str {
    match kind {
        VariantKind::Initializers => "inputs as initializers, initializers as inputs",
        VariantKind::Shapes => "extents symbolic or unknown",
        VariantKind::Outputs => "outputs left out",
        VariantKind::Branch => "nodes in the branches of an If",
        VariantKind::Function => "nodes in a local function",
        VariantKind::Identity => "an Identity at inputs or outputs",
        VariantKind::Reshape => "one more axis at the end",
    }
}

/// `3 of 1,212 differ`; empty where none was run.
pub(super) fn cell(tally: &VariantTally) -> String {
    match (tally.run, tally.differ) {
        (0, _) => String::new(),
        (run, differ) => format!("{} of {} differ", thousands(differ), thousands(run)),
    }
}

/// How many forms of a kind do not apply, and why, the most frequent reason first: `12: the reason`.
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
