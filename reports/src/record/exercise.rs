//! What a case asks of operators: which versions, with which types and attributes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// One use of an operator version by a node of a model. Nodes that agree in all of this are one use.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Exercise {
    /// Operator and since-version, `Softmax-13`.
    pub operator: String,
    /// The types that occur, by type parameter (`T`), or by input or output where that has types of its own (`axes`):
    /// `float16`, `seq(tensor(int64))`. What is left out, or whose type cannot be known, is missing.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub types: BTreeMap<String, Vec<String>>,
    /// The attributes that the node gives, by name. A number or text stands as it is, a list by its elements; other
    /// values (tensors, graphs, long lists) by nothing.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, Vec<String>>,
}

/// What one case exercises; the same on every backend, and so told once for each case.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseExercises {
    /// `<corpus>/<suite>/<name>`.
    pub case: String,
    /// Each use once, sorted: nodes of the main graph, of bodies and of functions.
    pub exercises: Vec<Exercise>,
}
