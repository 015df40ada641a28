//! Checks the models of `onnx-rejections`: each violates only its rule.

use std::collections::BTreeSet;

use onnx_checker::{Rule, check};
use onnx_rejections::{FILES, RULES, RuleCase, model};

/// `hostile.rs` tests it.
const OF_LIMITS: [Rule; 1] = [Rule::TooDeep];

/// The rules that a model violates.
#[track_caller]
fn broken(text: &str) -> BTreeSet<Rule> {
    check(&model(text))
        .list
        .iter()
        .map(|finding| finding.rule())
        .collect()
}

#[test]
fn models_violate_exactly_their_rule() {
    let mut wrong = Vec::new();
    for RuleCase {
        rule,
        broken: texts,
        sound,
    } in RULES
    {
        let expectations = texts.iter().map(|text| (text, BTreeSet::from([*rule])));
        for (text, expected) in expectations.chain(sound.iter().map(|text| (text, BTreeSet::new()))) {
            let found = broken(text);
            if found != expected {
                wrong.push(format!("{}: found {found:?} in\n{text}\n", rule.name()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_has_a_case_and_a_unique_name() {
    let cases: BTreeSet<Rule> = RULES
        .iter()
        .map(|case| case.rule)
        .chain(FILES.iter().map(|file| file.rule))
        .chain(OF_LIMITS)
        .collect();
    assert_eq!(cases, Rule::ALL.iter().copied().collect());
    let names: BTreeSet<&str> = Rule::ALL.iter().map(|rule| rule.name()).collect();
    assert_eq!(names.len(), Rule::ALL.len());
}

#[test]
fn a_finding_names_graph_node_version_and_expected_type() {
    let check = |text: &str, expected: &str| {
        let found = check(&model(text));
        assert_eq!(
            found.list.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [expected]
        );
    };
    check(
        "graph x:float y:double -> z:float\nz = Add(x, y) name=sum",
        "main graph: node `sum` (Add-13): input 1 (`B`) is tensor(double), but type parameter T is already tensor(float)",
    );
    check(
        "graph c:bool x:float -> z:float\nbody b -> y\ny = Neg(q)\nend\nbody e -> y\ny = Neg(x)\nend\nz = If(c) then_branch={b} else_branch={e}",
        "main graph, `then_branch` of node `z`: node `#0 → y` (Neg-13): input 0 reads `q`, which is not defined",
    );
}
