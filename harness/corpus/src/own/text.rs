//! The format of a file of own cases.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::notation::attribute::AttributeText;
use crate::notation::value::ValueText;

/// A file: the cases of one operator.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileText {
    pub(super) operator: String,
    /// `ai.onnx`, or another.
    pub(super) domain: String,
    #[serde(default)]
    pub(super) case: Vec<CaseText>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CaseText {
    pub(super) name: String,
    pub(super) since: Vec<u32>,
    pub(super) opset: Option<u32>,
    pub(super) derivation: String,
    #[serde(default)]
    pub(super) attributes: BTreeMap<String, AttributeText>,
    #[serde(default)]
    pub(super) inputs: Vec<ValueText>,
    /// Inputs of the graph, but not of the node: its bodies read them.
    #[serde(default)]
    pub(super) outer: BTreeMap<String, ValueText>,
    #[serde(default)]
    pub(super) expected: ExpectedText,
    pub(super) outputs: Vec<ValueText>,
    /// By default that of the official runner.
    #[serde(default = "official_rtol")]
    pub(super) rtol: f64,
    #[serde(default = "official_atol")]
    pub(super) atol: f64,
}

/// The meaning of `outputs`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Deserialize)]
pub(super) enum ExpectedText {
    /// The expected values.
    #[default]
    #[serde(rename = "values")]
    Values,
    /// Only the types and shapes of random values.
    #[serde(rename = "statistical contract")]
    Contract,
}

fn official_rtol() -> f64 {
    1e-3
}

fn official_atol() -> f64 {
    1e-7
}
