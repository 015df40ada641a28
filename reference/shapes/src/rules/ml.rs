//! Classical machine learning.

use onnx_model::AttributeValue;

use super::elementwise::same;
use super::{Row, row, trees};
use crate::call::{Call, one};
use crate::choices::tensors_of_trees;
use crate::extent::Expr;
use crate::fact::{Fact, extent_of};
use crate::finding::{Outcome, Stop, known, parameter};

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
    row("Imputer", 1, |call| {
        for_each_feature(call, &["imputed_value_floats", "imputed_value_int64s"])?;
        same(call)
    }),
    row("LabelEncoder", 1, same),
    row("LabelEncoder", 2, label_encoder),
    row("LinearClassifier", 1, |call| {
        known(linear_classes(call))?;
        classified(call, CLASSES)
    }),
    row("LinearRegressor", 1, |call| {
        if let (Some(coefficients), Some(targets)) = (call.count("coefficients"), call.int("targets")) {
            known(features_of(call, coefficients, targets, "coefficients"))?;
        }
        predicted(call, "targets")
    }),
    row("Normalizer", 1, same),
    row("OneHotEncoder", 1, |call| {
        let shape = call.shape(0)?;
        let categories = first_list(call, &["cats_int64s", "cats_strings"]).ok_or(Stop::Unknown)?;
        one([shape, vec![categories]].concat())
    }),
    row("SVMClassifier", 1, voted),
    row("SVMRegressor", 1, |call| {
        let vectors = call.int("n_supports").unwrap_or(0);
        known(support_vectors(call, vectors, 1))?;
        one(vec![rows(call)?, 1.into()])
    }),
    row("Scaler", 1, |call| {
        for_each_feature(call, &["offset", "scale"])?;
        same(call)
    }),
    row("TreeEnsemble", 5, |call| {
        tensors_of_trees(call)?;
        trees::indexed(call)?;
        trees::targets(call, "leaf_targetids", call.int("n_targets"))?;
        known(tested_features(call))?;
        predicted(call, "n_targets")
    }),
    row("TreeEnsembleClassifier", 1, |call| {
        let labels = first_list(call, &["classlabels_int64s", "classlabels_strings"]);
        trees::modes(call)?;
        trees::listed(call, "class")?;
        trees::targets(call, "class_ids", labels.and_then(|count| count.constant()))?;
        known(tested_features(call))?;
        classified(call, ["classlabels_int64s", "classlabels_strings"])
    }),
    row("TreeEnsembleRegressor", 1, |call| {
        trees::modes(call)?;
        trees::listed(call, "target")?;
        trees::targets(call, "target_ids", call.int("n_targets"))?;
        match (call.count("base_values").unwrap_or(0), call.int("n_targets")) {
            (count @ 1.., Some(targets)) if i64::try_from(count) != Ok(targets) => {
                return parameter(format!("`base_values` has {count} entries for {targets} targets"));
            }
            _ => {}
        }
        known(tested_features(call))?;
        predicted(call, "n_targets")
    }),
    row("ZipMap", 1, |call| {
        rows(call)?;
        let labels = first_list(call, &["classlabels_int64s", "classlabels_strings"]);
        if let Some(labels) = labels {
            let width = width(call)?;
            call.equal(&width, &labels, "columns and labels")?;
        }
        Err(Stop::Unknown)
    }),
];

/// The labels of classifiers without trees.
const CLASSES: [&str; 2] = ["classlabels_ints", "classlabels_strings"];

/// The number of features of each row: the last extent of the first input.
fn width(call: &mut Call<'_, '_>) -> Outcome<Expr> {
    call.shape(0)?.pop().ok_or(Stop::Unknown)
}

/// An attribute with a value for each feature of each of so many rows decides the number of features.
fn features_of(call: &mut Call<'_, '_>, values: usize, rows: i64, attribute: &str) -> Outcome<()> {
    let width = width(call)?;
    let values = i64::try_from(values).unwrap_or(i64::MAX);
    match (values.checked_div(rows), values.checked_rem(rows)) {
        (Some(features), Some(0)) => {
            call.equal(&width, &features.into(), "features and those of an attribute,")?;
            Ok(())
        }
        (Some(_), _) => parameter(format!(
            "`{attribute}` has {values} values for {rows} rows of features"
        )),
        _ => Err(Stop::Unknown),
    }
}

/// Lists with one value, or one for each feature.
fn for_each_feature(call: &mut Call<'_, '_>, lists: &[&str]) -> Outcome<()> {
    let counts = lists.iter().filter_map(|name| call.count(name));
    for count in counts.filter(|&count| count > 1).collect::<Vec<_>>() {
        if let Some(width) = known(width(call))? {
            call.equal(&width, &extent_of(count), "features and values of an attribute,")?;
        }
    }
    Ok(())
}

/// Coefficients for each class, or of two classes for the second only.
fn linear_classes(call: &mut Call<'_, '_>) -> Outcome<()> {
    let coefficients = call.count("coefficients").ok_or(Stop::Unknown)?;
    let classes = first_list(call, &CLASSES).and_then(|count| count.constant());
    match classes.ok_or(Stop::Unknown)? {
        2 => {
            let (width, coefficients) = (width(call)?, extent_of(coefficients));
            call.multiple(&coefficients, &width, "coefficients for each feature")?;
            let both = call.mul(&width, &2.into());
            call.at_least(&both, &coefficients, "features for two rows of coefficients")
        }
        classes => features_of(call, coefficients, classes, "coefficients"),
    }
}

/// Support vectors, or a linear model of so many rows if there are none.
fn support_vectors(call: &mut Call<'_, '_>, vectors: i64, rows: i64) -> Outcome<()> {
    let (attribute, rows) = match vectors {
        0 => ("coefficients", rows),
        vectors => ("support_vectors", vectors),
    };
    let values = call.count(attribute).ok_or(Stop::Unknown)?;
    features_of(call, values, rows, attribute)
}

/// The branches of trees test features that exist.
fn tested_features(call: &mut Call<'_, '_>) -> Outcome<()> {
    let width = width(call)?;
    let features = call.ints("nodes_featureids").ok_or(Stop::Unknown)?;
    let leaf = |at: usize| match call.attribute("nodes_modes") {
        Some(AttributeValue::Strings(modes)) => modes.get(at).is_some_and(|mode| mode == b"LEAF"),
        _ => false,
    };
    let tested = features.iter().enumerate().filter(|(at, _)| !leaf(*at));
    if let Some((_, feature)) = tested.clone().find(|(_, feature)| **feature < 0) {
        return parameter(format!("`nodes_featureids` has {feature}, expected at least 0"));
    }
    match tested.map(|(_, feature)| *feature).max() {
        Some(last) => call.at_least(&width, &last.saturating_add(1).into(), "features that trees test"),
        None => Ok(()),
    }
}

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
    let classes = first_list(call, &CLASSES);
    let vectors = match call.attribute("vectors_per_class") {
        Some(AttributeValue::Ints(counts)) => {
            counts.iter().fold(0_i64, |sum, count| sum.saturating_add(*count))
        }
        _ => 0,
    };
    let count = classes.as_ref().and_then(Expr::constant).unwrap_or(0);
    known(support_vectors(call, vectors, count))?;
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
    for at in 1..call.inputs.len() {
        if let Ok([other, _]) = call.ranked::<2>(at) {
            call.equal(&other, &rows, "rows of the inputs")?;
        }
    }
    let total = match call
        .attribute("inputdimensions")
        .and_then(|_| call.ints("inputdimensions"))
    {
        Some(widths) if widths.len() != call.inputs.len() => {
            let (count, inputs) = (widths.len(), call.inputs.len());
            return parameter(format!(
                "`inputdimensions` has {count} entries for {inputs} inputs"
            ));
        }
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
