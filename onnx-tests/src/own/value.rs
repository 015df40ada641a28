//! Values and attributes as text.

use std::collections::BTreeMap;

use onnx_model::{Attribute, AttributeValue};
use onnx_tensor::{DType, Map, MapKey, Sequence, Tensor, TensorError, Value, ValueType, dispatch};
use serde::Deserialize;

use super::element::ElementText;

/// What is wrong with a value or an attribute.
#[derive(Debug, thiserror::Error)]
pub enum ValueProblem {
    /// It has the fields of no kind of value, or of several.
    #[error(
        "must be a tensor (`dtype`, `shape`, `values`), `sequence` or `map` with `of`, `optional`, `none` or `omitted`"
    )]
    Kind,
    /// A type is not one of ONNX, or not one of its kind of value.
    #[error("`{0}` is not the type of such a value")]
    Type(String),
    /// An element is not one of the type.
    #[error("element {index}, {text}, is not of type {dtype}")]
    Element {
        /// Its position.
        index: usize,
        /// As it stands.
        text: String,
        /// The type.
        dtype: DType,
    },
    /// The number of elements does not fit the shape.
    #[error(transparent)]
    Tensor(#[from] TensorError),
    /// A list mixes kinds, is empty, or is of none that attributes have.
    #[error("a list must hold integers, floats or strings, or say so as `ints`, `floats` or `strings`")]
    List,
}

/// A value as it stands in a file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValueText {
    dtype: Option<String>,
    shape: Option<Vec<usize>>,
    values: Option<Vec<toml::Value>>,
    sequence: Option<Vec<ValueText>>,
    map: Option<Vec<(toml::Value, toml::Value)>>,
    of: Option<String>,
    optional: Option<Box<ValueText>>,
    none: Option<String>,
    #[serde(default)]
    omitted: bool,
}

impl ValueText {
    /// The value; `None` where it is omitted.
    ///
    /// # Errors
    /// See [`ValueProblem`].
    pub fn value(&self) -> Result<Option<Value>, ValueProblem> {
        match self {
            ValueText {
                dtype: Some(dtype),
                shape: Some(shape),
                values: Some(values),
                ..
            } => Ok(Some(tensor(dtype_of(dtype)?, shape, values)?.into())),
            ValueText {
                sequence: Some(elements),
                of: Some(of),
                ..
            } => sequence(elements, of).map(Some),
            ValueText {
                map: Some(entries),
                of: Some(of),
                ..
            } => map(entries, of).map(Some),
            ValueText {
                optional: Some(inside),
                ..
            } => {
                let value = inside.value()?.ok_or(ValueProblem::Kind)?;
                Ok(Some(Value::Optional {
                    element: value.value_type(),
                    value: Some(Box::new(value)),
                }))
            }
            ValueText { none: Some(text), .. } => match value_type(text)? {
                ValueType::Optional(element) => Ok(Some(Value::Optional {
                    element: *element,
                    value: None,
                })),
                _ => Err(ValueProblem::Type(text.clone())),
            },
            ValueText { omitted: true, .. } => Ok(None),
            _ => Err(ValueProblem::Kind),
        }
    }
}

fn dtype_of(name: &str) -> Result<DType, ValueProblem> {
    DType::from_onnx_name(name).map_err(|_| ValueProblem::Type(name.to_owned()))
}

fn tensor(dtype: DType, shape: &[usize], values: &[toml::Value]) -> Result<Tensor, ValueProblem> {
    dispatch!(all, dtype, T => {
        let element = |(index, text): (usize, &toml::Value)| {
            let wrong = || ValueProblem::Element { index, text: text.to_string(), dtype };
            <T as ElementText>::from_text(text).ok_or_else(wrong)
        };
        let elements = values.iter().enumerate().map(element).collect::<Result<Vec<T>, ValueProblem>>();
        elements.and_then(|elements| Ok(Tensor::new(shape, elements)?))
    })
}

fn sequence(elements: &[ValueText], of: &str) -> Result<Value, ValueProblem> {
    let element = value_type(of)?;
    let value = |text: &ValueText| match text.value()? {
        Some(value) if value.value_type().same_kind(&element) => Ok(value),
        _ => Err(ValueProblem::Type(of.to_owned())),
    };
    let values = elements.iter().map(value).collect::<Result<_, _>>()?;
    Ok(Value::Sequence(Sequence { element, values }))
}

/// A map from keys to scalars; `of` is its whole type.
fn map(entries: &[(toml::Value, toml::Value)], of: &str) -> Result<Value, ValueProblem> {
    let wrong = || ValueProblem::Type(of.to_owned());
    let ValueType::Map { key, value: element } = value_type(of)? else {
        return Err(wrong());
    };
    let ValueType::Tensor { dtype, .. } = *element else {
        return Err(wrong());
    };
    let mut pairs = BTreeMap::new();
    for (index, (name, text)) in entries.iter().enumerate() {
        let known = match (key, name) {
            (DType::String, toml::Value::String(name)) => MapKey::String(name.clone()),
            (_, toml::Value::Integer(number)) if key != DType::String => MapKey::Int((*number).into()),
            _ => {
                return Err(ValueProblem::Element {
                    index,
                    text: name.to_string(),
                    dtype: key,
                });
            }
        };
        pairs.insert(known, tensor(dtype, &[], std::slice::from_ref(text))?.into());
    }
    Ok(Value::Map(Map {
        key,
        element: *element,
        entries: pairs,
    }))
}

/// A type as the operator schemas write it: `tensor(float)`, `seq(map(int64, tensor(float)))`, `optional(tensor(string))`.
///
/// # Errors
/// [`ValueProblem::Type`].
pub fn value_type(text: &str) -> Result<ValueType, ValueProblem> {
    let wrong = || ValueProblem::Type(text.to_owned());
    let (kind, inside) = text
        .strip_suffix(')')
        .and_then(|text| text.split_once('('))
        .ok_or_else(wrong)?;
    match kind {
        "tensor" => Ok(ValueType::tensor(dtype_of(inside)?)),
        "seq" => Ok(ValueType::Sequence(Box::new(value_type(inside)?))),
        "optional" => Ok(ValueType::Optional(Box::new(value_type(inside)?))),
        "map" => {
            let (key, value) = inside.split_once(',').ok_or_else(wrong)?;
            Ok(ValueType::Map {
                key: dtype_of(key.trim())?,
                value: Box::new(value_type(value.trim())?),
            })
        }
        _ => Err(wrong()),
    }
}

/// An attribute as it stands in a file.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum AttributeText {
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// A string.
    String(String),
    /// A list whose kind its entries show.
    List(Vec<toml::Value>),
    /// A list, or a float that is no number, with its kind.
    Kind(KindText),
    /// A tensor.
    Tensor(ValueText),
}

/// `{ ints = […] }` and the like.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "lowercase")]
pub enum KindText {
    /// A float that is written as an element of a tensor is.
    Float(toml::Value),
    /// A list of integers.
    Ints(Vec<toml::Value>),
    /// A list of floats.
    Floats(Vec<toml::Value>),
    /// A list of strings.
    Strings(Vec<toml::Value>),
}

/// The attribute `name`.
pub(super) fn attribute(name: &str, text: &AttributeText) -> Result<Attribute, ValueProblem> {
    let value = match text {
        AttributeText::Int(value) => AttributeValue::Int(*value),
        AttributeText::Float(value) => AttributeValue::Float(*value as f32),
        AttributeText::String(value) => AttributeValue::String(value.clone().into_bytes()),
        AttributeText::List(values) => match values.first() {
            Some(toml::Value::Integer(_)) => ints(values)?,
            Some(toml::Value::Float(_)) => floats(values)?,
            Some(toml::Value::String(_)) => strings(values)?,
            _ => return Err(ValueProblem::List),
        },
        AttributeText::Kind(KindText::Float(value)) => {
            match elements::<f32>(std::slice::from_ref(value))?.as_slice() {
                [value] => AttributeValue::Float(*value),
                _ => return Err(ValueProblem::List),
            }
        }
        AttributeText::Kind(KindText::Ints(values)) => ints(values)?,
        AttributeText::Kind(KindText::Floats(values)) => floats(values)?,
        AttributeText::Kind(KindText::Strings(values)) => strings(values)?,
        AttributeText::Tensor(text) => match text.value()? {
            Some(Value::Tensor(tensor)) => AttributeValue::Tensor(tensor),
            _ => return Err(ValueProblem::Kind),
        },
    };
    Ok(Attribute {
        name: name.to_owned(),
        value,
    })
}

fn elements<T: ElementText>(values: &[toml::Value]) -> Result<Vec<T>, ValueProblem> {
    let wrong = |index, text: &toml::Value| ValueProblem::Element {
        index,
        text: text.to_string(),
        dtype: T::DTYPE,
    };
    values
        .iter()
        .enumerate()
        .map(|(index, text)| T::from_text(text).ok_or_else(|| wrong(index, text)))
        .collect()
}

fn ints(values: &[toml::Value]) -> Result<AttributeValue, ValueProblem> {
    elements(values).map(AttributeValue::Ints)
}

fn floats(values: &[toml::Value]) -> Result<AttributeValue, ValueProblem> {
    elements(values).map(AttributeValue::Floats)
}

fn strings(values: &[toml::Value]) -> Result<AttributeValue, ValueProblem> {
    let texts: Vec<String> = elements(values)?;
    Ok(AttributeValue::Strings(
        texts.into_iter().map(String::into_bytes).collect(),
    ))
}
