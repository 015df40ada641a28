//! Matches outputs with expected outputs by name.

use std::collections::HashMap;

use onnx_tensor::Value;
use run_record::MismatchKind;
use run_record::text::counted;

use super::Mismatch;

/// Expected outputs, each with the output of the same name.
pub(super) struct Paired<'v> {
    /// For each expected output the observed one; `None` if it is missing.
    pub answers: Vec<Option<&'v Value>>,
    /// The disagreement of the names; `None` if each expected output has exactly one match and there is no
    /// other.
    pub fault: Option<Mismatch>,
}

/// Pairs `observed` with `expected` by name, in any order. If a graph lists one name several times, its
/// outputs are paired in order.
pub(super) fn pair<'v>(expected: &[(String, Value)], observed: &'v [(String, Value)]) -> Paired<'v> {
    let mut by_name: HashMap<&str, Vec<&'v Value>> = HashMap::new();
    for (name, value) in observed.iter().rev() {
        by_name.entry(name).or_default().push(value);
    }
    let (mut answers, mut problems) = (Vec::with_capacity(expected.len()), Vec::new());
    for (name, _) in expected {
        let answer = by_name.get_mut(name.as_str()).and_then(Vec::pop);
        if answer.is_none() {
            problems.push(format!("`{name}` is missing"));
        }
        answers.push(answer);
    }
    for (name, _) in observed {
        if by_name.get_mut(name.as_str()).and_then(Vec::pop).is_some() {
            let known = expected.iter().any(|(expected, _)| expected == name);
            problems.push(if known {
                format!("`{name}` is returned more than once")
            } else {
                format!("`{name}` is not among the expected outputs")
            });
        }
    }
    let fault = (!problems.is_empty()).then(|| fault(expected.len(), observed.len(), &problems));
    Paired { answers, fault }
}

fn fault(expected: usize, observed: usize, problems: &[String]) -> Mismatch {
    /// The maximum number of names in the message.
    const MAX_NAMED: usize = 4;
    let mut named = problems
        .iter()
        .take(MAX_NAMED)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    if problems.len() > MAX_NAMED {
        named.push_str(", …");
    }
    if expected == observed {
        Mismatch {
            kind: MismatchKind::Name,
            reason: format!("wrong output names: {named}"),
        }
    } else {
        Mismatch {
            kind: MismatchKind::Count,
            reason: format!(
                "expected {}, got {observed}: {named}",
                counted(expected, "output")
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use super::*;

    fn named(names: &[&str]) -> Vec<(String, Value)> {
        let value = || Value::Tensor(Tensor::scalar(1.0_f32));
        names.iter().map(|name| ((*name).to_owned(), value())).collect()
    }

    #[track_caller]
    fn check(expected: &[&str], observed: &[&str], fault: Option<(MismatchKind, &str)>) {
        let (expected, observed) = (named(expected), named(observed));
        let found = pair(&expected, &observed).fault;
        let found = found.as_ref().map(|found| (found.kind, found.reason.as_str()));
        assert_eq!(found, fault);
    }

    #[test]
    fn every_expected_output_has_exactly_one_match() {
        let (count, name) = (MismatchKind::Count, MismatchKind::Name);
        check(&["y", "z"], &["y", "z"], None);
        check(&["y", "z"], &["z", "y"], None);
        check(&["y", "y"], &["y", "y"], None);
        check(&[], &[], None);
        check(
            &["y"],
            &["z"],
            Some((
                name,
                "wrong output names: `y` is missing, `z` is not among the expected outputs",
            )),
        );
        check(
            &["y", "z"],
            &["y"],
            Some((count, "expected 2 outputs, got 1: `z` is missing")),
        );
        check(
            &["y"],
            &["y", "z"],
            Some((
                count,
                "expected 1 output, got 2: `z` is not among the expected outputs",
            )),
        );
        check(
            &["y"],
            &["y", "y"],
            Some((count, "expected 1 output, got 2: `y` is returned more than once")),
        );
        check(
            &["y", "z"],
            &["y", "y"],
            Some((
                name,
                "wrong output names: `z` is missing, `y` is returned more than once",
            )),
        );
    }
}
