//! Answers of the reference to open questions of the specification that explain what its default does not.

use backend_api::Named;
use harness_corpus::readings::{Question, Readings};
use run_record::{Arithmetic, Explanation, OutputStats};

use super::effort::Effort;
use super::rounding::noisy;
use crate::noise::{Evidence, RUNS, Runs, SetSpreads, attach};
use crate::reference::runner::{RunRequest, Runner, RunnerError};

/// The option of the reference that selects readings.
const OPTION: &str = "reading";

/// The classes of arithmetic by which an answer may follow a reading.
const CLASSES: [Arithmetic; 2] = [Arithmetic::Rounded, Arithmetic::Approximated];

/// An answer to an open question other than that of the reference, with what it says about the outputs.
#[derive(Clone, Debug)]
pub(super) struct Alternative {
    question: Question,
    answer: String,
    evidence: Evidence,
}

/// Whether nothing that passes explains an output.
pub(super) fn is_unexplained(output: &OutputStats) -> bool {
    let judgement = output.judgement.as_ref();
    judgement.is_some_and(|judgement| match &judgement.explanation {
        Explanation::Nothing(_) => true,
        Explanation::Arithmetic(class) => !class.passes(),
        Explanation::Equal | Explanation::Open(_) => false,
    })
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
            let evidence = evidence(
                default,
                &format!("{}={answer}", question.name),
                request,
                effort,
                reference,
            )?;
            found.extend(evidence.map(|evidence| Alternative {
                question: question.clone(),
                answer: answer.to_owned(),
                evidence,
            }));
        }
    }
    Ok(found)
}

/// The evidence under a reading; `None` if the reference refuses the model or the outputs are the same.
fn evidence(
    default: &SetSpreads,
    reading: &str,
    request: &RunRequest,
    effort: &Effort,
    reference: &mut Runner,
) -> Result<Option<Evidence>, RunnerError> {
    let chosen = reference.description().options.get(OPTION);
    let readings = match chosen.filter(|chosen| !chosen.is_empty()) {
        Some(chosen) => format!("{chosen}+{reading}"),
        None => reading.to_owned(),
    };
    let mut reference = reference.with(&[(OPTION, readings)]);
    let Ok(answer) = reference.spreads(request, 1)? else {
        return Ok(None);
    };
    if answer == *default {
        return Ok(None);
    }
    let mut runs = Runs {
        count: RUNS,
        ..Runs::of(answer)
    };
    for class in CLASSES {
        let seeds = (effort.seed, RUNS);
        if let Ok(spreads) = noisy(class, seeds, request, effort.parallel, &mut reference)? {
            runs.noisy.push((class, spreads));
        }
    }
    Ok(Some(Evidence::new(&runs)))
}

/// Names the first reading that explains every output that nothing else explains. Where neither the official
/// data nor the text decides the question, such an output cannot be judged. Returns whether there is one.
pub(super) fn explain(outputs: &mut [OutputStats], observed: &[Named], alternatives: &[Alternative]) -> bool {
    let explained = |alternative: &&Alternative| {
        let mut trial = outputs.to_vec();
        attach(&mut trial, observed, &alternative.evidence);
        let mut pairs = outputs.iter().zip(&trial);
        pairs.all(|(before, after)| !is_unexplained(before) || !is_unexplained(after))
    };
    let Some(alternative) = alternatives.iter().find(explained) else {
        return false;
    };
    for output in outputs.iter_mut().filter(|output| is_unexplained(output)) {
        if let Some(judgement) = &mut output.judgement {
            judgement.explanation = alternative.explanation(&judgement.explanation);
        }
    }
    true
}

impl Alternative {
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
    use run_record::Judgement;

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
            count: RUNS,
            noisy: vec![(Arithmetic::Rounded, SetSpreads::from([("y".to_owned(), joined)]))],
            ..Runs::of(noisy)
        };
        let alternative = Alternative {
            answer: question.others().next().expect("another answer").to_owned(),
            question,
            evidence: Evidence::new(&runs),
        };
        let mut outputs = [OutputStats {
            name: "y".to_owned(),
            judgement: Some(Box::new(Judgement {
                explanation: Explanation::Nothing("element [0] differs".to_owned()),
                unsettled: 0,
                unspecified: 0,
                why: String::new(),
            })),
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
