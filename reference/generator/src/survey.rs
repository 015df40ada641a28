//! The cases of all versions, and the cells of the schema table that they cover.

use std::collections::{BTreeMap, BTreeSet};

use onnx_model::AttributeValue;
use onnx_schema::OperatorSchema;

use crate::cells::{parameters, short};
use crate::operators::declaration;
use crate::{Case, Phase, Plan, enumerated};

/// The maximum number of cases of one version.
const LONGEST: usize = 1500;

/// Why a version has no case.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Absent {
    /// No model may use it.
    #[error("the version withdraws the operator")]
    Withdrawn,
    /// There is no declaration.
    #[error("the operator has no declaration")]
    Undeclared,
}

/// The empty list of cases of a version.
///
/// # Errors
/// [`Absent`] if the version has none.
pub fn plan(schema: &'static OperatorSchema, seed: u64) -> Result<Plan, Absent> {
    if schema.deprecated {
        return Err(Absent::Withdrawn);
    }
    let declaration = declaration(schema.domain, schema.name).ok_or(Absent::Undeclared)?;
    Ok(Plan::new(schema, declaration, seed))
}

/// At most `most` cases over all versions, evenly distributed: first every type, then every option, then
/// combinations and pairs, then further draws of them.
pub fn cases(seed: u64, most: usize) -> Vec<Case> {
    cases_of(onnx_schema::all(), seed, most)
}

/// Like [`cases`], of the operators that ONNX Runtime adds, as far as they have a declaration.
pub fn contrib_cases(seed: u64, most: usize) -> Vec<Case> {
    cases_of(onnx_schema::contrib(), seed, most)
}

fn cases_of(schemas: impl Iterator<Item = &'static OperatorSchema>, seed: u64, most: usize) -> Vec<Case> {
    let mut plans: Vec<Plan> = schemas.filter_map(|schema| plan(schema, seed).ok()).collect();
    plans
        .iter_mut()
        .for_each(|plan| plan.extend(Phase::Pair, most.min(LONGEST)));
    let lengths = |plans: &[Plan]| plans.iter().map(|plan| plan.cases().count()).collect::<Vec<_>>();
    if lengths(&plans).iter().sum::<usize>() < most {
        // Assumes that no list ends: long lists need no more cases.
        let even = most.div_ceil(plans.len().max(1)).min(LONGEST);
        plans.iter_mut().for_each(|plan| plan.draw(even));
    }
    let share = share(&lengths(&plans), most);
    let lists = plans.into_iter().map(Plan::into_cases);
    let taken = lists.flat_map(|list| list.into_iter().take(share).map(|(_, case)| case));
    taken.collect()
}

/// The maximum number of cases of each version, such that the total is at most `most`.
fn share(lengths: &[usize], most: usize) -> usize {
    let total = |share: usize| lengths.iter().map(|&length| length.min(share)).sum::<usize>();
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let (mut low, mut high) = (0, longest);
    while low < high {
        let middle = (low + high).div_ceil(2);
        if total(middle) <= most {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

/// The cells and enumerated attribute values with cases.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// The cells of the schema table.
    pub cells: usize,
    /// Cells with a case.
    pub decided: usize,
    /// The enumerated attribute values of all versions.
    pub values: usize,
    /// Values with a case.
    pub given: usize,
    /// Cells and values without a case, `<version> <parameter>=<type>` or `<version>
    /// <attribute>=<value>`, with the reason.
    pub missing: BTreeMap<String, String>,
}

/// Counts what the cases of a version cover; `reason` gives the reason for the rest.
pub fn survey(schema: &'static OperatorSchema, cases: &[Case], reason: &str) -> Survey {
    let mut survey = Survey::default();
    let types: BTreeSet<(&str, String)> = cases
        .iter()
        .flat_map(|case| case.types.iter().map(|(name, of)| (*name, short(of))))
        .collect();
    for parameter in parameters(schema) {
        for of in parameter.types {
            survey.cells += 1;
            if types.contains(&(parameter.name, short(of))) {
                survey.decided += 1;
            } else {
                survey.missing.insert(
                    format!("{schema} {}={}", parameter.name, short(of)),
                    reason.to_owned(),
                );
            }
        }
    }
    let given = given(schema, cases);
    for attribute in schema.attributes {
        for value in enumerated(schema, attribute.name) {
            survey.values += 1;
            if given.contains(&(attribute.name.to_owned(), value.clone())) {
                survey.given += 1;
            } else {
                survey
                    .missing
                    .insert(format!("{schema} {}={value}", attribute.name), reason.to_owned());
            }
        }
    }
    survey
}

/// The enumerated values that nodes give to attributes.
fn given(schema: &OperatorSchema, cases: &[Case]) -> BTreeSet<(String, String)> {
    let nodes = cases.iter().flat_map(|case| &case.model.graph.nodes);
    let nodes = nodes.filter(|node| node.operator == schema.name && node.domain == schema.domain);
    let mut given = BTreeSet::new();
    for attribute in nodes.flat_map(|node| &node.attributes) {
        let text = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).into_owned();
        let texts = match &attribute.value {
            AttributeValue::Int(value) => vec![value.to_string()],
            AttributeValue::String(bytes) => vec![text(bytes)],
            AttributeValue::Strings(list) => list.iter().map(text).collect(),
            AttributeValue::Ints(values) => values.iter().map(i64::to_string).collect(),
            // No other kind has enumerated values.
            _ => Vec::new(),
        };
        given.extend(texts.into_iter().map(|text| (attribute.name.clone(), text)));
    }
    given
}
