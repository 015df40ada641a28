//! Refuses models that break a rule of the specification (crate `onnx-checker`).

use onnx_checker::{Finding, Limits, Problem, check_within};
use onnx_model::Model;

use super::{ImportError, bind};

/// Checks a model against the specification, as far as this is possible without running it.
///
/// # Errors
/// The first violation that leaves the model without a meaning.
pub fn check(model: &Model) -> Result<(), ImportError> {
    // With a limit, tolerated findings could hide one that is not.
    let all = Limits {
        findings: usize::MAX,
        ..Limits::default()
    };
    let found = check_within(model, all).list;
    match found.into_iter().find(|finding| !is_tolerated(finding)) {
        Some(finding) => Err(ImportError::Broken(Box::new(finding))),
        None => Ok(()),
    }
}

/// Whether the model has one meaning all the same, and real models are like this.
fn is_tolerated(finding: &Finding) -> bool {
    let node = finding.node.as_ref();
    let since = node.and_then(|node| node.since);
    match &finding.problem {
        // Constant-1 allows only floats, but holds integers in models of its time.
        Problem::TypeNotAllowed { what: "output", .. } => {
            since == Some(1) && node.is_some_and(|node| node.operator == "Constant")
        }
        Problem::OperatorDeprecated => node
            .zip(since)
            .and_then(|(node, since)| onnx_schema::lookup("", &node.operator, since))
            .is_some_and(|schema| !bind::is_withdrawn(schema)),
        _ => finding.rule().keeps_meaning(),
    }
}

#[cfg(test)]
mod tests {
    use onnx_model::{Limits, Model, Source};

    use super::check;

    /// Every model of the contract is refused at load, except those that a backend may run and
    /// those whose rule only shapes or values break.
    #[test]
    fn models_without_a_meaning_are_refused() {
        let mut refused = 0;
        for case in onnx_rejections::RULES {
            for text in case.broken {
                assert_eq!(
                    check(&onnx_rejections::model(text)).is_err(),
                    !case.rule.keeps_meaning(),
                    "{}: {text}",
                    case.rule.name()
                );
                refused += usize::from(!case.rule.keeps_meaning());
            }
            for text in case.sound {
                let found = check(&onnx_rejections::model(text));
                assert!(found.is_ok(), "{}: {text}: {found:?}", case.rule.name());
            }
        }
        assert!(refused > 50, "{refused} models");
    }

    /// The bytes are decoded or checked without success.
    #[test]
    fn files_without_a_model_are_refused() {
        for case in onnx_rejections::FILES {
            let source = Source::named("the model");
            let decoded = Model::decode((case.bytes)(), &source, &Limits::default());
            let checked = decoded.ok().map(|model| check(&model).is_ok());
            assert!(
                checked != Some(true) || case.rule.keeps_meaning(),
                "{}",
                case.what
            );
        }
    }
}
