//! Models that must be refused: one at least for each rule of the checker, and for rules of operators that only shapes or values
//! break.
//!
//! # What it is
//! [`RULES`] are models as text ([`model`]), each breaking one rule; [`FILES`] are bytes that break a rule before there is a model;
//! [`OPERATORS`] keep every rule of the checker, and break one that an operator's text states. The checker's tests hold that each
//! model breaks its rule and nothing else; `conformance --rejections` gives them to backends.
//!
//! # What it is not
//! It does not judge: whether a backend may take a model all the same is said by [`Contract`], and seen by the harness.

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
    /// The rule in words, with the place where it stands.
    pub rule: String,
    /// Whether a backend may take it.
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

    /// A rule without a model would be one that no backend is asked about.
    #[test]
    fn no_rule_is_without_a_model() {
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
    fn models_of_operators_keep_the_rules_of_the_checker() {
        for case in OPERATORS {
            let found = check(&model(case.text));
            assert!(found.is_empty(), "{}: {:?}", case.sentence, found.list);
        }
    }
}
