//! What a failing case consists of: its model, its inputs, and the values around a wrong element.
//!
//! All of it is bounded where it is made: a log holds the beginning of a long list and says how long the list is.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::float;

/// The model and the inputs of a case that does not pass on some backend.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseDetail {
    /// The case's id.
    pub case: String,
    /// The opset of each domain that the model imports; `ai.onnx` is the empty text.
    pub imports: BTreeMap<String, i64>,
    /// Inputs of the main graph.
    pub inputs: Part<Typed>,
    /// Outputs of the main graph.
    pub outputs: Part<Typed>,
    /// Initializers of the main graph.
    pub initializers: Part<Values>,
    /// Nodes of the main graph, in the order of the file.
    pub nodes: Part<NodeDetail>,
    /// The values that are fed, by data set.
    pub data_sets: Part<DataSetDetail>,
}

/// The beginning of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part<T> {
    /// Its first items.
    pub first: Vec<T>,
    /// How many items it has.
    pub count: u64,
}

// Derived, it would ask for a default of the items.
impl<T> Default for Part<T> {
    fn default() -> Self {
        Self {
            first: Vec::new(),
            count: 0,
        }
    }
}

/// A name with its type, `float[2,3]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Typed {
    /// The name.
    pub name: String,
    /// The type with its shape; empty where the model declares none.
    pub value_type: String,
}

/// A name with its type and its first elements.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Values {
    /// The name.
    pub name: String,
    /// The type with its shape, `float[2,3]`.
    pub value_type: String,
    /// The first elements, in row-major order.
    pub elements: Part<String>,
}

/// One node.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataSetDetail {
    /// The folder's name, `test_data_set_0`.
    pub name: String,
    /// The values of the inputs.
    pub inputs: Part<Values>,
}

/// The elements around the first one that the policy does not allow.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// The place of the first listed element, in row-major order.
    pub start: u64,
    /// What the backend gave.
    pub got: Vec<String>,
    /// What was expected.
    pub expected: Vec<String>,
    /// For each element how far rounding can lead from the exact result; infinite where no bound is known. Empty where none is
    /// known of the output.
    #[serde(default, with = "float::list", skip_serializing_if = "Vec::is_empty")]
    pub bounds: Vec<f64>,
    /// The elements of each input that stand at the same places, by the rules of broadcasting.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<(String, Vec<String>)>,
}
