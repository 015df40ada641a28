//! Requests from a worker of the reference: bounds of rounding errors, and whether the stored outputs
//! are right.

use std::time::{Duration, Instant};

use backend_api::{Answers, Bounded, Named, Reach};
use harness_compare::{AnswerSets, Envelope, Envelopes, Tolerance, compare, leaves};
use harness_worker::{Worker, WorkerExit};
use ndarray::ArrayD;

use crate::case::{Case, DataSet, SetBounds};

/// The error model of outputs with exactly one right answer.
const EXACT: &str = "exact";

/// The reference's result for each data set of `case`.
///
/// # Errors
/// The worker's exit.
pub fn bounds(worker: &mut Worker, case: &Case, timeout: Duration) -> Result<Vec<SetBounds>, WorkerExit> {
    let deadline = Instant::now() + timeout;
    let mut bounds = vec![SetBounds::default(); case.data_sets.len()];
    let Some(first) = case.data_sets.first() else {
        return Ok(bounds);
    };
    let Ok(loaded) = worker.load(case.load_request(first, false), deadline)? else {
        return Ok(bounds);
    };
    for (set, bounds) in case.data_sets.iter().zip(&mut bounds) {
        // Random outputs are judged by their distribution.
        if set.draws.is_none()
            && let Ok(bounded) = worker.bound(loaded.session, set.inputs.clone(), deadline)?
        {
            *bounds = of_set(case.tolerance, set, bounded);
        }
    }
    let _ = worker.unload(loaded.session, deadline)?;
    Ok(bounds)
}

/// The reference's outputs and the bounds of their rounding errors.
pub fn envelopes(bounded: Vec<Bounded>) -> (Vec<Named>, Envelopes) {
    let answers = bounded
        .iter()
        .map(|bounded| (bounded.name.clone(), bounded.value.clone()))
        .collect();
    let mut envelopes = Envelopes::default();
    for bounded in bounded {
        insert(&mut envelopes, bounded);
    }
    (answers, envelopes)
}

fn of_set(tolerance: Tolerance, set: &DataSet, bounded: Vec<Bounded>) -> SetBounds {
    let (answers, envelopes) = envelopes(bounded);
    let compared = || compare(&set.expected, &answers, tolerance).mismatch;
    let mismatch = (!set.asked).then(compared).flatten();
    SetBounds {
        envelopes,
        disagreement: mismatch.map(|mismatch| mismatch.reason),
        open: Vec::new(),
        answers: set.asked.then_some(answers),
    }
}

fn insert(envelopes: &mut Envelopes, bounded: Bounded) {
    let Bounded { name, value, reach } = bounded;
    let tensors = leaves(&[(name, value)]);
    match reach {
        Reach::Exact => {
            for (name, center) in tensors {
                let radius = ArrayD::zeros(center.shape()).into_shared();
                let model = EXACT.to_owned();
                envelopes.insert(
                    name,
                    Envelope {
                        center,
                        radius,
                        model,
                        answers: AnswerSets::default(),
                    },
                );
            }
        }
        Reach::Within { radius, model, sets } => {
            // A radius belongs to one tensor.
            let radius = radius.array::<f64>();
            if let ([(name, center)], Ok(radius)) = (tensors.as_slice(), radius) {
                let (name, center, radius) = (name.clone(), center.clone(), radius.clone());
                envelopes.insert(
                    name,
                    Envelope {
                        center,
                        radius,
                        model,
                        answers: answers(&sets),
                    },
                );
            }
        }
        Reach::Unknown { reason } => {
            for (name, _) in tensors {
                envelopes.insert_unknown(name, reason.clone());
            }
        }
    }
}

/// The right answers by element.
fn answers(sets: &[Answers]) -> AnswerSets {
    let mut answers = AnswerSets::default();
    for Answers { place, low, high } in sets {
        // The worker's answer was checked: the place is one of the output.
        if let Ok(place) = usize::try_from(*place) {
            answers.insert(place, *low, *high);
        }
    }
    answers
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{DType, Sequence, Tensor, Value, ValueType};

    use super::*;

    #[test]
    fn every_tensor_gets_the_envelope_of_its_output() {
        let one = Tensor::vector(vec![1.0_f32, 2.0]);
        let bounded = |name: &str, value: Value, reach: Reach| Bounded {
            name: name.to_owned(),
            value,
            reach,
        };
        let within = Reach::Within {
            radius: Tensor::vector(vec![0.5, f64::INFINITY]),
            model: "m".to_owned(),
            sets: Vec::new(),
        };
        let unknown = Reach::Unknown {
            reason: "r".to_owned(),
        };
        let sequence = Value::Sequence(Sequence {
            element: ValueType::tensor(DType::Float),
            values: vec![one.clone().into()],
        });
        let mut envelopes = Envelopes::default();
        insert(&mut envelopes, bounded("a", one.clone().into(), within));
        insert(&mut envelopes, bounded("b", one.clone().into(), unknown));
        insert(&mut envelopes, bounded("c", sequence, Reach::Exact));
        let radius = |name: &str| {
            envelopes
                .of(name, &one)
                .map(|envelope| envelope.radius.iter().copied().collect())
        };
        assert_eq!(radius("a"), Some(vec![0.5, f64::INFINITY]));
        assert_eq!(radius("b"), None);
        assert_eq!(radius("c[0]"), Some(vec![0.0, 0.0]));
        assert!(envelopes.of("a", &Tensor::vector(vec![1.0_f64, 2.0])).is_none());
    }

    /// The verdict on the data follows the official rule, independent of the reference's bound.
    #[test]
    fn the_reference_disagrees_if_the_official_rule_rejects_its_answer() {
        let check = |stored: Tensor, answer: Tensor, reach: Reach, part: Option<&str>| {
            let set = DataSet {
                name: "test_data_set_0".to_owned(),
                inputs: Vec::new(),
                expected: vec![("y".to_owned(), stored.into())],
                asked: false,
                settled: false,
                draws: None,
                envelopes: Envelopes::default(),
                disagreement: None,
                open: Vec::new(),
            };
            let tolerance = Tolerance {
                relative: 1e-3,
                absolute: 1e-7,
            };
            let bounded = Bounded {
                name: "y".to_owned(),
                value: answer.into(),
                reach,
            };
            let found = of_set(tolerance, &set, vec![bounded]).disagreement;
            assert_eq!(found.is_some(), part.is_some(), "{found:?}");
            assert!(found.unwrap_or_default().contains(part.unwrap_or_default()));
        };
        let unknown = || Reach::Unknown {
            reason: "r".to_owned(),
        };
        let wide = || Reach::Within {
            radius: Tensor::vector(vec![9.0]),
            model: "m".to_owned(),
            sets: Vec::new(),
        };
        let (one, two) = (|| Tensor::vector(vec![1.0_f32]), || Tensor::vector(vec![2.0_f32]));
        check(one(), one(), unknown(), None);
        check(one(), Tensor::vector(vec![1.0005_f32]), wide(), None);
        check(one(), two(), wide(), Some("got 2, expected 1"));
        check(one(), two(), unknown(), Some("got 2, expected 1"));
        check(
            Tensor::vector(vec![0_i64]),
            Tensor::vector(vec![1_i64]),
            Reach::Exact,
            Some("got 1, expected 0"),
        );
        check(one(), Tensor::scalar(1.0_f32), Reach::Exact, Some("shape"));
    }
}
