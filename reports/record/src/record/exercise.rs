//! The uses of operators in a case: versions, types, attributes and optional inputs.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One use of an operator version by a node of a model. Nodes with equal fields are one use.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Exercise {
    /// Operator and since-version, `Softmax-13`.
    pub operator: String,
    /// The types by type parameter (`T`), or by input or output with types of its own (`axes`):
    /// `float16`, `seq(tensor(int64))`. Omitted inputs and unknown types are missing.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub types: BTreeMap<String, Vec<String>>,
    /// The given attributes, by name. A number or string is stored as text, a list by its elements;
    /// other values (tensors, graphs, long lists) are not stored.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, Vec<String>>,
    /// The optional inputs and outputs that the node gives, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub optional: Vec<String>,
}

/// What one case exercises. It is the same on every backend, so there is one record per case.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CaseExercises {
    /// `<corpus>/<suite>/<name>`.
    pub case: String,
    /// Each distinct use, sorted: nodes of the main graph, of bodies and of functions.
    pub exercises: Vec<Exercise>,
}
