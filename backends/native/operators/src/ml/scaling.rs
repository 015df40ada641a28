//! Scaler, Normalizer, Imputer, Binarizer and FeatureVectorizer.

use onnx_tensor::{DType, Element, Tensor};

use super::super::call::{count, extent, one};
use super::super::numbers::{floats, slice, sum};
use super::super::{Call, Outcome, Row, row_of};
use super::DOMAIN;
use super::features::Features;
use crate::error::{Problem, invalid};
use crate::shapes::SAME;
use crate::shapes::Shapes::First;

pub const ROWS: &[Row] = &[
    row_of(DOMAIN, "Scaler", 1, SAME, scaler),
    row_of(DOMAIN, "Normalizer", 1, SAME, normalizer),
    row_of(DOMAIN, "Imputer", 1, SAME, imputer),
    row_of(DOMAIN, "Binarizer", 1, SAME, binarizer),
    row_of(
        DOMAIN,
        "FeatureVectorizer",
        1,
        First(|known| known.joined_features()),
        feature_vectorizer,
    ),
];

/// The extent of the last axis, along which features lie.
fn width(x: &Tensor) -> usize {
    x.shape().last().copied().unwrap_or(1)
}

fn required<'a>(call: &Call<'a>, name: &str) -> Result<&'a [f32], Problem> {
    match call.attributes.floats(name)? {
        Some(values) => Ok(values),
        None => invalid(format!("attribute `{name}` is missing")),
    }
}

/// `(x − offset)·scale` in f64, rounded once.
fn scaler(call: &Call) -> Outcome {
    let (offset, scale) = (required(call, "offset")?, required(call, "scale")?);
    let x = call.tensor(0)?;
    let features = width(x);
    if offset.len() != scale.len() || (offset.len() != 1 && offset.len() != features) {
        return invalid(format!(
            "expected one of `offset` and `scale`, or one for each of {features} features, got {} and {}",
            offset.len(),
            scale.len()
        ));
    }
    let factors = offset.iter().zip(scale).cycle();
    let scaled = floats(x)?.into_iter().zip(factors);
    let scaled = scaled.map(|(x, (&offset, &scale))| ((x - f64::from(offset)) * f64::from(scale)) as f32);
    one(Tensor::new(x.shape(), scaled.collect())?)
}

/// Divides each row by its greatest element (MAX), by the sum of its magnitudes (L1) or by the root
/// of the sum of its squares (L2), in f64. A row whose divisor is zero is unchanged.
fn normalizer(call: &Call) -> Outcome {
    let divisor: fn(&[f64]) -> f64 = match call.attributes.text("norm")? {
        "MAX" => |row| row.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        "L1" => |row| sum(row.iter().map(|x| x.abs())),
        "L2" => |row| sum(row.iter().map(|x| x * x)).sqrt(),
        other => return invalid(format!("attribute `norm` is {other}, expected MAX, L1 or L2")),
    };
    let features = Features::read(call)?;
    let mut y = Vec::with_capacity(features.rows * features.width);
    for row in features.iter() {
        let by = match divisor(row) {
            0.0 => 1.0,
            by => by,
        };
        y.extend(row.iter().map(|x| (x / by) as f32));
    }
    one(Tensor::new(call.tensor(0)?.shape(), y)?)
}

/// Replaces elements that equal one value; a replaced NaN matches every NaN.
fn imputer(call: &Call) -> Outcome {
    let given_floats = call
        .attributes
        .floats("imputed_value_floats")?
        .unwrap_or_default();
    let given_ints = call.attributes.ints("imputed_value_int64s")?.unwrap_or_default();
    let x = call.tensor(0)?;
    let is_float = matches!(x.dtype(), DType::Float | DType::Double);
    if given_floats.is_empty() == is_float || given_ints.is_empty() != is_float {
        return invalid(
            "expected `imputed_value_floats` for floats or `imputed_value_int64s` for integers, and not both",
        );
    }
    let float = call.attributes.float("replaced_value_float")?;
    let int = call.attributes.int("replaced_value_int64")?;
    match x.dtype() {
        DType::Float => impute(x, given_floats, |x: f32| {
            x == float || (x.is_nan() && float.is_nan())
        }),
        DType::Double => {
            let values: Vec<f64> = given_floats.iter().copied().map(f64::from).collect();
            impute(x, &values, |x: f64| {
                x == f64::from(float) || (x.is_nan() && float.is_nan())
            })
        }
        DType::Int64 => impute(x, given_ints, |x: i64| x == int),
        _ => {
            let narrow = |&value: &i64| {
                let wide = |_| Problem::Invalid(format!("the imputed value {value} does not fit into int32"));
                i32::try_from(value).map_err(wide)
            };
            let values = given_ints.iter().map(narrow).collect::<Result<Vec<i32>, _>>()?;
            impute(x, &values, |x: i32| i64::from(x) == int)
        }
    }
}

/// Replaces elements by one value, or by that of their feature.
fn impute<T: Element + Copy>(x: &Tensor, values: &[T], is_replaced: impl Fn(T) -> bool) -> Outcome {
    let features = width(x);
    if values.len() != 1 && values.len() != features {
        return invalid(format!(
            "expected one imputed value, or one for each of {features} features, got {}",
            values.len()
        ));
    }
    let pairs = slice::<T>(x)?.iter().zip(values.iter().cycle());
    let y = pairs.map(|(&x, &value)| if is_replaced(x) { value } else { x });
    one(Tensor::new(x.shape(), y.collect())?)
}

/// 1 for an element above the threshold, else 0. Integers are compared with the exact threshold.
fn binarizer(call: &Call) -> Outcome {
    let threshold = f64::from(call.attributes.float("threshold")?);
    // An integer is above t if it is above ⌊t⌋. The conversion saturates beyond 64 bits.
    let floor = threshold.floor() as i128;
    let is_above = |x: i64| !threshold.is_nan() && i128::from(x) > floor;
    let x = call.tensor(0)?;
    match x.dtype() {
        DType::Float => mark(x, |x: f32| f32::from(u8::from(f64::from(x) > threshold))),
        DType::Double => mark(x, |x: f64| f64::from(u8::from(x > threshold))),
        DType::Int64 => mark(x, |x: i64| i64::from(is_above(x))),
        _ => mark(x, |x: i32| i32::from(is_above(x.into()))),
    }
}

fn mark<T: Element + Copy>(x: &Tensor, marked: impl Fn(T) -> T) -> Outcome {
    let y = slice::<T>(x)?.iter().map(|&x| marked(x)).collect();
    one(Tensor::new(x.shape(), y)?)
}

/// Joins the columns of all inputs as f32. An input with more columns than its entry of
/// `inputdimensions` is cut, and one with fewer is padded with zeros.
fn feature_vectorizer(call: &Call) -> Outcome {
    let inputs = call.tensors(0)?;
    let shape = |input: &&Tensor| match *input.shape() {
        [columns] => Ok((1, columns)),
        [rows, columns] => Ok((rows, columns)),
        ref other => invalid(format!(
            "expected inputs of one or two axes, got the shape {other:?}"
        )),
    };
    let shapes = inputs.iter().map(shape).collect::<Result<Vec<_>, _>>()?;
    let rows = shapes.first().map_or(0, |&(rows, _)| rows);
    if shapes.iter().any(|&(other, _)| other != rows) {
        return invalid("expected inputs with the same number of rows");
    }
    let widths = match call.attributes.ints("inputdimensions")? {
        None => shapes.iter().map(|&(_, columns)| columns).collect(),
        Some(listed) if listed.len() == inputs.len() || listed.is_empty() => listed
            .iter()
            .map(|&width| extent(width))
            .collect::<Result<Vec<_>, _>>()?,
        Some(listed) => {
            return invalid(format!(
                "expected one of `inputdimensions` for each of {} inputs, got {}",
                inputs.len(),
                listed.len()
            ));
        }
    };
    let total = widths
        .iter()
        .try_fold(0_usize, |sum, &width| sum.checked_add(width));
    let Some(total) = total else {
        return invalid("the sum of `inputdimensions` is too large");
    };
    let mut y = Vec::with_capacity(count(&[rows, total])?);
    let columns = inputs
        .iter()
        .map(|input| singles(input))
        .collect::<Result<Vec<_>, _>>()?;
    for row in 0..rows {
        for ((values, &(_, held)), &width) in columns.iter().zip(&shapes).zip(&widths) {
            let copied = held.min(width);
            y.extend_from_slice(&values[row * held..row * held + copied]);
            y.resize(y.len() + width - copied, 0.0);
        }
    }
    one(Tensor::new(&[rows, total], y)?)
}

/// The elements as f32, each rounded once.
fn singles(x: &Tensor) -> Result<Vec<f32>, Problem> {
    match x {
        Tensor::Int64(array) => Ok(array.iter().map(|&value| value as f32).collect()),
        _ => Ok(floats(x)?.into_iter().map(|value| value as f32).collect()),
    }
}
