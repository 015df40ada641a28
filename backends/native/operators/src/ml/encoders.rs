//! LabelEncoder, OneHotEncoder and CategoryMapper: operators that look elements up.

use onnx_tensor::{DType, Tensor};

use super::super::call::{count, one};
use super::super::movement::{reshape, take_or};
use super::super::numbers::floats;
use super::super::{Call, Outcome, Row, row_of};
use super::DOMAIN;
use super::labels::labels;
use super::table::{Matching, Table};
use crate::attributes::Attributes;
use crate::error::{Problem, invalid, unsupported};
use crate::shapes::SAME;
use crate::shapes::Shapes::First;

pub const ROWS: &[Row] = &[
    row_of(DOMAIN, "LabelEncoder", 1, SAME, by_position).of_type(|known| known.swapped_dtype()),
    row_of(DOMAIN, "LabelEncoder", 2, SAME, |call| {
        encode(call, |attributes| {
            Encoding::listed(attributes, Matching::FirstByBits)
        })
    })
    .of_type(|known| known.encoded_dtype()),
    row_of(DOMAIN, "LabelEncoder", 4, SAME, |call| {
        encode(call, |attributes| {
            Encoding::listed(attributes, Matching::LastByValue)
        })
    })
    .of_type(|known| known.encoded_dtype()),
    row_of(DOMAIN, "CategoryMapper", 1, SAME, category_mapper).of_type(|known| known.swapped_dtype()),
    row_of(
        DOMAIN,
        "OneHotEncoder",
        1,
        First(|known| known.encoded()),
        one_hot,
    ),
];

/// Keys with the value of each, and the value of everything else.
struct Encoding {
    keys: DType,
    table: Table,
    values: Tensor,
    default: Tensor,
}

impl Encoding {
    fn new(keys: &Tensor, values: Tensor, default: Tensor, matching: Matching) -> Result<Encoding, Problem> {
        Ok(Encoding {
            keys: keys.dtype(),
            table: Table::new(keys, matching)?,
            values,
            default,
        })
    }

    /// The lists `keys_*` and `values_*`.
    fn listed(attributes: &Attributes, matching: Matching) -> Result<Encoding, Problem> {
        let (keys, values) = (list(attributes, "keys")?, list(attributes, "values")?);
        if keys.len() != values.len() {
            return match values.len() {
                0 => unsupported("keys without values are not implemented"),
                count => invalid(format!(
                    "expected {} values, one for each key, got {count}",
                    keys.len()
                )),
            };
        }
        let default = default(attributes, values.dtype())?;
        Encoding::new(&keys, values, default, matching)
    }
}

/// Version 1: strings to their positions, or positions to strings.
fn by_position(call: &Call) -> Outcome {
    let to_text = call.tensor(0)?.dtype() != DType::String;
    between(call, to_text, |attributes| {
        match attributes.texts("classes_strings")? {
            Some(classes) => {
                let positions = (0..).take(classes.len()).collect();
                Ok((classes, positions))
            }
            None => invalid("attribute `classes_strings` is missing"),
        }
    })
}

/// Strings to integers, or integers to strings.
fn category_mapper(call: &Call) -> Outcome {
    let to_text = call.tensor(0)?.dtype() != DType::String;
    between(call, to_text, |attributes| {
        match (attributes.texts("cats_strings")?, attributes.ints("cats_int64s")?) {
            (Some(texts), Some(numbers)) if texts.len() == numbers.len() => Ok((texts, numbers.to_vec())),
            _ => invalid("expected `cats_int64s` and `cats_strings` of the same length"),
        }
    })
}

/// Encodes integers as strings (`to_text`), or strings as integers, by two lists.
fn between(
    call: &Call,
    to_text: bool,
    lists: impl FnOnce(&Attributes) -> Result<(Vec<String>, Vec<i64>), Problem>,
) -> Outcome {
    encode(call, |attributes| {
        let (texts, numbers) = lists(attributes)?;
        let (texts, numbers) = (Tensor::vector(texts), Tensor::vector(numbers));
        let (keys, values) = if to_text {
            (numbers, texts)
        } else {
            (texts, numbers)
        };
        let default = default(attributes, values.dtype())?;
        Encoding::new(&keys, values, default, Matching::LastByValue)
    })
}

fn encode(call: &Call, derive: impl FnOnce(&Attributes) -> Result<Encoding, Problem>) -> Outcome {
    let x = call.tensor(0)?;
    let encoding = call.attributes.derived(derive)?;
    if x.dtype() != encoding.keys {
        return invalid(format!("the keys are {}, but X is {}", encoding.keys, x.dtype()));
    }
    let found = encoding.table.find(x)?;
    one(take_or(&encoding.values, &encoding.default, x.shape(), &found)?)
}

/// Returns the list from the one attribute that is set of `{kind}_strings`, `_int64s`, `_floats`
/// and `_tensor`.
fn list(attributes: &Attributes, kind: &str) -> Result<Tensor, Problem> {
    let name = |suffix: &str| format!("{kind}_{suffix}");
    let given = [
        attributes.texts(&name("strings"))?.map(Tensor::vector),
        attributes
            .ints(&name("int64s"))?
            .map(|list| Tensor::vector(list.to_vec())),
        attributes
            .floats(&name("floats"))?
            .map(|list| Tensor::vector(list.to_vec())),
        attributes.tensor(&name("tensor"))?.cloned(),
    ];
    let mut given = given.into_iter().flatten();
    match (given.next(), given.next()) {
        (Some(list), None) if list.rank() == 1 => Ok(list),
        (Some(list), None) => invalid(format!("expected `{kind}_tensor` of rank 1, got {}", list.rank())),
        _ => invalid(format!("expected exactly one of the attributes `{kind}_*`")),
    }
}

/// Returns the value of elements that are not among the keys.
fn default(attributes: &Attributes, dtype: DType) -> Result<Tensor, Problem> {
    if let Some(tensor) = attributes.tensor("default_tensor")? {
        return if tensor.dtype() == dtype && tensor.len() == 1 {
            reshape(tensor, &[1])
        } else {
            invalid(format!(
                "expected one {dtype} in `default_tensor`, like the values"
            ))
        };
    }
    Ok(match dtype {
        DType::String => Tensor::vector(vec![attributes.text("default_string")?.to_owned()]),
        DType::Int64 => Tensor::vector(vec![attributes.int("default_int64")?]),
        DType::Float => Tensor::vector(vec![attributes.float("default_float")?]),
        DType::Int32 => Tensor::vector(vec![-1_i32]),
        DType::Int16 => Tensor::vector(vec![-1_i16]),
        DType::Double => Tensor::vector(vec![-0.0_f64]),
        other => return unsupported(format!("values of {other} are not implemented")),
    })
}

/// The categories of a one-hot encoding.
struct Categories {
    dtype: DType,
    table: Table,
    count: usize,
}

fn one_hot(call: &Call) -> Outcome {
    let categories = call.attributes.derived(|attributes| {
        let categories = labels(attributes, "cats_int64s", "cats_strings")?;
        Ok(Categories {
            dtype: categories.dtype(),
            count: categories.len(),
            table: Table::new(&categories, Matching::LastByValue)?,
        })
    })?;
    let x = call.tensor(0)?;
    let found = match (x.dtype(), categories.dtype) {
        (DType::String, DType::String) | (DType::Int64, DType::Int64) => categories.table.find(x)?,
        (DType::String, _) | (_, DType::String) => {
            return invalid("strings need `cats_strings`, numbers need `cats_int64s`");
        }
        _ => truncated(x, &categories.table)?,
    };
    if !call.attributes.flag("zeros")? && found.contains(&None) {
        return invalid("an element is not a category, and `zeros` is 0");
    }
    let shape: Vec<usize> = x.shape().iter().copied().chain([categories.count]).collect();
    let mut y = vec![0.0_f32; count(&shape)?];
    for (row, place) in y.chunks_exact_mut(categories.count).zip(found) {
        if let Some(place) = place {
            row[place] = 1.0;
        }
    }
    one(Tensor::new(&shape, y)?)
}

/// Looks numbers up, truncated to integers. One that does not fit into 64 bits is not a category.
fn truncated(x: &Tensor, table: &Table) -> Result<Vec<Option<usize>>, Problem> {
    const BOUND: f64 = 9_223_372_036_854_775_808.0;
    let values = floats(x)?;
    let cut = values.iter().map(|&value| value as i64).collect();
    let found = table.find(&Tensor::vector::<i64>(cut))?;
    let fits = values.iter().map(|value| (-BOUND..BOUND).contains(value));
    Ok(found
        .into_iter()
        .zip(fits)
        .map(|(place, fits)| place.filter(|_| fits))
        .collect())
}
