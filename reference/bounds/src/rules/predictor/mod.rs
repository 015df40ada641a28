//! The predictors and feature operators of ai.onnx.ml.
//!
//! The scores of linear models and of trees are sums: γₙ of the sum of magnitudes, which is the operator
//! applied to the magnitudes of its coefficients (and features), before its transform ([`transform`]). A
//! label is exact unless another score is within its error of the greatest.

mod features;
mod support;
mod transform;

pub use transform::function_of_scores;

use onnx_model::{Attribute, AttributeValue};
use onnx_operators::frame::OpError;
use onnx_tensor::Tensor;

use self::transform::Transform;
use super::{Entry, Rule};
use crate::number::{self, Number};
use crate::precision::gamma;
use crate::query::reals;
use crate::{Query, Radius, rough};

const fn ml(name: &'static str, rule: Rule) -> Entry {
    Entry {
        domain: "ai.onnx.ml",
        name,
        rule,
    }
}

pub(super) const RULES: &[Entry] = &[
    // A conversion rounds once, to nearest.
    ml("CastMap", super::exact::decides),
    ml("CategoryMapper", super::exact::decides),
    ml("DictVectorizer", super::exact::decides),
    ml("FeatureVectorizer", super::exact::decides),
    ml("Imputer", super::exact::decides),
    ml("LinearClassifier", |query| linear(query, Scores::OfClasses)),
    ml("LinearRegressor", |query| linear(query, Scores::Alone)),
    ml("Normalizer", features::normalized),
    ml("OneHotEncoder", super::exact::decides),
    ml("SVMClassifier", support::classifier),
    ml("SVMRegressor", support::regressor),
    ml("Scaler", features::scaled),
    ml("TreeEnsemble", |query| trees(query, Scores::Alone)),
    ml("TreeEnsembleClassifier", |query| trees(query, Scores::OfClasses)),
    ml("TreeEnsembleRegressor", |query| trees(query, Scores::Alone)),
    ml("ZipMap", super::exact::decides),
];

/// The outputs of an operator.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scores {
    /// Only scores.
    Alone,
    /// Labels, then the scores of classes.
    OfClasses,
}

/// n features and an intercept.
fn linear(query: &Query<'_>, scores: Scores) -> Result<Vec<Radius>, OpError> {
    let features = query.call.tensor(0)?.shape().last().copied().unwrap_or(1);
    summed(query, scores, features.saturating_add(1), magnitude)
}

/// One leaf of each tree, the base value and the division of an average. Exact comparisons select the
/// leaves.
fn trees(query: &Query<'_>, scores: Scores) -> Result<Vec<Radius>, OpError> {
    let ids = |name: &str| query.call.optional_ints(name).ok().flatten();
    let roots = ids("tree_roots").map(|roots| roots.len());
    let listed = || {
        let mut trees = ids("nodes_treeids").unwrap_or_default();
        trees.sort_unstable();
        trees.dedup();
        trees.len()
    };
    let trees = roots.unwrap_or_else(listed);
    // The only leaf of one tree is returned as it is, for example the number of the leaf.
    let is_plain = scores == Scores::Alone && transform::is_none(query.call.given_attributes());
    if is_plain && trees <= 1 && !has_base(query) && query.inputs_exact() {
        return Ok(vec![Radius::Exact; query.outputs.len()]);
    }
    summed(query, scores, trees.saturating_add(2), Tensor::clone)
}

/// Whether a number other than 0 is added to the votes.
fn has_base(query: &Query<'_>) -> bool {
    let is_base = |attribute: &&Attribute| attribute.name.starts_with("base_values");
    let mut given = query.call.given_attributes().iter().filter(is_base);
    given.any(|attribute| match &attribute.value {
        AttributeValue::Floats(values) => values.iter().any(|value| *value != 0.0),
        AttributeValue::Tensor(tensor) => {
            reals(tensor).is_none_or(|values| values.iter().any(|value| *value != 0.0))
        }
        _ => false,
    })
}

/// |x| of a tensor of numbers.
fn magnitude(tensor: &Tensor) -> Tensor {
    match tensor {
        Tensor::Int32(array) => Tensor::Int32(array.mapv(i32::wrapping_abs).into_shared()),
        Tensor::Int64(array) => Tensor::Int64(array.mapv(i64::wrapping_abs).into_shared()),
        tensor => rough::magnitudes(tensor).unwrap_or_else(|| tensor.clone()),
    }
}

/// The radii of scores that are sums of `terms` terms; `features` maps X to the input for the sum of
/// magnitudes.
fn summed(
    query: &Query<'_>,
    scores: Scores,
    terms: usize,
    features: impl Fn(&Tensor) -> Tensor,
) -> Result<Vec<Radius>, OpError> {
    if !query.inputs_exact() {
        return super::exact::decides(query);
    }
    let index = usize::from(scores == Scores::OfClasses);
    let transform = Transform::read(query)?;
    let plain = transform::removed(query.call.given_attributes());
    let absolute: Vec<Attribute> = plain.iter().map(absolute).collect();
    let sums = scores_of(query.evaluate_with(&plain, |_, _| None)?, index)?;
    let magnitudes = scores_of(query.evaluate_with(&absolute, |_, x| Some(features(x)))?, index)?;
    let unit = query.unit(index);
    let growth = gamma(terms as f64, unit);
    // With two classes and one sum, the other score is its complement: 1 is added.
    let one = f64::from(u8::from(scores == Scores::OfClasses));
    let number =
        |(&sum, &most): (&f64, &f64)| Number::off(sum, growth * (most.abs() + one) + unit * sum.abs(), unit);
    let mut numbers: Vec<Number> = sums.iter().zip(&magnitudes).map(number).collect();
    let width = query
        .output(index)
        .and_then(|output| output.shape().last().copied())
        .unwrap_or(1);
    let mut radii = Vec::new();
    if scores == Scores::OfClasses {
        radii.push(elected(&numbers, width));
    }
    numbers
        .chunks_mut(width.max(1))
        .for_each(|row| transform.apply(row));
    radii.push(number::radius(
        query,
        index,
        numbers,
        "gamma_n of a sum of votes or products",
    ));
    radii.truncate(query.outputs.len());
    Ok(radii)
}

/// Whether the labels are certain: no other score is within the errors of the greatest. With two classes,
/// the sum may be compared with 0 or with ½.
fn elected(scores: &[Number], width: usize) -> Radius {
    let certain = |row: &[Number]| {
        let Some(greatest) = row
            .iter()
            .copied()
            .reduce(|a, b| if b.value > a.value { b } else { a })
        else {
            return true;
        };
        let near = |score: &&Number| score.value + score.error + greatest.error >= greatest.value;
        let apart = row.iter().filter(near).count() == 1;
        let from = |threshold: f64| {
            row.get(1)
                .is_none_or(|sum| (sum.value - threshold).abs() > sum.error)
        };
        apart && (width != 2 || from(0.0) && from(0.5))
    };
    if scores.chunks(width.max(1)).all(certain) {
        Radius::Exact
    } else {
        Radius::unknown("two classes whose scores are within rounding of each other")
    }
}

/// An attribute with the magnitudes of its weights.
fn absolute(attribute: &Attribute) -> Attribute {
    let weighs = ["coefficients", "intercepts", "rho", "base_values", "weights"];
    let value = match &attribute.value {
        AttributeValue::Floats(values) if weighs.iter().any(|name| attribute.name.contains(name)) => {
            AttributeValue::Floats(values.iter().map(|value| value.abs()).collect())
        }
        AttributeValue::Tensor(tensor) if weighs.iter().any(|name| attribute.name.contains(name)) => {
            AttributeValue::Tensor(rough::magnitudes(tensor).unwrap_or_else(|| tensor.clone()))
        }
        value => value.clone(),
    };
    Attribute {
        name: attribute.name.clone(),
        value,
    }
}

/// The elements of output `index`.
fn scores_of(outputs: Vec<Option<Tensor>>, index: usize) -> Result<Vec<f64>, OpError> {
    let scores = outputs.into_iter().nth(index).flatten().as_ref().and_then(reals);
    let scores = scores.map(|scores| scores.iter().copied().collect());
    scores.ok_or_else(|| OpError::invalid("the operator returns no scores"))
}
