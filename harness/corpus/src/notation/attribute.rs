//! Attributes as text.

use std::collections::BTreeMap;
use std::sync::Arc;

use onnx_model::{Attribute, AttributeValue, Graph, Node, ValueInfo};
use onnx_tensor::{DType, Dim, Value, ValueType};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::element::ElementText;
use super::value::{ValueProblem, ValueText, element, value_type};

/// An attribute in a file.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum AttributeText {
    /// An integer.
    Int(i64),
    Float(f64),
    String(String),
    /// A list whose type is that of its entries.
    List(#[schemars(with = "Vec<serde_json::Value>")] Vec<toml::Value>),
    /// An attribute with an explicit type.
    Kind(Box<KindText>),
    /// A tensor, dense or sparse.
    Tensor(Box<ValueText>),
}

/// An explicit type: `{ ints = […] }` and so on.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "lowercase")]
pub(crate) enum KindText {
    /// A float in the notation of tensor elements.
    Float(#[schemars(with = "serde_json::Value")] toml::Value),
    /// A list of integers.
    Ints(#[schemars(with = "Vec<serde_json::Value>")] Vec<toml::Value>),
    /// A list of floats.
    Floats(#[schemars(with = "Vec<serde_json::Value>")] Vec<toml::Value>),
    /// A list of strings.
    Strings(#[schemars(with = "Vec<serde_json::Value>")] Vec<toml::Value>),
    /// A type in the notation of the operator schemas.
    Type(String),
    /// A body.
    Graph(GraphText),
}

/// A graph: the body of a Loop, Scan, If or SequenceMap.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GraphText {
    /// `"name: type"`, for a tensor with or without its shape, or only the name.
    #[serde(default)]
    inputs: Vec<String>,
    /// Like the inputs.
    outputs: Vec<String>,
    #[serde(default)]
    initializers: BTreeMap<String, ValueText>,
    nodes: Vec<NodeText>,
}

/// A node of a body.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NodeText {
    operator: String,
    #[serde(default)]
    domain: String,
    #[serde(default)]
    inputs: Vec<String>,
    outputs: Vec<String>,
    #[serde(default)]
    attributes: BTreeMap<String, AttributeText>,
}

impl AttributeText {
    /// The text of an attribute, with an explicit type where a reader of numbers could mistake it; `None` for
    /// bodies, lists of tensors and types, strings that are not UTF-8, and references.
    pub(crate) fn of(value: &AttributeValue) -> Option<AttributeText> {
        let text = |bytes: &Vec<u8>| String::from_utf8(bytes.clone()).ok();
        let kind = |kind| AttributeText::Kind(Box::new(kind));
        let tensor = |value| Some(AttributeText::Tensor(Box::new(ValueText::of(&value)?)));
        match value {
            AttributeValue::Int(value) => Some(AttributeText::Int(*value)),
            AttributeValue::Float(value) => Some(kind(KindText::Float(value.to_text()))),
            AttributeValue::String(value) => text(value).map(AttributeText::String),
            AttributeValue::Ints(values) => Some(kind(KindText::Ints(texts(values)))),
            AttributeValue::Floats(values) => Some(kind(KindText::Floats(texts(values)))),
            AttributeValue::Strings(values) => {
                let values: Option<Vec<String>> = values.iter().map(text).collect();
                Some(kind(KindText::Strings(texts(&values?))))
            }
            AttributeValue::Type(value) => Some(kind(KindText::Type(value.to_string()))),
            AttributeValue::Tensor(value) => tensor(Value::Tensor(value.clone())),
            AttributeValue::Sparse(value) => tensor(Value::Sparse(value.clone())),
            _ => None,
        }
    }
}

fn texts<T: ElementText>(values: &[T]) -> Vec<toml::Value> {
    values.iter().map(ElementText::to_text).collect()
}

/// The attributes of a node, or the error of the first malformed one.
pub(crate) fn attributes(
    texts: &BTreeMap<String, AttributeText>,
) -> Result<Vec<Attribute>, (String, ValueProblem)> {
    let attribute = |(name, text): (&String, &AttributeText)| {
        let value = value(name, text).map_err(|problem| (name.clone(), problem))?;
        let name = name.clone();
        Ok(Attribute { name, value })
    };
    texts.iter().map(attribute).collect()
}

fn value(name: &str, text: &AttributeText) -> Result<AttributeValue, ValueProblem> {
    Ok(match text {
        AttributeText::Int(value) => AttributeValue::Int(*value),
        AttributeText::Float(value) => AttributeValue::Float(*value as f32),
        AttributeText::String(value) => AttributeValue::String(value.clone().into_bytes()),
        AttributeText::List(values) => match values.first() {
            Some(toml::Value::Integer(_)) => ints(values)?,
            Some(toml::Value::Float(_)) => floats(values)?,
            Some(toml::Value::String(_)) => strings(values)?,
            _ => return Err(ValueProblem::List),
        },
        AttributeText::Kind(kind) => match &**kind {
            KindText::Float(value) => AttributeValue::Float(element(0, value, DType::Float)?),
            KindText::Ints(values) => ints(values)?,
            KindText::Floats(values) => floats(values)?,
            KindText::Strings(values) => strings(values)?,
            KindText::Type(text) => AttributeValue::Type(value_type(text)?),
            KindText::Graph(text) => AttributeValue::Graph(Arc::new(graph(name, text)?)),
        },
        AttributeText::Tensor(text) => match text.value()? {
            Some(Value::Tensor(tensor)) => AttributeValue::Tensor(tensor),
            Some(Value::Sparse(sparse)) => AttributeValue::Sparse(sparse),
            _ => return Err(ValueProblem::Kind),
        },
    })
}

fn graph(name: &str, text: &GraphText) -> Result<Graph, ValueProblem> {
    let initializer = |(name, text): (&String, &ValueText)| match text.value()? {
        Some(value @ (Value::Tensor(_) | Value::Sparse(_))) => Ok((name.clone(), value)),
        _ => Err(ValueProblem::Kind),
    };
    Ok(Graph {
        name: name.to_owned(),
        inputs: text
            .inputs
            .iter()
            .map(|text| info(text))
            .collect::<Result<_, _>>()?,
        outputs: text
            .outputs
            .iter()
            .map(|text| info(text))
            .collect::<Result<_, _>>()?,
        initializers: text
            .initializers
            .iter()
            .map(initializer)
            .collect::<Result<_, _>>()?,
        nodes: text.nodes.iter().map(node).collect::<Result<_, _>>()?,
        value_info: Vec::new(),
    })
}

fn node(text: &NodeText) -> Result<Node, ValueProblem> {
    let inside = |(name, problem)| ValueProblem::Inside {
        place: format!("`{name}` of {}", text.operator),
        problem: Box::new(problem),
    };
    Ok(Node {
        domain: onnx_schema::canonical_domain(&text.domain).to_owned(),
        operator: text.operator.clone(),
        inputs: text.inputs.clone(),
        outputs: text.outputs.clone(),
        attributes: attributes(&text.attributes).map_err(inside)?,
        ..Node::default()
    })
}

/// `"x: tensor(float)"`, `"x: tensor(float)[2, 3]"` or `"x"`.
fn info(text: &str) -> Result<ValueInfo, ValueProblem> {
    let (name, declared) = match text.split_once(':') {
        Some((name, declared)) => (name, Some(declared_type(declared.trim())?)),
        None => (text, None),
    };
    Ok(ValueInfo {
        name: name.trim().to_owned(),
        value_type: declared,
    })
}

/// A type; that of a tensor may have a shape of extents and names.
fn declared_type(text: &str) -> Result<ValueType, ValueProblem> {
    let Some((kind, extents)) = text.strip_suffix(']').and_then(|text| text.split_once('[')) else {
        return value_type(text);
    };
    let wrong = || ValueProblem::Type(text.to_owned());
    let extent = |text: &str| match text.trim() {
        name if name.starts_with(char::is_alphabetic) => Ok(Dim::Named(name.to_owned())),
        number => number.parse().map(Dim::Fixed).map_err(|_| wrong()),
    };
    let extents = extents.split(',').filter(|extent| !extent.trim().is_empty());
    match value_type(kind)? {
        ValueType::Tensor { dtype, .. } => Ok(ValueType::Tensor {
            dtype,
            shape: Some(extents.map(extent).collect::<Result<_, _>>()?),
        }),
        _ => Err(wrong()),
    }
}

fn elements<T: ElementText>(values: &[toml::Value]) -> Result<Vec<T>, ValueProblem> {
    values
        .iter()
        .enumerate()
        .map(|(index, text)| element(index, text, T::DTYPE))
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
