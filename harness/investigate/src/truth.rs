//! Determines expected outputs.
//!
//! The expected outputs are those of the reference. If it does not finish, or does not know an operator,
//! other backends may agree; this is weaker evidence and is reported as such. If it refuses the model or its
//! inputs, no answer is right, whoever agrees.

use std::collections::BTreeSet;
use std::thread;

use backend_api::Named;
use harness_compare::{Tolerance, compare};
use harness_conformance::judge::Judgement;
use harness_corpus::OfficialTolerance;
use run_record::Verdict;

use crate::InvestigateError;
use crate::deviation::deviation;
use crate::runner::{Answer, Outputs, RunRequest, Runner};

/// The source of expected outputs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Truth {
    Reference,
    /// The reference does not answer; these backends agree, and the outputs are those of the first.
    Agreement {
        /// Why the reference does not answer.
        reason: String,
        /// The backends that agree, at least two.
        agreeing: Vec<String>,
        /// Backends with other answers.
        others: Vec<String>,
    },
    /// The reference does not answer, and the user trusts this backend. Nothing verifies its answer.
    Trusted {
        /// Why the reference does not answer.
        reason: String,
        backend: String,
    },
}

/// The expected outputs of a model.
#[derive(Clone, Debug)]
pub enum Expected {
    /// The outputs are known.
    Known {
        /// In the order of the graph.
        outputs: Vec<Named>,
        /// Their source.
        truth: Truth,
    },
    /// The outputs are unknown.
    Unknown {
        /// Why the reference does not answer, and the result of the other backends.
        reason: String,
    },
}

/// The maximum difference of answers that agree, relative to the largest element.
pub const AGREEMENT: f64 = 1e-3;

/// Expected outputs of the reference.
///
/// # Errors
/// A worker cannot be started again, or the command is interrupted.
pub fn by_reference(
    request: &RunRequest,
    reference: &mut Runner,
) -> Result<Answer<Expected>, InvestigateError> {
    let answer = reference.run(request)?;
    Ok(answer.map(|outputs| Expected::Known {
        outputs: outputs.values,
        truth: Truth::Reference,
    }))
}

/// Expected outputs of a backend that the user trusts, after the reference did not answer for `reason`.
///
/// # Errors
/// Like [`by_reference`].
pub fn by_trust(
    reason: String,
    request: &RunRequest,
    trusted: &mut Runner,
) -> Result<Expected, InvestigateError> {
    Ok(match trusted.run(request)? {
        Ok(outputs) => Expected::Known {
            outputs: outputs.values,
            truth: Truth::Trusted {
                reason,
                backend: trusted.name().to_owned(),
            },
        },
        Err(judgement) => Expected::Unknown {
            reason: format!(
                "the reference does not answer ({reason}), nor does `{}`, which you trust ({})",
                trusted.name(),
                judgement.reason
            ),
        },
    })
}

/// Why the answer on which backends agree is not the right one either, after the reference did not answer for
/// this reason; `None` if it may be.
pub fn undefined(refusal: &Judgement) -> Option<String> {
    matches!(refusal.verdict, Verdict::Error(_)).then(|| {
        format!(
            "the reference refuses the model or its inputs ({}), so that no answer is right, whoever agrees",
            refusal.reason
        )
    })
}

/// Why the reference does not answer, with what would help.
pub fn unanswered(refusal: Judgement) -> String {
    match refusal.verdict {
        Verdict::Timeout => format!("{}; --timeout gives it more time", refusal.reason),
        _ => refusal.reason,
    }
}

/// Expected outputs by agreement of backends, after the reference did not answer for `reason`. They run at
/// the same time, so that all together take at most the time of one; a single runtime is not asked, because
/// no other can agree with it.
///
/// # Errors
/// Like [`by_reference`].
pub fn by_agreement(
    reason: String,
    request: &RunRequest,
    backends: &mut [Runner],
) -> Result<Expected, InvestigateError> {
    let runtimes: BTreeSet<&str> = backends
        .iter()
        .map(|backend| backend.description().name.as_str())
        .collect();
    if runtimes.len() < 2 {
        return Ok(Expected::Unknown {
            reason: format!(
                "the reference does not answer ({reason}), and answers count only if two other runtimes agree: \
                 name another one by --backend, or the one that you trust by --trust"
            ),
        });
    }
    let (mut answers, mut silent) = (Vec::new(), Vec::new());
    let ran = run_all(backends, request)?;
    for (backend, answer) in backends.iter().zip(ran) {
        match answer {
            Ok(outputs) => answers.push(Vote {
                backend: backend.name().to_owned(),
                runtime: backend.description().name.clone(),
                outputs: outputs.values,
            }),
            Err(judgement) => silent.push(format!("{}: {}", backend.name(), judgement.reason)),
        }
    }
    Ok(majority(reason, &answers, &silent))
}

/// The answer of each backend; all run at the same time.
fn run_all(backends: &mut [Runner], request: &RunRequest) -> Result<Vec<Answer<Outputs>>, InvestigateError> {
    thread::scope(|scope| {
        let runs: Vec<_> = backends
            .iter_mut()
            .map(|backend| scope.spawn(|| backend.run(request)))
            .collect();
        let joined = runs.into_iter().map(|run| match run.join() {
            Ok(answer) => Ok(answer?),
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.collect()
    })
}

/// The answer of a backend.
struct Vote {
    backend: String,
    /// The runtime: with other options it has no second vote.
    runtime: String,
    outputs: Vec<Named>,
}

/// The answer that agrees with those of most other runtimes; the first of several. `silent` are the backends
/// without an answer, each with its reason.
fn majority(reason: String, answers: &[Vote], silent: &[String]) -> Expected {
    let with = |answer: &Vote| -> Vec<bool> {
        let others = answers.iter();
        others
            .map(|other| agree(&answer.outputs, &other.outputs))
            .collect()
    };
    let count = |agreeing: &Vec<bool>| {
        let agreeing = answers.iter().zip(agreeing).filter(|(_, agrees)| **agrees);
        let runtimes: BTreeSet<&str> = agreeing.map(|(vote, _)| vote.runtime.as_str()).collect();
        runtimes.len()
    };
    let best = answers
        .iter()
        .map(|answer| (answer, with(answer)))
        .rev()
        .max_by_key(|(_, agreeing)| count(agreeing));
    match best {
        Some((best, agreeing)) if count(&agreeing) >= 2 => {
            let names = |wanted: bool| {
                let chosen = answers
                    .iter()
                    .zip(&agreeing)
                    .filter(move |(_, agrees)| **agrees == wanted);
                chosen.map(|(other, _)| other.backend.clone())
            };
            let mut all = vec![best.backend.clone()];
            all.extend(names(true).filter(|other| *other != best.backend));
            Expected::Known {
                outputs: best.outputs.clone(),
                truth: Truth::Agreement {
                    reason,
                    agreeing: all,
                    others: names(false).collect(),
                },
            }
        }
        _ => Expected::Unknown {
            reason: {
                let others = match answers {
                    [] => "no other backend does".to_owned(),
                    [only] => format!("only `{}` does", only.backend),
                    several => format!("no two runtimes of {} other answers agree", several.len()),
                };
                let silent = match silent {
                    [] => String::new(),
                    reasons => format!(" ({})", reasons.join("; ")),
                };
                format!("the reference does not answer ({reason}), and {others}{silent}")
            },
        },
    }
}

/// Whether two answers agree up to rounding: within the official tolerance, or with differences of at
/// most a thousandth of the largest element ([`AGREEMENT`]).
fn agree(a: &[Named], b: &[Named]) -> bool {
    agree_within(a, b, AGREEMENT)
}

/// Whether two answers are within the official tolerance, or differ by at most the fraction `of_largest` of
/// the largest element.
pub fn agree_within(a: &[Named], b: &[Named], of_largest: f64) -> bool {
    compare(a, b, Tolerance::from(OfficialTolerance::default()))
        .mismatch
        .is_none()
        || deviation(a, b) <= of_largest
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use super::*;

    /// Answers of backends b0, b1, …, each a runtime of its own but for the first two.
    fn answers(values: &[f32]) -> Vec<Vote> {
        let answer = |(index, value): (usize, &f32)| Vote {
            backend: format!("b{index}"),
            runtime: format!("r{}", index.max(1)),
            outputs: vec![("y".to_owned(), Tensor::vector(vec![*value]).into())],
        };
        values.iter().enumerate().map(answer).collect()
    }

    #[test]
    fn the_answer_of_most_backends_is_expected() {
        let check = |values: &[f32], wanted: Option<(&[&str], &[&str])>| match (
            majority("r".to_owned(), &answers(values), &[]),
            wanted,
        ) {
            (
                Expected::Known {
                    truth: Truth::Agreement { agreeing, others, .. },
                    ..
                },
                Some(wanted),
            ) => {
                let named = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
                assert_eq!((agreeing, others), (named(wanted.0), named(wanted.1)));
            }
            (Expected::Unknown { .. }, None) => {}
            (found, wanted) => panic!("{found:?} for {wanted:?}"),
        };
        check(&[1.0, 2.0, 2.0001], Some((&["b1", "b2"], &["b0"])));
        check(&[1.0, 2.0, 1.0, 2.0], Some((&["b0", "b2"], &["b1", "b3"])));
        // Two backends of one runtime are one vote.
        check(&[1.0, 1.0, 2.0], None);
        check(&[1.0, 1.0, 2.0, 2.0], Some((&["b2", "b3"], &["b0", "b1"])));
        check(&[1.0, 2.0], None);
        check(&[1.0], None);
        check(&[], None);
    }
}
