//! The operators of ai.onnx.ml except trees.

use onnx_model::AttributeValue;
use onnx_schema::SchemaType;
use onnx_tensor::{DType, Tensor};

use super::Declaration;
use super::arithmetic::is_float;
use super::sequences::any_value;
use crate::{Domain, Draft, Made};

pub(super) const DOMAIN: &str = "ai.onnx.ml";

/// A declaration for an operator of ai.onnx.ml.
pub(super) const fn ml(operator: &'static str, build: fn(&mut Draft) -> Made) -> Declaration {
    Declaration {
        domain: DOMAIN,
        operator,
        build,
    }
}

pub(super) const OPERATORS: &[Declaration] = &[
    ml("ArrayFeatureExtractor", |d| {
        let columns = features(d, Domain::ANY)?;
        let indices: Vec<i64> = (0..1 + d.draws.below(3))
            .map(|_| d.draws.below(columns) as i64)
            .collect();
        d.shaped_numbers(&[1, indices.len()], &indices)
    }),
    ml("Binarizer", |d| {
        d.scalar("threshold", &[1.0]);
        features(d, Domain::MODERATE).map(drop)
    }),
    ml("CastMap", cast_map),
    ml("CategoryMapper", |d| {
        let (from, to) = (d.dtype("T1")?, d.dtype("T2")?);
        d.require(from != to, "text becomes numbers, and numbers text")?;
        d.ints("cats_int64s", &[1, 2, 3]);
        d.texts("cats_strings", &["a", "b", ""]);
        if d.whether("default") {
            d.int("default_int64", 7);
            d.text("default_string", "other");
        }
        let shape = crate::families::full(d, 1, 2);
        d.input(&shape, Domain::whole(0.0, 4.0))?;
        Ok(())
    }),
    ml("DictVectorizer", dictionary),
    ml("FeatureVectorizer", |d| {
        let (rows, count) = (1 + d.draws.below(3), 1 + d.draws.below(3));
        let columns: Vec<usize> = (0..count).map(|_| 1 + d.draws.below(3)).collect();
        d.ints("inputdimensions", &super::movement::signed(&columns));
        for width in columns {
            d.input(&[rows, width], Domain::MODERATE)?;
        }
        Ok(())
    }),
    ml("Imputer", |d| {
        let columns = features(d, Domain::whole(-1.0, 2.0))?;
        let count = if d.pick("values form", &["each", "one"]) == "each" {
            columns
        } else {
            1
        };
        if is_float(d.dtype("T")?) {
            d.floats("imputed_value_floats", &vec![2.5; count]);
            d.scalar("replaced_value_float", &[1.0, f32::NAN]);
        } else {
            d.ints("imputed_value_int64s", &vec![9; count]);
            d.int("replaced_value_int64", 1);
        }
        Ok(())
    }),
    ml("LabelEncoder", labels),
    ml("LinearClassifier", |d| {
        let classes = 2 + d.draws.below(2);
        class_labels(d, "classlabels_ints", classes)?;
        d.mode("post_transform");
        d.mode("multi_class");
        let columns = features(d, Domain::MODERATE)?;
        weights(d, "coefficients", classes * columns);
        weights(d, "intercepts", classes);
        Ok(())
    }),
    ml("LinearRegressor", |d| {
        let targets = 1 + d.draws.below(3);
        d.int("targets", targets as i64);
        d.mode("post_transform");
        let columns = features(d, Domain::MODERATE)?;
        weights(d, "coefficients", targets * columns);
        if d.whether("intercepts") {
            weights(d, "intercepts", targets);
        }
        Ok(())
    }),
    ml("Normalizer", |d| {
        d.mode("norm");
        features(d, Domain::whole(1.0, 6.0)).map(drop)
    }),
    ml("OneHotEncoder", |d| {
        match d.dtype("T")? {
            DType::String => d.texts("cats_strings", &["a", "b", ""]),
            _ => d.ints("cats_int64s", &[0, 2, 3]),
        }
        let known = !d.flag("zeros", true);
        // An unlisted category is an error if `zeros` is 0.
        d.require(
            !known || d.dtype("T")? != DType::String,
            "words that are not listed",
        )?;
        let domain = if known {
            Domain::whole(2.0, 3.0)
        } else {
            Domain::whole(0.0, 4.0)
        };
        let shape = crate::families::full(d, 1, 2);
        d.input(&shape, domain)?;
        Ok(())
    }),
    ml("SVMClassifier", classifier),
    ml("SVMRegressor", |d| {
        kernel(d);
        let transform = d.mode("post_transform");
        let one = d.flag("one_class", false);
        d.require(
            !one || transform == "NONE",
            "the transform of a one-class machine is undefined",
        )?;
        let columns = features(d, Domain::from(-1.0, 1.0))?;
        let supports = 1 + d.draws.below(3);
        d.int("n_supports", supports as i64);
        weights(d, "support_vectors", supports * columns);
        weights(d, "coefficients", supports);
        weights(d, "rho", 1);
        Ok(())
    }),
    ml("Scaler", |d| {
        let columns = features(d, Domain::MODERATE)?;
        let count = if d.pick("form", &["each", "one"]) == "each" {
            columns
        } else {
            1
        };
        for attribute in ["offset", "scale"] {
            weights(d, attribute, count);
        }
        Ok(())
    }),
    ml("ZipMap", |d| {
        let classes = 1 + d.draws.below(3);
        match d.schema_type("T")? {
            SchemaType::Sequence(SchemaType::Map(DType::String, _)) => {
                d.texts("classlabels_strings", &["a", "b", ""][..classes]);
            }
            _ => d.ints("classlabels_int64s", &[5, -1, 3][..classes]),
        }
        let rows = 1 + d.draws.below(3);
        d.input(&[rows, classes], Domain::MODERATE)?;
        Ok(())
    }),
];

/// The first input: rows of features. Returns the number of features in a row.
pub(super) fn features(d: &mut Draft, domain: Domain) -> Result<usize, crate::Reject> {
    let (rows, columns) = (1 + d.draws.below(4), 1 + d.draws.below(4));
    let dtype = d.input_dtype(0)?;
    let domain = if is_float(dtype) {
        domain
    } else {
        Domain {
            whole: true,
            ..domain
        }
    };
    d.input(&[rows, columns], domain)?;
    Ok(columns)
}

/// An attribute of floats that are multiples of 1/8.
pub(super) fn weights(d: &mut Draft, name: &str, count: usize) {
    let values: Vec<f32> = (0..count)
        .map(|_| d.draws.between(-16, 16) as f32 / 8.0)
        .collect();
    d.floats(name, &values);
}

/// Labels of the type of the first output.
pub(super) fn class_labels(d: &mut Draft, ints: &str, classes: usize) -> Made {
    match d.output_dtype(0)? {
        DType::String => d.texts("classlabels_strings", &["a", "b", "", "d"][..classes]),
        _ => d.ints(ints, &[10, -2, 7, 0][..classes]),
    }
    Ok(())
}

fn kernel(d: &mut Draft) {
    d.mode("kernel_type");
    d.floats("kernel_params", &[0.5, 0.25, 2.0]);
}

/// The number of votes is the number of pairs of classes; or probabilities.
fn classifier(d: &mut Draft) -> Made {
    kernel(d);
    d.mode("post_transform");
    let classes = 2 + d.draws.below(2);
    class_labels(d, "classlabels_ints", classes)?;
    let columns = features(d, Domain::from(-1.0, 1.0))?;
    let each: Vec<i64> = (0..classes).map(|_| 1 + d.draws.below(2) as i64).collect();
    let supports = each.iter().sum::<i64>() as usize;
    d.ints("vectors_per_class", &each);
    weights(d, "support_vectors", supports * columns);
    weights(d, "coefficients", supports * (classes - 1));
    let pairs = classes * (classes - 1) / 2;
    weights(d, "rho", pairs);
    if d.whether("probabilities") {
        weights(d, "prob_a", pairs);
        weights(d, "prob_b", pairs);
    }
    Ok(())
}

/// Dense rows have an element for each key below `max_map`.
fn cast_map(d: &mut Draft) -> Made {
    let (from, to) = (d.schema_type("T1")?, d.dtype("T2")?);
    let name = match to {
        DType::String => "TO_STRING",
        DType::Int64 => "TO_INT64",
        _ => "TO_FLOAT",
    };
    d.text("cast_to", name);
    let text = crate::element(from) == DType::String;
    // Which strings are numbers is undefined, and also how a number is written.
    d.require(text == (to == DType::String), "text and numbers")?;
    let sparse = d.mode("map_form") == "SPARSE";
    d.require(
        !sparse || !text,
        "there is no string for an element without a key",
    )?;
    if sparse {
        d.int("max_map", 6);
    }
    let value = any_value(d, from, Domain::whole(-3.0, 3.0))?;
    d.give(value);
    Ok(())
}

fn dictionary(d: &mut Draft) -> Made {
    let (from, to) = (d.schema_type("T1")?, d.dtype("T2")?);
    let SchemaType::Map(key, inside) = from else {
        return Err(crate::Reject("the type is not a map"));
    };
    d.require(crate::element(*inside) == to, "the values have another type")?;
    match key {
        DType::String => d.texts("string_vocabulary", &["d", "c", "x", "a"]),
        _ => d.ints("int64_vocabulary", &[4, 3, 9, 1]),
    }
    let value = any_value(d, from, Domain::MODERATE)?;
    d.give(value);
    Ok(())
}

/// Version 1 maps between strings and integers by one list; later versions have keys and values, from 4
/// on also as tensors.
fn labels(d: &mut Draft) -> Made {
    let (from, to) = (d.dtype("T1")?, d.dtype("T2")?);
    let shape = crate::families::shape(d, 1, 3);
    if d.since() == 1 {
        d.require(from != to, "text becomes numbers, and numbers text")?;
        d.texts("classes_strings", &["a", "b", ""]);
        if d.whether("default") {
            d.int("default_int64", 7);
            d.text("default_string", "other");
        }
        d.input(&shape, Domain::whole(0.0, 4.0))?;
        return Ok(());
    }
    let lists = matches!(
        (from, to),
        (
            DType::Float | DType::Int64 | DType::String,
            DType::Float | DType::Int64 | DType::String
        )
    );
    let tensors = d.has("keys_tensor") && (!lists || d.pick("form", &["lists", "tensors"]) == "tensors");
    d.require(tensors || lists, "the type has no list")?;
    if tensors {
        let (keys, values) = (label_tensor(from, 0)?, label_tensor(to, 2)?);
        d.attribute("keys_tensor", AttributeValue::Tensor(keys));
        d.attribute("values_tensor", AttributeValue::Tensor(values));
        d.attribute("default_tensor", AttributeValue::Tensor(label_default(to)?));
    } else {
        for (prefix, dtype) in [("keys", from), ("values", to)] {
            match dtype {
                DType::String => d.texts(&format!("{prefix}_strings"), &["a", "b", ""]),
                DType::Int64 => d.ints(&format!("{prefix}_int64s"), &[1, 2, 3]),
                _ => d.floats(&format!("{prefix}_floats"), &[1.0, 2.0, 3.0]),
            }
        }
        if d.whether("default") {
            match to {
                DType::String => d.text("default_string", "other"),
                DType::Int64 => d.int("default_int64", 7),
                _ => d.float("default_float", 0.5),
            }
        }
    }
    d.input(&shape, Domain::whole(0.0, 4.0))?;
    Ok(())
}

fn label_tensor(dtype: DType, offset: i64) -> Result<Tensor, crate::Reject> {
    match dtype {
        DType::String => Ok(Tensor::vector(["a", "b", ""].map(str::to_owned).to_vec())),
        _ => crate::whole(dtype, &[3], &[1 + offset, 2 + offset, 3 + offset]),
    }
}

fn label_default(dtype: DType) -> Result<Tensor, crate::Reject> {
    match dtype {
        DType::String => Ok(Tensor::vector(vec!["other".to_owned()])),
        _ => crate::whole(dtype, &[1], &[9]),
    }
}
