//! LinearRegressor and LinearClassifier.

use onnx_tensor::Value;

use super::super::call::one;
use super::super::{Call, Outcome, Row, row_of};
use super::features::{Features, check_scores, counted};
use super::labels::{labels, pick};
use super::transform::Transform;
use super::{DOMAIN, scores};
use crate::error::{Problem, invalid};
use crate::shapes::Shapes::{Each, First};

pub const ROWS: &[Row] = &[
    row_of(
        DOMAIN,
        "LinearRegressor",
        1,
        First(|known| known.predicted("targets")),
        regressor,
    ),
    row_of(
        DOMAIN,
        "LinearClassifier",
        1,
        Each(|known| known.classified(["classlabels_ints", "classlabels_strings"])),
        classifier,
    )
    .of_type(|known| known.label_dtype("classlabels_ints")),
];

/// The number of rows whose sums are computed together.
const TOGETHER: usize = 8;

fn regressor(call: &Call) -> Outcome {
    let features = Features::read(call)?;
    let targets = counted(call, "targets")?;
    let mut y = weighted(call, &features, targets)?;
    Transform::named(call)?.apply(&mut y, targets);
    one(scores::tensor(&features, targets, &y)?)
}

/// With two labels and one row of coefficients, the score is that of the second label, and its negative that
/// of the first.
fn classifier(call: &Call) -> Outcome {
    let features = Features::read(call)?;
    let labels = labels(call.attributes, "classlabels_ints", "classlabels_strings")?;
    let transform = Transform::named(call)?;
    let classes = labels.len();
    if classes < 2 {
        return invalid("a classifier with one label is undefined");
    }
    let coefficients = call.attributes.floats("coefficients")?.map_or(0, <[f32]>::len);
    let single = classes == 2 && coefficients == features.width;
    let mut z = if single {
        let scores = weighted(call, &features, 1)?;
        scores.iter().flat_map(|&score| [-score, score]).collect()
    } else {
        weighted(call, &features, classes)?
    };
    let chosen: Vec<usize> = z.chunks_exact(classes).map(scores::top).collect();
    transform.apply(&mut z, classes);
    Ok(vec![
        Value::Tensor(pick(&labels, &chosen)?),
        Value::Tensor(scores::tensor(&features, classes, &z)?),
    ])
}

/// Returns `X·Cᵀ + b` in f64, `targets` scores for each row.
fn weighted(call: &Call, features: &Features, targets: usize) -> Result<Vec<f64>, Problem> {
    let Some(coefficients) = call.attributes.floats("coefficients")? else {
        return invalid("attribute `coefficients` is missing");
    };
    let intercepts = call.attributes.floats("intercepts")?.unwrap_or_default();
    if !intercepts.is_empty() && intercepts.len() != targets {
        return invalid(format!(
            "expected one of `intercepts` for each of {targets} scores, got {}",
            intercepts.len()
        ));
    }
    let coefficients: Vec<f64> = coefficients.iter().copied().map(f64::from).collect();
    let mut scores = products_of(features, &coefficients, targets)?;
    if !intercepts.is_empty() {
        for row in scores.chunks_exact_mut(targets) {
            row.iter_mut()
                .zip(intercepts)
                .for_each(|(score, &b)| *score += f64::from(b));
        }
    }
    Ok(scores)
}

/// Returns `X·Cᵀ` in f64, `targets` scores for each row.
pub fn products_of(features: &Features, coefficients: &[f64], targets: usize) -> Result<Vec<f64>, Problem> {
    let width = features.width;
    if width.checked_mul(targets) != Some(coefficients.len()) {
        return invalid(format!(
            "expected one of `coefficients` for each of {targets} scores and {width} features, got {}",
            coefficients.len()
        ));
    }
    check_scores(features.rows, targets)?;
    let mut scores = vec![0.0; features.rows * targets];
    let mut columns = vec![[0.0; TOGETHER]; width];
    for (block, results) in scores.chunks_mut(TOGETHER * targets).enumerate() {
        let rows = results.len() / targets;
        for lane in 0..rows {
            let row = features.row(block * TOGETHER + lane);
            columns
                .iter_mut()
                .zip(row)
                .for_each(|(column, &x)| column[lane] = x);
        }
        for target in 0..targets {
            let sums = products(&columns, &coefficients[target * width..(target + 1) * width]);
            for lane in 0..rows {
                results[lane * targets + target] = sums[lane];
            }
        }
    }
    Ok(scores)
}

/// The sums of the products of several rows and one row of weights, each in the order of the features.
fn products(columns: &[[f64; TOGETHER]], weights: &[f64]) -> [f64; TOGETHER] {
    let mut sums = [0.0; TOGETHER];
    for (column, weight) in columns.iter().zip(weights) {
        for (sum, x) in sums.iter_mut().zip(column) {
            *sum += x * weight;
        }
    }
    sums
}
