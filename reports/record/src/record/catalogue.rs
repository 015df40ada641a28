//! The operator versions of the specification.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A version of an operator, with every type and attribute that it allows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OperatorVersion {
    /// The domain; `ai.onnx` in full.
    pub domain: String,
    /// The operator's name.
    pub name: String,
    /// The opset that introduced the version.
    pub since: u32,
    /// Whether the version withdraws the operator: no model may use it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deprecated: bool,
    /// Whether ONNX Runtime adds it: ONNX does not have it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub added: bool,
    /// The type parameters, and the inputs and outputs with types of their own.
    pub parameters: Vec<TypeParameter>,
    /// The attributes.
    pub attributes: Vec<AttributeDomain>,
    /// The optional inputs and outputs, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub optional: Vec<String>,
}

/// A type parameter, or an input or output with types of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TypeParameter {
    /// `T`, or the name of the input or output.
    pub name: String,
    /// Its possible types, in the order of the specification.
    pub types: Vec<String>,
}

/// An attribute and its possible values.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AttributeDomain {
    /// Its name.
    pub name: String,
    /// Its kind in lower case: `int`, `strings`.
    pub kind: String,
    /// The default, if it is a number or string; the elements of a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Vec<String>>,
    /// All values if the specification enumerates them; otherwise empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

impl OperatorVersion {
    /// The notation in cases: `Softmax-13`, `ai.onnx.ml.Scaler-1`.
    pub fn id(&self) -> String {
        let Self {
            domain, name, since, ..
        } = self;
        match domain.as_str() {
            "ai.onnx" => format!("{name}-{since}"),
            _ => format!("{domain}.{name}-{since}"),
        }
    }
}
