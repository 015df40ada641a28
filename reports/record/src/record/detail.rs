//! The details of a failing case: its model, its inputs, and the values around a wrong element.
//!
//! All of them are truncated when they are recorded: a log stores the first items of a long list and its
//! length.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::float::{Float, Floats};

/// The model and the inputs of a case that does not pass on some backend.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CaseDetail {
    /// The case's id.
    pub case: String,
    /// The opset of each domain that the model imports; `ai.onnx` is the empty string.
    pub imports: BTreeMap<String, i64>,
    /// Inputs of the main graph.
    pub inputs: Part<Typed>,
    /// Outputs of the main graph.
    pub outputs: Part<Typed>,
    /// Initializers of the main graph.
    pub initializers: Part<Values>,
    /// Nodes of the main graph, in the order of the file.
    pub nodes: Part<NodeDetail>,
    /// The values of the inputs, by data set.
    pub data_sets: Part<DataSetDetail>,
}

/// The first items of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Part<T> {
    /// Its first items.
    pub first: Vec<T>,
    /// The length of the list.
    pub count: u64,
}

// A derived implementation would require a default of the items.
impl<T> Default for Part<T> {
    fn default() -> Self {
        Self {
            first: Vec::new(),
            count: 0,
        }
    }
}

/// A name with its type, `float[2,3]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Typed {
    /// The name.
    pub name: String,
    /// The type with its shape; empty if the model declares none.
    pub value_type: String,
}

/// A name with its type and its first elements.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Values {
    /// The name.
    pub name: String,
    /// The type with its shape, `float[2,3]`.
    pub value_type: String,
    /// The first elements, in row-major order.
    pub elements: Part<String>,
}

/// One node.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NodeDetail {
    /// Its name; often empty.
    pub name: String,
    /// Operator and since-version, `Softmax-13`.
    pub operator: String,
    /// Names of the inputs; an empty name is an omitted input.
    pub inputs: Part<String>,
    /// Names of the outputs.
    pub outputs: Part<String>,
    /// Name and value of each attribute.
    pub attributes: Part<(String, String)>,
}

/// The inputs of one data set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DataSetDetail {
    /// The folder's name, `test_data_set_0`.
    pub name: String,
    /// The values of the inputs.
    pub inputs: Part<Values>,
}

/// The elements around the first one outside the policy's tolerance.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Window {
    /// The index of the first listed element, in row-major order.
    pub start: u64,
    /// The elements of the backend.
    pub got: Vec<String>,
    /// The expected elements.
    pub expected: Vec<String>,
    /// The bound of the rounding error of each element; infinite if it is unknown. Empty if no bound of
    /// the output is known.
    #[serde(default, with = "Floats", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<Float>")]
    pub bounds: Vec<f64>,
    /// The corresponding elements of each input, by the rules of broadcasting.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<(String, Vec<String>)>,
}
