//! Compares variants with their plain cases: the only place that decides whether they differ.

use std::collections::BTreeMap;

use super::{CaseKey, Fold};
use crate::{CaseRecord, OutputStats, VariantId, VariantKind, Verdict, VerdictKind};

/// The tolerance for the measured errors of two wrong answers that count as the same: the official
/// tolerance.
const RELATIVE: f64 = 1e-3;
const ABSOLUTE: f64 = 1e-7;

/// The results of one kind of variant.
#[derive(Debug, Clone, PartialEq)]
pub struct VariantReport {
    /// The kind.
    pub kind: VariantKind,
    /// Why forms of it do not apply, and to how many cases.
    pub not_applicable: BTreeMap<String, u64>,
    /// The counts, by backend as in the report.
    pub tallies: Vec<VariantTally>,
}

/// The results of the variants of one kind on one backend.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VariantTally {
    /// Variants that were run.
    pub run: u64,
    /// Those of them that pass.
    pub passed: u64,
    /// Those of them whose result differs from that of their plain case.
    pub differ: u64,
}

/// Assigns a verdict to every variant that differs from its plain case on the same backend.
pub(super) fn judge(cases: &mut BTreeMap<CaseKey, CaseRecord>) {
    let differing = |(key, record): (&CaseKey, &CaseRecord)| {
        let variant = VariantId::parse(&key.case)?;
        let plain = cases.get(&plain_key(key, &variant))?;
        Some((key.clone(), difference(variant.kind, plain, record)?))
    };
    let found: Vec<(CaseKey, String)> = cases.iter().filter_map(differing).collect();
    for (key, reason) in found {
        if let Some(record) = cases.get_mut(&key) {
            record.reason = reason;
            record.verdict = Verdict::VariantDiffers(record.verdict.kind());
        }
    }
}

/// How a variant differs from its plain case; `None` if it does not, or if one of them has no result.
///
/// It differs if the plain case passes and the variant does not, if the plain answer is wrong and that
/// of the variant is right, and if both are wrong by amounts that differ by more than the official
/// tolerance. A variant of a plain case without an answer (unsupported, an error, a crash) does not
/// differ.
fn difference(kind: VariantKind, plain: &CaseRecord, variant: &CaseRecord) -> Option<String> {
    match (plain.verdict.kind(), variant.verdict.kind()) {
        (
            _,
            VerdictKind::NotRun
            | VerdictKind::Skipped
            | VerdictKind::Undecided
            | VerdictKind::Disputed
            | VerdictKind::Flaky,
        ) => None,
        (VerdictKind::Pass, VerdictKind::Pass) => None,
        (VerdictKind::Pass, _) => Some(format!(
            "the plain case passes, but the variant does not: {}",
            words(variant)
        )),
        // The wrong output may be the one that is omitted.
        (VerdictKind::Mismatch, VerdictKind::Pass) => (kind != VariantKind::Outputs).then(|| {
            format!(
                "the variant passes, but the plain case does not: {}",
                words(plain)
            )
        }),
        (VerdictKind::Mismatch, VerdictKind::Mismatch) => (!same_errors(plain, variant)).then(|| {
            format!(
                "both answers are wrong, but they differ; plain: {}; variant: {}",
                words(plain),
                words(variant)
            )
        }),
        _ => None,
    }
}

/// `mismatch (numeric): …`.
fn words(record: &CaseRecord) -> String {
    let kind = record.verdict.kind().label();
    let detail = record.verdict.detail();
    let verdict = if detail.is_empty() {
        kind.to_owned()
    } else {
        format!("{kind} ({detail})")
    };
    match record.reason.as_str() {
        "" => verdict,
        reason => format!("{verdict}: {reason}"),
    }
}

/// Whether the outputs of both are wrong by the same amounts.
fn same_errors(plain: &CaseRecord, variant: &CaseRecord) -> bool {
    let near = |a: f64, b: f64| {
        a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= ABSOLUTE + RELATIVE * a.abs().max(b.abs())
    };
    let same = |output: &OutputStats| {
        let other = plain.outputs.iter().find(|other| other.name == output.name);
        other.is_none_or(|other| {
            near(other.max_abs, output.max_abs) && (other.differing == 0) == (output.differing == 0)
        })
    };
    variant.outputs.iter().all(same)
}

/// One report for each kind of variant that the run has or was meant to have.
pub(super) fn reports(fold: &Fold, backends: usize) -> Vec<VariantReport> {
    let mut reports: BTreeMap<VariantKind, VariantReport> = BTreeMap::new();
    let empty = |kind: VariantKind| VariantReport {
        kind,
        not_applicable: BTreeMap::new(),
        tallies: vec![VariantTally::default(); backends],
    };
    for plan in fold.variant_plans.values() {
        let report = reports.entry(plan.kind).or_insert_with(|| empty(plan.kind));
        report.not_applicable = plan.not_applicable.clone();
    }
    for (key, record) in &fold.cases {
        let Some(variant) = VariantId::parse(&key.case) else {
            continue;
        };
        // The name of a user's case may look like that of a variant.
        if !fold.cases.contains_key(&plain_key(key, &variant)) && fold.variant_plans.is_empty() {
            continue;
        }
        let report = reports.entry(variant.kind).or_insert_with(|| empty(variant.kind));
        if let Some(tally) = report.tallies.get_mut(key.backend) {
            tally.run += 1;
            tally.passed += u64::from(record.verdict.kind() == VerdictKind::Pass);
            tally.differ += u64::from(record.verdict.kind() == VerdictKind::VariantDiffers);
        }
    }
    reports.into_values().collect()
}

/// The index of the plain case of a variant, on the same backend.
fn plain_key(key: &CaseKey, variant: &VariantId<'_>) -> CaseKey {
    CaseKey {
        release: key.release,
        case: variant.plain.to_owned(),
        backend: key.backend,
    }
}
