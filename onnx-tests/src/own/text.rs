//! The form of a file of own cases.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::value::{AttributeText, ValueText};

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

/// A case.
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
    pub(super) outputs: Vec<ValueText>,
    /// As the official runner has it.
    #[serde(default = "official_rtol")]
    pub(super) rtol: f64,
    #[serde(default = "official_atol")]
    pub(super) atol: f64,
}

fn official_rtol() -> f64 {
    1e-3
}

fn official_atol() -> f64 {
    1e-7
}
