//! Text notation of values and their types.

use std::collections::BTreeMap;
use std::ops::Not;

use onnx_tensor::{
    DType, Map, MapKey, Sequence, SparseTensor, Tensor, TensorError, Value, ValueType, dispatch,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::element::ElementText;

/// The maximum number of elements of one value, because cases should be small.
const MAX_FILLED: usize = 1 << 20;

/// The error of a value or an attribute.
#[derive(Debug, thiserror::Error)]
pub enum ValueProblem {
    /// It has the fields of no kind of value, or of several.
    #[error(
        "must be a tensor (`dtype`, `shape`, and `values` or `fill`), `sequence` or `map` with `of`, `optional`, `none` or \
         `omitted`"
    )]
    Kind,
    /// A type does not exist in ONNX, or is not valid for this kind of value.
    #[error("`{0}` is not the type of such a value")]
    Type(String),
    /// An element is not of the type.
    #[error("element {index}, {text}, is not of type {dtype}")]
    Element {
        /// Its position.
        index: usize,
        text: String,
        /// The type.
        dtype: DType,
    },
    /// The number of elements does not match the shape.
    #[error(transparent)]
    Tensor(#[from] TensorError),
    /// An initializer is not a tensor, or not an input of the node.
    #[error("an initializer must be a tensor and an input of the node")]
    Initializer,
    /// A random output has values, or is not a tensor.
    #[error("a random output has `dtype` and `shape`, and no values")]
    Template,
    /// The shape has too many elements.
    #[error("more than {MAX_FILLED} elements")]
    Large,
    /// A list mixes types, is empty, or has a type that attributes do not support.
    #[error("a list must hold integers, floats or strings, or say so as `ints`, `floats` or `strings`")]
    List,
    /// A part of a body is malformed.
    #[error("{place}: {problem}")]
    Inside {
        /// The attribute and the operator of its node.
        place: String,
        /// The error.
        problem: Box<ValueProblem>,
    },
}

/// A value in a file. JSON has the key `type`, as ONNX Runtime's design of cases; TOML has `dtype`.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ValueText {
    #[serde(
        rename(serialize = "type"),
        alias = "type",
        skip_serializing_if = "Option::is_none"
    )]
    dtype: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shape: Option<Vec<usize>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<serde_json::Value>>")]
    values: Option<Vec<toml::Value>>,
    /// The value of every element.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Value>")]
    fill: Option<toml::Value>,
    /// The positions of the values of a sparse tensor: linear, or coordinates.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<serde_json::Value>>")]
    indices: Option<Vec<toml::Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sequence: Option<Vec<ValueText>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<(serde_json::Value, serde_json::Value)>>")]
    map: Option<Vec<(toml::Value, toml::Value)>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    optional: Option<Box<ValueText>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    none: Option<String>,
    #[serde(default, skip_serializing_if = "Not::not")]
    omitted: bool,
    /// The input of the node is a constant of the model, which is not fed.
    #[serde(default, skip_serializing_if = "Not::not")]
    initializer: bool,
}

impl ValueText {
    /// An omitted value.
    pub(crate) fn omitted() -> ValueText {
        ValueText {
            omitted: true,
            ..ValueText::default()
        }
    }

    /// This value as a constant of the model.
    pub(crate) fn into_initializer(self) -> ValueText {
        ValueText {
            initializer: true,
            ..self
        }
    }

    /// The text of a value; `None` for a tensor that is still in its file.
    pub(crate) fn of(value: &Value) -> Option<ValueText> {
        let none = ValueText::default;
        Some(match value {
            Value::Tensor(tensor) => ValueText::of_tensor(tensor, tensor.shape()),
            Value::Sparse(sparse) => ValueText {
                indices: Some(rows(&sparse.indices)),
                ..ValueText::of_tensor(&sparse.values, &sparse.shape)
            },
            Value::Sequence(Sequence { element, values }) => ValueText {
                sequence: Some(values.iter().map(ValueText::of).collect::<Option<_>>()?),
                of: Some(element.to_string()),
                ..none()
            },
            Value::Map(map) => ValueText {
                map: Some(map.entries.iter().map(entry).collect::<Option<_>>()?),
                of: Some(value.value_type().to_string()),
                ..none()
            },
            Value::Optional {
                value: Some(value), ..
            } => ValueText {
                optional: Some(Box::new(ValueText::of(value)?)),
                ..none()
            },
            Value::Optional { value: None, .. } => ValueText {
                none: Some(value.value_type().to_string()),
                ..none()
            },
            Value::Stored(_) => return None,
        })
    }

    fn of_tensor(tensor: &Tensor, shape: &[usize]) -> ValueText {
        ValueText {
            dtype: Some(numpy_name(tensor.dtype()).to_owned()),
            shape: Some(shape.to_vec()),
            values: Some(elements(tensor)),
            ..ValueText::default()
        }
    }

    /// Whether this is an initializer.
    pub(crate) fn is_initializer(&self) -> bool {
        self.initializer
    }

    /// The value; `None` if it is omitted.
    ///
    /// # Errors
    /// See [`ValueProblem`].
    pub(crate) fn value(&self) -> Result<Option<Value>, ValueProblem> {
        match self {
            ValueText {
                dtype: Some(dtype),
                shape: Some(shape),
                values: Some(values),
                indices: Some(indices),
                ..
            } => sparse(dtype_of(dtype)?, shape, values, indices).map(Some),
            ValueText {
                dtype: Some(dtype),
                shape: Some(shape),
                values: Some(values),
                ..
            } => Ok(Some(tensor(dtype_of(dtype)?, shape, values)?.into())),
            ValueText {
                dtype: Some(dtype),
                shape: Some(shape),
                fill: Some(value),
                ..
            } => filled(dtype_of(dtype)?, shape, value).map(Some),
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

    /// A tensor of zeros, for which only the type and the shape are given.
    pub(crate) fn template(&self) -> Result<Value, ValueProblem> {
        match self {
            ValueText {
                dtype: Some(dtype),
                shape: Some(shape),
                values: None,
                fill: None,
                ..
            } => {
                let dtype = dtype_of(dtype)?;
                let zero = match dtype {
                    DType::Bool => toml::Value::Boolean(false),
                    _ => toml::Value::Integer(0),
                };
                filled(dtype, shape, &zero)
            }
            _ => Err(ValueProblem::Template),
        }
    }
}

/// A type by its name in ONNX, or `float32` and `float64` as in NumPy.
fn dtype_of(name: &str) -> Result<DType, ValueProblem> {
    match name {
        "float32" => Ok(DType::Float),
        "float64" => Ok(DType::Double),
        name => DType::from_onnx_name(name).map_err(|_| ValueProblem::Type(name.to_owned())),
    }
}

fn numpy_name(dtype: DType) -> &'static str {
    match dtype {
        DType::Float => "float32",
        DType::Double => "float64",
        dtype => dtype.onnx_name(),
    }
}

/// The elements in row-major order.
fn elements(tensor: &Tensor) -> Vec<toml::Value> {
    let texts = dispatch!(all, tensor.dtype(), T => {
        tensor.array::<T>().map(|array| array.iter().map(ElementText::to_text).collect())
    });
    texts.unwrap_or_default()
}

/// The elements, of a matrix row by row.
fn rows(tensor: &Tensor) -> Vec<toml::Value> {
    let elements = elements(tensor);
    match tensor.shape() {
        [_, width] if *width > 0 => {
            let row = |row: &[toml::Value]| toml::Value::Array(row.to_vec());
            elements.chunks(*width).map(row).collect()
        }
        _ => elements,
    }
}

fn entry((key, value): (&MapKey, &Value)) -> Option<(toml::Value, toml::Value)> {
    let key = match key {
        MapKey::String(name) => toml::Value::String(name.clone()),
        MapKey::Int(number) => toml::Value::Integer(i64::try_from(*number).ok()?),
    };
    Some((key, elements(value.as_tensor()?).first()?.clone()))
}

/// The element at a position, which is used in messages.
pub(crate) fn element<T: ElementText>(
    index: usize,
    text: &toml::Value,
    dtype: DType,
) -> Result<T, ValueProblem> {
    T::from_text(text).ok_or_else(|| ValueProblem::Element {
        index,
        text: text.to_string(),
        dtype,
    })
}

fn tensor(dtype: DType, shape: &[usize], values: &[toml::Value]) -> Result<Tensor, ValueProblem> {
    dispatch!(all, dtype, T => {
        let elements = values.iter().enumerate().map(|(index, text)| element::<T>(index, text, dtype));
        let elements = elements.collect::<Result<Vec<T>, ValueProblem>>();
        elements.and_then(|elements| Ok(Tensor::new(shape, elements)?))
    })
}

fn filled(dtype: DType, shape: &[usize], value: &toml::Value) -> Result<Value, ValueProblem> {
    let count = shape
        .iter()
        .try_fold(1_usize, |count, &extent| count.checked_mul(extent));
    let count = count
        .filter(|&count| count <= MAX_FILLED)
        .ok_or(ValueProblem::Large)?;
    Ok(tensor(dtype, shape, &vec![value.clone(); count])?.into())
}

/// A sparse tensor; `indices` has a position for each value, or a list of coordinates.
fn sparse(
    dtype: DType,
    shape: &[usize],
    values: &[toml::Value],
    indices: &[toml::Value],
) -> Result<Value, ValueProblem> {
    let coordinates: Option<Vec<&[toml::Value]>> = indices
        .iter()
        .map(|index| index.as_array().map(Vec::as_slice))
        .collect();
    let indices = match coordinates {
        Some(coordinates) if !coordinates.is_empty() => tensor(
            DType::Int64,
            &[coordinates.len(), shape.len()],
            &coordinates.concat(),
        ),
        _ => tensor(DType::Int64, &[indices.len()], indices),
    }?;
    Ok(Value::Sparse(SparseTensor {
        values: tensor(dtype, &[values.len()], values)?,
        indices,
        shape: shape.to_vec(),
    }))
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

/// A type in the notation of the operator schemas: `tensor(float)`, `seq(map(int64, tensor(float)))`,
/// `optional(tensor(string))`.
///
/// # Errors
/// [`ValueProblem::Type`].
pub(crate) fn value_type(text: &str) -> Result<ValueType, ValueProblem> {
    let wrong = || ValueProblem::Type(text.to_owned());
    let (kind, inside) = text
        .strip_suffix(')')
        .and_then(|text| text.split_once('('))
        .ok_or_else(wrong)?;
    match kind {
        "tensor" => Ok(ValueType::tensor(dtype_of(inside)?)),
        "sparse_tensor" => Ok(ValueType::Sparse {
            dtype: dtype_of(inside)?,
            shape: None,
        }),
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
