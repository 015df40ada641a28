//! Outputs with bounds, as the protocol transfers them.

use std::collections::BTreeMap;

use onnx_tensor::{DType, Value};
use serde::{Deserialize, Serialize};

use crate::{Answers, Bounded, Named, Reach};

/// The outputs of one run with their bounds.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BoundedOutputs<V = Vec<Named>> {
    /// The exact results in the order of the graph. For an output that is neither in `models` nor in
    /// `unknown`, only the exact result is correct.
    pub outputs: V,
    /// For each output in `models`, a tensor of double with its name and shape: the largest difference of
    /// each element of a correct answer.
    pub radii: V,
    /// The error model of each bounded output, as a short text.
    #[serde(default)]
    pub models: BTreeMap<String, String>,
    /// The reason for each output without a bound.
    #[serde(default)]
    pub unknown: BTreeMap<String, String>,
    /// For outputs in `models`: the elements whose right answers are other intervals than the one
    /// around the exact result.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sets: BTreeMap<String, Vec<Answers>>,
}

/// Why an answer with bounds is invalid.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BoundedError {
    /// An output in `models` has no radius.
    #[error("output `{0}` has an error model but no radius")]
    NoRadius(String),
    /// A radius is not a tensor of double with the shape of its output.
    #[error("the radius of `{0}` is not a tensor of double with the shape of the output")]
    Form(String),
    /// A radius is negative or NaN.
    #[error("the radius of `{0}` contains a negative number or NaN")]
    Negative(String),
    /// An answer belongs to no element of the output, or its least value is above its greatest.
    #[error("the right answers of `{0}` name an element that it does not have, or an empty interval")]
    Answers(String),
}

impl From<Vec<Bounded>> for BoundedOutputs {
    fn from(bounded: Vec<Bounded>) -> BoundedOutputs {
        let mut answer = BoundedOutputs {
            outputs: Vec::new(),
            radii: Vec::new(),
            models: BTreeMap::new(),
            unknown: BTreeMap::new(),
            sets: BTreeMap::new(),
        };
        for Bounded { name, value, reach } in bounded {
            match reach {
                Reach::Exact => {}
                Reach::Within { radius, model, sets } => {
                    answer.radii.push((name.clone(), Value::Tensor(radius)));
                    answer.models.insert(name.clone(), model);
                    if !sets.is_empty() {
                        answer.sets.insert(name.clone(), sets);
                    }
                }
                Reach::Unknown { reason } => {
                    answer.unknown.insert(name.clone(), reason);
                }
            }
            answer.outputs.push((name, value));
        }
        answer
    }
}

impl TryFrom<BoundedOutputs> for Vec<Bounded> {
    type Error = BoundedError;

    fn try_from(answer: BoundedOutputs) -> Result<Vec<Bounded>, BoundedError> {
        let BoundedOutputs {
            outputs,
            radii,
            mut models,
            mut unknown,
            mut sets,
        } = answer;
        let mut radii: BTreeMap<String, Value> = radii.into_iter().collect();
        let bounded = |(name, value): Named| {
            let reach = match (unknown.remove(&name), models.remove(&name)) {
                (Some(reason), _) => Reach::Unknown { reason },
                (None, Some(model)) => {
                    let radius = radii
                        .remove(&name)
                        .ok_or_else(|| BoundedError::NoRadius(name.clone()))?;
                    let sets = sets.remove(&name).unwrap_or_default();
                    within(&name, &value, radius, model, sets)?
                }
                (None, None) => Reach::Exact,
            };
            Ok(Bounded { name, value, reach })
        };
        outputs.into_iter().map(bounded).collect()
    }
}

fn within(
    name: &str,
    value: &Value,
    radius: Value,
    model: String,
    sets: Vec<Answers>,
) -> Result<Reach, BoundedError> {
    let form = || BoundedError::Form(name.to_owned());
    let (Value::Tensor(radius), Some(tensor)) = (radius, value.as_tensor()) else {
        return Err(form());
    };
    if radius.dtype() != DType::Double || radius.shape() != tensor.shape() {
        return Err(form());
    }
    let amounts = radius.array::<f64>().map_err(|_| form())?;
    if amounts.iter().any(|amount| amount.is_nan() || *amount < 0.0) {
        return Err(BoundedError::Negative(name.to_owned()));
    }
    let valid = |answers: &Answers| {
        answers.low <= answers.high && usize::try_from(answers.place).is_ok_and(|place| place < tensor.len())
    };
    if !sets.iter().all(valid) {
        return Err(BoundedError::Answers(name.to_owned()));
    }
    Ok(Reach::Within { radius, model, sets })
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use super::*;

    fn answer(radius: Tensor, sets: Vec<Answers>) -> Result<Vec<Bounded>, BoundedError> {
        BoundedOutputs {
            outputs: vec![("y".to_owned(), Value::Tensor(Tensor::vector(vec![1.0_f32, 2.0])))],
            radii: vec![("y".to_owned(), Value::Tensor(radius))],
            models: [("y".to_owned(), "m".to_owned())].into(),
            unknown: BTreeMap::new(),
            sets: [("y".to_owned(), sets)].into(),
        }
        .try_into()
    }

    #[test]
    fn invalid_radii_are_refused() {
        let y = || "y".to_owned();
        for (radius, expected) in [
            (Tensor::vector(vec![0.5_f64, f64::INFINITY]), None),
            (Tensor::vector(vec![0.5_f64]), Some(BoundedError::Form(y()))),
            (Tensor::vector(vec![0.5_f32, 0.5]), Some(BoundedError::Form(y()))),
            (
                Tensor::vector(vec![-0.5_f64, 0.5]),
                Some(BoundedError::Negative(y())),
            ),
            (
                Tensor::vector(vec![f64::NAN, 0.5]),
                Some(BoundedError::Negative(y())),
            ),
        ] {
            assert_eq!(answer(radius, Vec::new()).err(), expected);
        }
    }

    #[test]
    fn invalid_answers_are_refused() {
        for (place, low, high, valid) in [
            (1, -1.0, 2.0, true),
            (2, -1.0, 2.0, false),
            (0, 2.0, -1.0, false),
            (0, f64::NAN, 1.0, false),
        ] {
            let radius = Tensor::vector(vec![1.0_f64, 1.0]);
            let found = answer(radius, vec![Answers { place, low, high }]).err();
            assert_eq!(found, (!valid).then(|| BoundedError::Answers("y".to_owned())));
        }
    }

    #[test]
    fn bounds_survive_a_round_trip() {
        let value = || Value::Tensor(Tensor::vector(vec![1.0_f32]));
        let bounded = |name: &str, reach| Bounded {
            name: name.to_owned(),
            value: value(),
            reach,
        };
        let sent = vec![
            bounded("a", Reach::Exact),
            bounded(
                "b",
                Reach::Unknown {
                    reason: "r".to_owned(),
                },
            ),
        ];
        let back = Vec::<Bounded>::try_from(BoundedOutputs::from(sent)).expect("valid bounds");
        assert!(
            matches!((&back[0].reach, &back[1].reach), (Reach::Exact, Reach::Unknown { reason }) if reason == "r")
        );
    }
}
