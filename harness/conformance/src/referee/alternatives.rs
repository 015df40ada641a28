//! Answers of the reference to open questions of the specification that explain what its default does not.

use backend_api::Named;
use harness_compare::leaf;
use harness_corpus::readings::{Question, Readings};
use run_record::{Arithmetic, Explanation, Judgement, OutputStats};

use super::effort::Effort;
use super::rounding::noisy;
use crate::noise::{Evidence, Noisy, RUNS, Runs, SetSpreads, attach};
use crate::readings::OPTION;
use crate::reference::runner::{RunRequest, Runner, RunnerError};
use crate::reference::spreads;

/// The classes of arithmetic by which an answer may follow a reading.
const CLASSES: [Arithmetic; 2] = [Arithmetic::Rounded, Arithmetic::Approximated];

/// An answer to an open question other than that of the reference, with what it says about the outputs.
#[derive(Clone, Debug)]
pub(super) struct Alternative {
    question: Question,
    answer: String,
    /// The outputs under it.
    outputs: Vec<Named>,
    evidence: Evidence,
}

/// Whether nothing that passes explains an output; one of strings has no judgement.
pub(super) fn is_unexplained(output: &OutputStats) -> bool {
    match output.judgement.as_ref().map(|judgement| &judgement.explanation) {
        None => output.differing > 0,
        Some(Explanation::Nothing(_)) => true,
        Some(Explanation::Arithmetic(class)) => !class.passes(),
        Some(Explanation::Equal | Explanation::Open(_) | Explanation::Tolerated(_)) => false,
    }
}

/// The answers to the questions that concern `operators` under which the outputs are others.
///
/// # Errors
/// A worker of the reference cannot be started again, or the command is interrupted.
pub(super) fn alternatives(
    default: &SetSpreads,
    operators: &[String],
    request: &RunRequest,
    effort: &Effort,
    reference: &mut Runner,
) -> Result<Vec<Alternative>, RunnerError> {
    let ledger = Readings::embedded();
    let questions = ledger.iter().flat_map(Readings::questions);
    let mut found = Vec::new();
    for question in questions.filter(|question| question.is_about(operators)) {
        for answer in question.others() {
            let found_under = under(
                default,
                &format!("{}={answer}", question.name),
                request,
                effort,
                reference,
            )?;
            found.extend(found_under.map(|(outputs, evidence)| Alternative {
                question: question.clone(),
                answer: answer.to_owned(),
                outputs,
                evidence,
            }));
        }
    }
    Ok(found)
}

/// The outputs and the evidence under a reading; `None` if the reference refuses the model or the outputs are
/// the same.
fn under(
    default: &SetSpreads,
    reading: &str,
    request: &RunRequest,
    effort: &Effort,
    reference: &mut Runner,
) -> Result<Option<(Vec<Named>, Evidence)>, RunnerError> {
    let chosen = reference.description().options.get(OPTION);
    let readings = match chosen.filter(|chosen| !chosen.is_empty()) {
        Some(chosen) => format!("{chosen}+{reading}"),
        None => reading.to_owned(),
    };
    let mut reference = reference.with(&[(OPTION, readings)]);
    let Ok(outputs) = reference.run(request)? else {
        return Ok(None);
    };
    let outputs = outputs.values;
    let answer = spreads(&outputs);
    if answer == *default {
        return Ok(None);
    }
    let mut runs = Runs::of(answer);
    for class in CLASSES {
        let seeds = (effort.seed, RUNS);
        if let Ok(spreads) = noisy(class, seeds, request, effort.parallel, &mut reference)? {
            runs.noisy.push(Noisy {
                class,
                count: RUNS,
                spreads,
            });
        }
    }
    Ok(Some((outputs, Evidence::new(&runs))))
}

/// Names the first reading that explains every output that nothing else explains. Where neither the official
/// data nor the text decides the question, such an output cannot be judged. Returns whether there is one.
pub(super) fn explain(outputs: &mut [OutputStats], observed: &[Named], alternatives: &[Alternative]) -> bool {
    let explained = |alternative: &&Alternative| {
        let mut trial = outputs.to_vec();
        attach(&mut trial, observed, &alternative.evidence);
        let mut pairs = outputs
            .iter()
            .zip(&trial)
            .filter(|(before, _)| is_unexplained(before));
        pairs.all(|(before, after)| match &before.judgement {
            Some(_) => !is_unexplained(after),
            None => alternative.gives(&before.name, observed),
        })
    };
    let Some(alternative) = alternatives.iter().find(explained) else {
        return false;
    };
    for output in outputs.iter_mut().filter(|output| is_unexplained(output)) {
        let known = output.judgement.take().map(|judgement| *judgement);
        let judgement =
            known.unwrap_or_else(|| Judgement::of(Explanation::Nothing("its strings differ".to_owned())));
        output.judgement = Some(Box::new(Judgement {
            explanation: alternative.explanation(&judgement.explanation),
            ..judgement
        }));
    }
    true
}

impl Alternative {
    /// Whether the output of this name is that under the reading.
    fn gives(&self, name: &str, observed: &[Named]) -> bool {
        let expected = leaf(&self.outputs, name);
        expected.is_some() && leaf(observed, name) == expected
    }

    fn explanation(&self, before: &Explanation) -> Explanation {
        let Alternative { question, answer, .. } = self;
        let says = question
            .answers
            .get(answer)
            .map_or("", |answer| answer.says.as_str());
        let name = &question.name;
        let right = format!("it is right by the reading {name}={answer} ({says})");
        if !question.by.is_binding() {
            return Explanation::Open(format!(
                "the specification leaves open: {} Here {right}",
                question.asks
            ));
        }
        let by = question.by.label();
        match before {
            Explanation::Nothing(reason) => Explanation::Nothing(format!(
                "{reason}; {right}, but {by} decides for {}",
                question.default
            )),
            other => other.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use super::*;
    use crate::noise::Spread;

    fn spreads(values: &[f32]) -> SetSpreads {
        let spread = Spread::of(&Tensor::vector(values.to_vec())).expect("numbers");
        SetSpreads::from([("y".to_owned(), spread)])
    }

    /// An answer of `seen` where the reading `arg-nan=ignored` gives `other`.
    fn check(question: &str, seen: f32, other: f32, expected: &str) {
        let ledger = Readings::embedded().expect("the ledger");
        let question = ledger.questions().iter().find(|known| known.name == question);
        let question = question.expect("a question").clone();
        let noisy = spreads(&[other; 16]);
        let joined = (1..RUNS).fold(noisy["y"].clone(), |sum, _| {
            sum.join(&noisy["y"]).expect("one shape")
        });
        let runs = Runs {
            noisy: vec![Noisy {
                class: Arithmetic::Rounded,
                count: RUNS,
                spreads: SetSpreads::from([("y".to_owned(), joined)]),
            }],
            ..Runs::of(noisy)
        };
        let answer = question.others().next().expect("another answer").to_owned();
        let alternative = Alternative {
            answer,
            question,
            outputs: Vec::new(),
            evidence: Evidence::new(&runs),
        };
        let mut outputs = [OutputStats {
            name: "y".to_owned(),
            judgement: Some(Box::new(Judgement::of(Explanation::Nothing(
                "element [0] differs".to_owned(),
            )))),
            ..OutputStats::default()
        }];
        let observed = [("y".to_owned(), Tensor::vector(vec![seen; 16]).into())];
        explain(&mut outputs, &observed, &[alternative]);
        let found = format!(
            "{:?}",
            outputs[0].judgement.as_ref().map(|found| &found.explanation)
        );
        assert!(found.contains(expected), "{found}");
    }

    #[test]
    fn a_reading_explains_an_answer_and_the_ledger_says_whether_it_is_open() {
        check(
            "arg-nan",
            2.0,
            2.0,
            "Open(\"the specification leaves open: Where does NaN stand",
        );
        check("arg-nan", 3.0, 2.0, "Nothing(\"element [0] differs\")");
        check(
            "attention-heads",
            2.0,
            2.0,
            "differs; it is right by the reading attention-heads=in-turn",
        );
    }
}
