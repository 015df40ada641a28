//! Models that must be refused: at least one for each rule of the checker, and for rules of operators on
//! shapes and values.
//!
//! # Purpose
//! [`RULES`] are models as text ([`model`]), each of which violates one rule; [`FILES`] are bytes that
//! violate a rule before there is a model; [`OPERATORS`] satisfy every rule of the checker, but violate
//! a rule in an operator's text. The tests of the checker verify that each model violates its rule and
//! no other; `conformance --rejections` runs them on backends.
//!
//! # Scope
//! This crate does not judge: [`Contract`] states whether a backend may accept a model, and the harness
//! observes it.

mod contract;
mod files;
mod operators;
mod rules;
mod text;

pub use contract::Contract;
pub use files::{FILES, FileCase};
pub use operators::{OPERATORS, OperatorCase};
pub use rules::{RULES, RuleCase};
pub use text::model;

/// A model that must be refused.
#[derive(Clone, Debug)]
pub struct Rejection {
    /// Its name: the rule and a number, `cycle-1`, or the operator, `MatMul-1`.
    pub name: String,
    /// The text of the rule, with its location.
    pub rule: String,
    /// Whether a backend may accept it.
    pub contract: Contract,
    /// The file.
    pub bytes: Vec<u8>,
}

/// Every model that must be refused, in a fixed order.
pub fn all() -> Vec<Rejection> {
    let mut all = Vec::new();
    for case in RULES {
        for (index, text) in case.broken.iter().enumerate() {
            all.push(Rejection {
                name: format!("{}-{}", case.rule.name(), index + 1),
                rule: format!("{} ({})", case.rule.name(), case.rule.section()),
                contract: Contract::of(case.rule),
                bytes: model(text).encode(),
            });
        }
    }
    for (index, case) in FILES.iter().enumerate() {
        all.push(Rejection {
            name: format!("{}-file-{}", case.rule.name(), index + 1),
            rule: format!("{} ({}): {}", case.rule.name(), case.rule.section(), case.what),
            contract: Contract::of(case.rule),
            bytes: (case.bytes)(),
        });
    }
    for (index, case) in OPERATORS.iter().enumerate() {
        all.push(Rejection {
            name: format!("operator-{}", index + 1),
            rule: case.sentence.to_owned(),
            contract: Contract::Refused,
            bytes: model(case.text).encode(),
        });
    }
    all
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use onnx_checker::{Rule, check};

    use super::*;

    /// No backend would be tested on a rule without a model.
    #[test]
    fn every_rule_has_a_model() {
        let limit = [Rule::TooDeep];
        let named: BTreeSet<Rule> = RULES
            .iter()
            .map(|case| case.rule)
            .chain(FILES.iter().map(|case| case.rule))
            .chain(limit)
            .collect();
        assert_eq!(named, Rule::ALL.iter().copied().collect());
        assert!(RULES.iter().all(|case| !case.broken.is_empty()));
    }

    #[test]
    fn names_are_unique() {
        let all = all();
        let names: BTreeSet<&str> = all.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names.len(), all.len());
    }

    #[test]
    fn models_of_operators_satisfy_the_rules_of_the_checker() {
        for case in OPERATORS {
            let found = check(&model(case.text)).list;
            // Some sentences are about the value of an attribute alone.
            let others = found
                .iter()
                .filter(|finding| finding.rule() != Rule::AttributeValue);
            assert_eq!(others.count(), 0, "{}: {found:?}", case.sentence);
        }
    }
}
