//! Variants: cases in the [forms](crate::forms) that must not change the answer. The id of a variant is
//! `<case>~<form>`.
//!
//! A variant is made from the decoded model for each run, and nothing of it is stored. [`reports`]
//! compares the answer of a variant with that of its plain case.

use std::collections::BTreeMap;

use harness_corpus::form::Form;
use harness_corpus::{CaseFiles, CaseId};
use onnx_model::Model;
use rayon::prelude::*;
use run_record::{VariantKind, VariantPlan};

use crate::case::{Case, CaseError};
use crate::forms::{NotApplicable, Set, Subject, forms, make};

/// Cases, each followed by its variants.
#[derive(Debug, Default)]
pub struct Expanded {
    /// The cases and the variants.
    pub cases: Vec<CaseFiles>,
    /// The number of variants of each kind, and why forms do not apply.
    pub plans: Vec<VariantPlan>,
}

/// The forms for one case, and whether each applies.
type Found = Vec<(Form, Result<(), NotApplicable>)>;

/// Adds to each case its variants of `kinds` with a `wanted` id. A case that cannot be read has none;
/// the run reports why.
pub fn expand(cases: Vec<CaseFiles>, kinds: &[VariantKind], wanted: impl Fn(&CaseId) -> bool) -> Expanded {
    let found: Vec<Found> = cases
        .par_iter()
        .map(|files| applicable(files, kinds).unwrap_or_default())
        .collect();
    let mut plans: BTreeMap<VariantKind, VariantPlan> =
        kinds.iter().map(|&kind| (kind, empty(kind))).collect();
    let mut expanded = Expanded::default();
    for (files, found) in cases.into_iter().zip(found) {
        let mut variants = Vec::new();
        for (form, outcome) in found {
            let plan = plans.entry(form.kind()).or_insert_with(|| empty(form.kind()));
            match (outcome, files.in_form(form)) {
                (Ok(()), Ok(variant)) if wanted(&variant.id) => {
                    plan.variants += 1;
                    variants.push(variant);
                }
                (Ok(()), _) => {}
                (Err(reason), _) => *plan.not_applicable.entry(reason.to_string()).or_default() += 1,
            }
        }
        expanded.cases.push(files);
        expanded.cases.extend(variants);
    }
    expanded.plans = plans.into_values().collect();
    expanded
}

fn empty(kind: VariantKind) -> VariantPlan {
    VariantPlan {
        kind,
        variants: 0,
        not_applicable: BTreeMap::new(),
    }
}

/// The forms of these kinds, and whether each applies to a case.
fn applicable(files: &CaseFiles, kinds: &[VariantKind]) -> Result<Found, CaseError> {
    let (model, sets) = plain(files)?;
    let subject = Subject {
        model: &model,
        sets: &sets,
    };
    let forms = forms(&subject)
        .into_iter()
        .filter(|form| kinds.contains(&form.kind()));
    Ok(forms.map(|form| (form, make(form, &subject).map(drop))).collect())
}

/// The model and the data sets from which the variants of a case are made.
///
/// # Errors
/// The case cannot be read.
pub fn plain(files: &CaseFiles) -> Result<(Model, Vec<Set>), CaseError> {
    let (case, model) = Case::decode_plain(files)?;
    Ok((model, case.data_sets.iter().map(Set::of).collect()))
}
