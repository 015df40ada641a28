//! Properties of all generated cases: they are valid and reproducible, and every cell has a case or a
//! reason.

use std::collections::{BTreeMap, BTreeSet};

use onnx_generator::{Absent, Case, Phase, cases, plan, survey};
use onnx_model::encode_value;

/// Enough for every type and option of a version.
const MOST: usize = 400;

fn of_version(schema: &'static onnx_schema::OperatorSchema) -> Result<(Vec<Case>, String), Absent> {
    let mut plan = plan(schema, 0)?;
    plan.extend(Phase::Option, MOST);
    let reasons = plan.reasons();
    Ok((
        plan.into_cases().into_iter().map(|(_, case)| case).collect(),
        reasons,
    ))
}

#[test]
fn every_operator_that_is_not_withdrawn_has_cases() {
    let absent: Vec<String> = onnx_schema::all()
        .filter_map(|schema| Some((schema, of_version(schema).err()?)))
        .filter(|(schema, why)| *why != Absent::Withdrawn || !schema.deprecated)
        .map(|(schema, why)| format!("{schema}: {why}"))
        .collect();
    assert_eq!(absent, Vec::<String>::new());
    let empty: Vec<String> = onnx_schema::all()
        .filter(|schema| of_version(schema).is_ok_and(|(cases, _)| cases.is_empty()))
        .map(ToString::to_string)
        .collect();
    assert_eq!(empty, Vec::<String>::new());
}

/// The checker requires the rank of every output of a main graph, which only a witness knows.
fn is_rank_of_output(finding: &str) -> bool {
    finding.contains("declares no shape")
}

#[test]
fn every_case_is_a_valid_model() {
    let mut findings = BTreeSet::new();
    for (cases, _) in onnx_schema::all().filter_map(|schema| of_version(schema).ok()) {
        for case in cases {
            let found = onnx_checker::check(&case.model).list;
            let found = found
                .iter()
                .map(ToString::to_string)
                .filter(|finding| !is_rank_of_output(finding));
            findings.extend(found.map(|finding| format!("{}: {finding}", case.suite)));
        }
    }
    assert_eq!(findings, BTreeSet::new());
}

#[test]
fn the_types_of_a_case_equal_those_that_the_checker_infers() {
    let mut wrong = BTreeSet::new();
    for schema in onnx_schema::all() {
        let Ok((cases, _)) = of_version(schema) else {
            continue;
        };
        for case in cases {
            let uses = onnx_checker::usage(&case.model);
            let node = uses
                .iter()
                .find(|used| used.operator == schema.name && used.since == Some(schema.since));
            let Some(node) = node else {
                wrong.insert(format!("{}: no node of the version", case.suite));
                continue;
            };
            let parameters = node.inputs.iter().chain(&node.outputs);
            let found: Vec<_> = parameters
                .filter_map(|used| Some((used.parameter.unwrap_or(used.name), used.value_type.as_ref()?)))
                .collect();
            for (name, of) in &case.types {
                let known = found.iter().any(|(known, _)| known == name);
                if known
                    && !found
                        .iter()
                        .any(|(known, found)| known == name && of.matches(found))
                {
                    wrong.insert(format!("{} {name} is not {of}", case.suite));
                }
            }
        }
    }
    assert_eq!(wrong, BTreeSet::new());
}

#[test]
fn the_bytes_depend_only_on_the_seed() {
    let bytes = |seed: u64| -> BTreeMap<String, Vec<u8>> {
        let names = ["Add-14", "Conv-11", "LSTM-14", "Resize-19"];
        let versions = onnx_schema::all().filter(|schema| names.contains(&schema.to_string().as_str()));
        let mut all = BTreeMap::new();
        for schema in versions {
            let mut plan = plan(schema, seed).expect("it has a declaration");
            plan.extend(Phase::Pair, 60);
            for (_, case) in plan.into_cases() {
                let mut bytes = case.model.encode();
                case.inputs
                    .iter()
                    .for_each(|(name, value)| bytes.extend(encode_value(value, name)));
                all.insert(format!("{}/{}", case.suite, case.name), bytes);
            }
        }
        all
    };
    assert_eq!(bytes(0), bytes(0));
    assert_ne!(bytes(0), bytes(1));
}

#[test]
fn fewer_cases_are_the_first_of_more() {
    let names = |most: usize| -> Vec<String> {
        cases(0, most)
            .iter()
            .map(|case| format!("{}/{}", case.suite, case.name))
            .collect()
    };
    let (few, many) = (names(3000), names(9000));
    assert!(
        few.len() <= 3000 && many.len() <= 9000 && many.len() > 8000,
        "{} of 9000",
        many.len()
    );
    let many: BTreeSet<String> = many.into_iter().collect();
    let missing: Vec<&String> = few.iter().filter(|name| !many.contains(*name)).collect();
    assert_eq!(missing, Vec::<&String>::new());
}

/// The rest has a reason; the numbers may only grow.
#[test]
fn nearly_every_cell_has_a_case() {
    let (mut cells, mut decided, mut values, mut given) = (0, 0, 0, 0);
    for schema in onnx_schema::all().filter(|schema| !schema.deprecated) {
        let (cases, reasons) = of_version(schema).expect("it has a declaration");
        let survey = survey(schema, &cases, &reasons);
        assert!(
            survey.missing.values().all(|reason| !reason.is_empty()),
            "{schema}"
        );
        cells += survey.cells;
        decided += survey.decided;
        values += survey.values;
        given += survey.given;
    }
    assert_eq!(cells, 8982);
    assert!(decided >= 8840, "{decided} of {cells} cells");
    assert!(given >= 1050, "{given} of {values} values");
}
