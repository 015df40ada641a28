//! Determines which answer to an open question of the specification a backend follows.
//!
//! The reference runs a case with every relevant reading ([`run`](crate::run)). If two answers differ by
//! more than the official rule allows, the case depends on the question, and a backend's outputs are
//! compared with each answer.

use backend_api::Named;
use harness_compare::{Tolerance, compare};

/// The option of the reference that selects readings.
pub(crate) const OPTION: &str = "reading";

/// The reference's answers to one data set that depends on an open question.
#[derive(Clone, Debug)]
pub struct Open {
    pub question: String,
    /// The name of the default answer and its outputs; `None` if the reference refuses the model by default.
    pub default: (String, Option<Vec<Named>>),
    /// The other answers, with outputs that differ from those of the default.
    pub others: Vec<(String, Vec<Named>)>,
}

/// A backend's answer to an open question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Followed {
    pub question: String,
    /// The answer with which the outputs agree; `None` if they agree with none.
    pub answer: Option<String>,
    /// The name of the default answer.
    pub default: String,
}

impl Open {
    /// The answer with which these outputs agree; the default is tried first.
    pub fn followed(&self, outputs: &[Named], tolerance: Tolerance) -> Followed {
        let agrees = |answer: &[Named]| compare(answer, outputs, tolerance).mismatch.is_none();
        let (name, default) = &self.default;
        let default = default.as_deref().filter(|answer| agrees(answer)).map(|_| name);
        let other = || {
            self.others
                .iter()
                .find(|(_, answer)| agrees(answer))
                .map(|(name, _)| name)
        };
        Followed {
            question: self.question.clone(),
            answer: default.or_else(other).cloned(),
            default: name.clone(),
        }
    }
}

impl Followed {
    /// The note for a verdict; `None` for the default answer.
    pub fn note(&self) -> Option<String> {
        let answer = self.answer.as_ref().filter(|answer| **answer != self.default)?;
        Some(format!("follows the reading {}={answer}", self.question))
    }
}

/// Combines the data sets of a case: an answer other than the default, if any data set follows one.
pub fn join(all: &mut Vec<Followed>, further: Vec<Followed>) {
    for one in further {
        match all.iter_mut().find(|known| known.question == one.question) {
            None => all.push(one),
            Some(known) if known.answer.as_ref() == Some(&known.default) => *known = one,
            Some(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use super::*;

    fn outputs(value: f32) -> Vec<Named> {
        vec![("y".to_owned(), Tensor::vector(vec![value]).into())]
    }

    #[track_caller]
    fn check(default: Option<f32>, found: f32, answer: Option<&str>, note: Option<&str>) {
        let open = Open {
            question: "q".to_owned(),
            default: ("a".to_owned(), default.map(outputs)),
            others: vec![("b".to_owned(), outputs(2.0)), ("c".to_owned(), outputs(3.0))],
        };
        let tolerance = Tolerance {
            relative: 1e-3,
            absolute: 1e-7,
        };
        let followed = open.followed(&outputs(found), tolerance);
        assert_eq!(followed.answer.as_deref(), answer);
        assert_eq!(followed.note().as_deref(), note);
    }

    #[test]
    fn outputs_follow_the_answer_that_they_agree_with() {
        check(Some(1.0), 1.0, Some("a"), None);
        check(Some(1.0), 1.0005, Some("a"), None);
        check(Some(1.0), 3.0, Some("c"), Some("follows the reading q=c"));
        check(Some(1.0), 4.0, None, None);
        check(None, 2.0, Some("b"), Some("follows the reading q=b"));
    }

    #[test]
    fn one_data_set_with_another_answer_decides() {
        let followed = |answer: Option<&str>| Followed {
            question: "q".to_owned(),
            answer: answer.map(str::to_owned),
            default: "a".to_owned(),
        };
        let mut all = Vec::new();
        for answer in [Some("a"), Some("b"), Some("a")] {
            join(&mut all, vec![followed(answer)]);
        }
        assert_eq!(all, [followed(Some("b"))]);
    }
}
