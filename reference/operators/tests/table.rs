//! The rows of the operators against the table of schemas: nothing missing, nothing invented.

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
fn every_version_of_every_operator_has_a_row_and_no_row_is_invented() {
    let rows: BTreeSet<String> = onnx_operators::all()
        .flat_map(|def| def.versions.iter().map(|row| label(def, row.since)))
        .collect();
    // A deprecated version is refused before it is evaluated.
    let wanted: BTreeSet<String> = onnx_schema::all()
        .filter(|schema| !schema.deprecated)
        .map(ToString::to_string)
        .collect();
    let deprecated: BTreeSet<String> = onnx_schema::all()
        .filter(|schema| schema.deprecated)
        .map(ToString::to_string)
        .collect();
    let missing: Vec<_> = wanted.difference(&rows).collect();
    let invented: Vec<_> = rows
        .iter()
        .filter(|row| !wanted.contains(*row) && !deprecated.contains(*row))
        .collect();
    assert!(
        missing.is_empty() && invented.is_empty(),
        "{} missing: {missing:?}\ninvented: {invented:?}",
        missing.len()
    );
}

#[test]
fn every_operator_stands_once_with_its_versions_in_order() {
    let mut seen = BTreeSet::new();
    for def in onnx_operators::all() {
        assert!(seen.insert((def.domain, def.name)), "{} stands twice", def.name);
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

/// A row may only call itself `TypesOnly` or `Wording` where the schemas bear it out.
#[test]
fn a_row_claims_no_smaller_change_than_the_schemas_show() {
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
            // `consumed_inputs` of version 1 has no meaning.
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
