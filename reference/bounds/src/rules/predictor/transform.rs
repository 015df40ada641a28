//! `post_transform`, with numbers that have error bounds.

use onnx_model::{Attribute, AttributeValue};
use onnx_operators::frame::OpError;

use crate::Query;
use crate::number::Number;
use crate::rules::softmax::softmax_of_row;

/// A transform of the scores of a row.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Transform {
    None,
    Softmax,
    Logistic,
    SoftmaxZero,
    Probit,
}

/// The attribute's name.
const NAME: &str = "post_transform";
/// Scores up to this magnitude count as zero for SOFTMAX_ZERO.
const ZERO: f64 = 1e-7;

/// The operator that computes what `post_transform` does to the scores of a predictor; empty if the attribute
/// says nothing or has no operator.
pub fn function_of_scores(query: &Query<'_>) -> &'static str {
    match Transform::read(query) {
        Ok(Transform::Logistic) => "Sigmoid",
        Ok(Transform::Softmax | Transform::SoftmaxZero) => "Softmax",
        Ok(Transform::None | Transform::Probit) | Err(_) => "",
    }
}

impl Transform {
    /// Reads the attribute: a name, or its number.
    pub(super) fn read(query: &Query<'_>) -> Result<Transform, OpError> {
        let number = query.call.optional_int(NAME).ok().flatten();
        Ok(
            match (
                number,
                number.is_none().then(|| query.call.string(NAME)).transpose()?,
            ) {
                (Some(1), _) | (_, Some("SOFTMAX")) => Transform::Softmax,
                (Some(2), _) | (_, Some("LOGISTIC")) => Transform::Logistic,
                (Some(3), _) | (_, Some("SOFTMAX_ZERO")) => Transform::SoftmaxZero,
                (Some(4), _) | (_, Some("PROBIT")) => Transform::Probit,
                _ => Transform::None,
            },
        )
    }

    /// Transforms a row. Softmax over non-zero scores and the inverse normal distribution have no bound:
    /// the first is discontinuous where a score approaches zero, the second has no agreed accuracy.
    pub(super) fn apply(self, row: &mut [Number]) {
        match self {
            Transform::None => {}
            Transform::Softmax => softmax_of_row(row),
            Transform::Logistic => row
                .iter_mut()
                .for_each(|x| *x = x.map(12.5, |x| 1.0 / (1.0 + (-x).exp()))),
            Transform::SoftmaxZero if row.iter().all(|x| x.value.abs() > ZERO + x.error) => {
                softmax_of_row(row)
            }
            Transform::SoftmaxZero | Transform::Probit => row.iter_mut().for_each(|x| {
                (x.value, x.error) = (f64::NAN, f64::INFINITY);
            }),
        }
    }
}

/// The attributes without a transform.
pub(super) fn removed(attributes: &[Attribute]) -> Vec<Attribute> {
    let keep = |attribute: &&Attribute| attribute.name != NAME;
    attributes.iter().filter(keep).cloned().collect()
}

/// Whether the node has no transform.
pub(super) fn is_none(attributes: &[Attribute]) -> bool {
    let none = |attribute: &Attribute| match &attribute.value {
        AttributeValue::String(name) => name == b"NONE",
        AttributeValue::Int(number) => *number == 0,
        _ => false,
    };
    attributes
        .iter()
        .filter(|attribute| attribute.name == NAME)
        .all(none)
}
