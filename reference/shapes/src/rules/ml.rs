//! Classical machine learning.

use super::elementwise::same;
use super::{Row, row};
use crate::call::{Call, one};
use crate::extent::Expr;
use crate::fact::{Fact, extent_of};
use crate::finding::{Outcome, Stop, parameter};

pub(super) const ROWS: &[Row] = &[
    row("ArrayFeatureExtractor", 1, extracted),
    row("Binarizer", 1, same),
    row("CastMap", 1, cast_map),
    row("CategoryMapper", 1, same),
    row("DictVectorizer", 1, |call| {
        let words = first_list(call, &["string_vocabulary", "int64_vocabulary"]).ok_or(Stop::Unknown)?;
        one(vec![words])
    }),
    row("FeatureVectorizer", 1, features),
    row("Imputer", 1, same),
    row("LabelEncoder", 1, same),
    row("LabelEncoder", 2, label_encoder),
    row("LinearClassifier", 1, |call| {
        classified(call, ["classlabels_ints", "classlabels_strings"])
    }),
    row("LinearRegressor", 1, |call| predicted(call, "targets")),
    row("Normalizer", 1, same),
    row("OneHotEncoder", 1, |call| {
        let shape = call.shape(0)?;
        let categories = first_list(call, &["cats_int64s", "cats_strings"]).ok_or(Stop::Unknown)?;
        one([shape, vec![categories]].concat())
    }),
    row("SVMClassifier", 1, voted),
    row("SVMRegressor", 1, |call| one(vec![rows(call)?, 1.into()])),
    row("Scaler", 1, same),
    row("TreeEnsemble", 5, |call| predicted(call, "n_targets")),
    row("TreeEnsembleClassifier", 1, |call| {
        classified(call, ["classlabels_int64s", "classlabels_strings"])
    }),
    row("TreeEnsembleRegressor", 1, |call| predicted(call, "n_targets")),
    row("ZipMap", 1, |_| Err(Stop::Unknown)),
];

/// The number of rows of the first input; a vector is one row.
fn rows(call: &mut Call<'_, '_>) -> Outcome<Expr> {
    match call.shape(0)?.as_slice() {
        [_] => Ok(1.into()),
        [rows, _] => Ok(rows.clone()),
        other => call.wrong_rank(0, other.len(), "1 or 2"),
    }
}

/// The number of elements of the first list that is not empty.
fn first_list(call: &Call<'_, '_>, lists: &[&str]) -> Option<Expr> {
    let counts = lists.iter().filter_map(|name| call.count(name));
    counts.into_iter().find(|&count| count > 0).map(extent_of)
}

/// The scores of a regressor, as many for each row as the attribute says.
fn predicted(call: &mut Call<'_, '_>, targets: &str) -> Outcome<Vec<Fact>> {
    let rows = rows(call)?;
    let targets = call
        .int(targets)
        .filter(|&targets| targets >= 0)
        .ok_or(Stop::Unknown)?;
    one(vec![rows, targets.into()])
}

/// The class and the scores of each row.
fn classified(call: &mut Call<'_, '_>, labels: [&str; 2]) -> Outcome<Vec<Fact>> {
    let rows = rows(call)?;
    let scores = match first_list(call, &labels) {
        Some(classes) => vec![rows.clone(), classes],
        None => vec![rows.clone(), call.unknown()],
    };
    Ok(vec![Fact::of(vec![rows]), Fact::of(scores)])
}

/// SVMClassifier: scores of classes, or of pairs of classes.
fn voted(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let rows = rows(call)?;
    let classes = first_list(call, &["classlabels_ints", "classlabels_strings"]);
    let width = match classes {
        Some(classes) if classes.is(2) => classes,
        _ => call.unknown(),
    };
    Ok(vec![Fact::of(vec![rows.clone()]), Fact::of(vec![rows, width])])
}

/// Each key has a value.
fn label_encoder(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let count = |lists: [&str; 3]| lists.iter().find_map(|name| call.count(name));
    let keys = count(["keys_strings", "keys_int64s", "keys_floats"]);
    let values = count(["values_strings", "values_int64s", "values_floats"]);
    match keys.zip(values) {
        Some((keys, values)) if keys != values => parameter(format!("{keys} keys have {values} values")),
        _ => same(call),
    }
}

/// The listed elements of the last axis. A vector becomes a row.
fn extracted(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let (data, indices) = (call.at_least_rank(0, 1)?, call.shape(1)?);
    call.indices(1, &0.into(), &data[data.len() - 1])?;
    let count = call.product(&indices);
    let before = match data.as_slice() {
        [_] => vec![1.into()],
        _ => data[..data.len() - 1].to_vec(),
    };
    one([before, vec![count]].concat())
}

/// CastMap: the values of the map, or with `SPARSE` as many as the greatest key allows.
fn cast_map(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let width = match (call.text("map_form").as_deref(), call.int("max_map")) {
        (Some("SPARSE"), Some(width)) if width >= 0 => width.into(),
        _ => call.unknown(),
    };
    one(vec![1.into(), width])
}

/// FeatureVectorizer: the columns of all inputs.
fn features(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let rows = rows(call)?;
    let total = match call
        .attribute("inputdimensions")
        .and_then(|_| call.ints("inputdimensions"))
    {
        Some(widths) => widths
            .iter()
            .fold(0_i64, |total, width| total.saturating_add(*width))
            .into(),
        None => {
            let mut total = Expr::from(0);
            for at in 0..call.inputs.len() {
                let shape = call.at_least_rank(at, 1)?;
                total = call.add(&total, &shape[shape.len() - 1]);
            }
            total
        }
    };
    one(vec![rows, total])
}
