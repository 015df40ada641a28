//! Compares the rows of the operators with the schema table: no row is missing, none is extra.

use std::collections::BTreeSet;

use onnx_operators::frame::{Change, OpDef};

fn label(def: &OpDef, since: u32) -> String {
    if def.domain.is_empty() {
        format!("{}-{since}", def.name)
    } else {
        format!("{}.{}-{since}", def.domain, def.name)
    }
}

#[test]
fn rows_equal_the_versions_of_the_schemas() {
    let rows: BTreeSet<String> = onnx_operators::all()
        .flat_map(|def| def.versions.iter().map(|row| label(def, row.since)))
        .collect();
    // A deprecated version is rejected before it is evaluated.
    let wanted: BTreeSet<String> = onnx_schema::all()
        .filter(|schema| !schema.deprecated)
        .map(ToString::to_string)
        .collect();
    let deprecated: BTreeSet<String> = onnx_schema::all()
        .filter(|schema| schema.deprecated)
        .map(ToString::to_string)
        .collect();
    let contrib: BTreeSet<String> = onnx_schema::contrib().map(ToString::to_string).collect();
    let missing: Vec<_> = wanted.difference(&rows).collect();
    let extra: Vec<_> = rows
        .iter()
        .filter(|row| !wanted.contains(*row) && !deprecated.contains(*row) && !contrib.contains(*row))
        .collect();
    assert!(
        missing.is_empty() && extra.is_empty(),
        "{} missing: {missing:?}\nextra: {extra:?}",
        missing.len()
    );
}

#[test]
fn every_operator_occurs_once_with_sorted_versions() {
    let mut seen = BTreeSet::new();
    for def in onnx_operators::all() {
        assert!(seen.insert((def.domain, def.name)), "{} occurs twice", def.name);
        let sinces: Vec<u32> = def.versions.iter().map(|row| row.since).collect();
        assert!(sinces.is_sorted_by(|a, b| a < b), "{}: {sinces:?}", def.name);
        let firsts = def
            .versions
            .iter()
            .filter(|row| row.change == Change::First)
            .count();
        assert_eq!(
            (firsts, def.versions[0].change),
            (1, Change::First),
            "{}",
            def.name
        );
    }
}

/// A row may be `TypesOnly` or `Wording` only if the schemas agree.
#[test]
fn a_row_declares_no_smaller_change_than_the_schemas() {
    let mut wrong = Vec::new();
    for def in onnx_operators::all() {
        let schemas = onnx_schema::versions(def.domain, def.name);
        let schema = |since| schemas.iter().find(|schema| schema.since == since);
        for pair in def.versions.windows(2) {
            let (Some(before), Some(now)) = (schema(pair[0].since), schema(pair[1].since)) else {
                continue;
            };
            let claim = pair[1].change;
            let formals = |list: &[onnx_schema::Formal]| {
                list.iter().map(|f| (f.option, f.min_arity)).collect::<Vec<_>>()
            };
            let arity = |s: &onnx_schema::OperatorSchema| (formals(s.inputs), formals(s.outputs));
            // `consumed_inputs` of version 1 has no effect.
            let attributes = |s: &onnx_schema::OperatorSchema| {
                let kept = s
                    .attributes
                    .iter()
                    .filter(|attribute| attribute.name != "consumed_inputs");
                kept.map(|a| (a.name, a.kind, a.required, format!("{:?}", a.default)))
                    .collect::<Vec<_>>()
            };
            let same = arity(before) == arity(now) && attributes(before) == attributes(now);
            if matches!(claim, Change::TypesOnly | Change::Wording) && !same {
                wrong.push(format!("{} claims {claim:?}", label(def, pair[1].since)));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "inputs, outputs or attributes differ: {wrong:#?}"
    );
}
