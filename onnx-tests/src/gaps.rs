//! What the project lacks for an operator version: the list for whoever takes in a new release of ONNX.
//!
//! Tests of the crates fail for each of these gaps, one after the other; this is the whole list.

use std::collections::BTreeSet;

use harness_corpus::own::{OwnCase, OwnError, cases};
use onnx_generator::{Absent, Phase, plan, survey};
use onnx_schema::OperatorSchema;

use crate::versions::{OFFICIAL, listed};

/// Enough generated cases for every type and option of a version.
const MOST: usize = 400;

/// Operators whose results are rounded without a derived bound: domain, name, reason.
const WITHOUT_BOUND: [(&str, &str, &str); 1] = [(
    "ai.onnx.preview.training",
    "Gradient",
    "its result is the derivative of any graph",
)];

/// Something that an operator version lacks.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, thiserror::Error)]
pub enum Gap {
    /// No code computes it.
    #[error("the reference does not implement it: add its row in reference/operators")]
    Implementation,
    /// The generator has no declaration of the operator.
    #[error("the generator has no declaration of its shapes and values: reference/generator/src/operators")]
    Declaration,
    /// A cell of the schema table, or an enumerated attribute value, without a generated case.
    #[error("no generated case has {0}, and no reason is stated: reference/generator/src/operators")]
    Cell(String),
    /// No rule derives the error of its results.
    #[error("no bound of its rounding errors is derived: reference/bounds/src/rules")]
    Bound,
    /// No case has expected outputs from an independent source.
    #[error("no official case and no own case has it: onnx-tests/own")]
    Case,
}

/// The versions that official cases or own cases exercise, in the notation of the schema table.
///
/// # Errors
/// If an own case is malformed.
pub fn exercised() -> Result<BTreeSet<String>, OwnError> {
    let own = cases()?;
    let official = listed(OFFICIAL).into_keys().map(str::to_owned);
    Ok(official.chain(own.iter().map(version)).collect())
}

/// The version of the node of an own case.
fn version(case: &OwnCase) -> String {
    onnx_schema::lookup(&case.domain, case.id.suite(), case.since)
        .map(ToString::to_string)
        .unwrap_or_default()
}

/// What a version lacks; nothing if it withdraws the operator. `exercised` are the versions with a case.
pub fn gaps(schema: &'static OperatorSchema, exercised: &BTreeSet<String>) -> Vec<Gap> {
    if schema.deprecated {
        return Vec::new();
    }
    let (domain, name) = (schema.domain, schema.name);
    let mut gaps = Vec::new();
    let implemented = onnx_operators::all()
        .filter(|operator| operator.domain == domain && operator.name == name)
        .any(|operator| {
            operator
                .versions
                .iter()
                .any(|version| version.since == schema.since)
        });
    gaps.extend((!implemented).then_some(Gap::Implementation));
    match plan(schema, 0) {
        Err(Absent::Undeclared) => gaps.push(Gap::Declaration),
        Err(Absent::Withdrawn) => {}
        Ok(mut plan) => {
            plan.extend(Phase::Option, MOST);
            let reasons = plan.reasons();
            let cases: Vec<_> = plan.into_cases().into_iter().map(|(_, case)| case).collect();
            let missing = survey(schema, &cases, &reasons).missing;
            gaps.extend(
                missing
                    .into_iter()
                    .filter(|(_, reason)| reason.is_empty())
                    .map(|(cell, _)| Gap::Cell(cell)),
            );
        }
    }
    let excused = WITHOUT_BOUND
        .iter()
        .any(|(of, excused, _)| (*of, *excused) == (domain, name));
    let needs_bound = onnx_bounds::rules::rounds(domain, name) && !schema.nondeterministic && !excused;
    gaps.extend((needs_bound && onnx_bounds::rules::rule(domain, name).is_none()).then_some(Gap::Bound));
    gaps.extend((!exercised.contains(&schema.to_string())).then_some(Gap::Case));
    gaps
}
