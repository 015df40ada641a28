//! Cases as JSON text: `--export-as json` writes them, `--cases` reads them.
//!
//! The form is that of ONNX Runtime's design of an operator conformance suite for execution providers
//! (`ep_operator_conformance_design.md`): id, operator, attributes, inputs and outputs with their values,
//! comparison, execution. Values have the notation of own cases ([`crate::notation`]). A text and the files
//! of the official layout are one case: each gives the other, byte by byte, with the same id. What the text
//! cannot say so (graphs of several nodes, bodies, documentation) is in it as base64: `model.base64` is a
//! `ModelProto`, `pb` a value as in `input_0.pb`.
//!
//! The file is `<name>.case.json`. Its schema is `docs/schemas/case.json`.

mod lines;
mod read;
#[cfg(test)]
mod tests;
mod write;

use std::collections::BTreeMap;

use onnx_model::ModelError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::notation::attribute::AttributeText;
use crate::notation::value::{ValueProblem, ValueText};
use crate::{CorpusError, InvalidCaseId, OfficialTolerance};

pub(crate) use read::read;

/// The end of the name of such a file.
pub const SUFFIX: &str = ".case.json";

/// What `format` says.
const FORMAT: &str = "onnx-conformance-case";

/// The version of the format.
pub const VERSION: u32 = 1;

/// A case as JSON text.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// `onnx-conformance-case`.
    format: String,
    version: u32,
    /// `<corpus>/<suite>/<name>`.
    id: String,
    /// The operator of the only node; missing if the model is in base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    operator: Option<Operator>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    attributes: BTreeMap<String, AttributeText>,
    /// The inputs of the node; those of the graph if the model is in base64.
    inputs: Vec<Slot>,
    outputs: Vec<Slot>,
    /// Data sets after the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    further_data_sets: Vec<DataSetText>,
    #[serde(default)]
    comparison: Comparison,
    #[serde(default)]
    execution: Execution,
    #[serde(default)]
    model: ModelText,
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Operator {
    #[serde(default)]
    domain: String,
    #[serde(rename = "type")]
    name: String,
    opset: u32,
}

/// A value with its name: `type`, `shape` and `values`, or another notation of own cases, or `pb`.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
struct Slot {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    name: String,
    #[serde(flatten)]
    #[schemars(with = "Content")]
    content: serde_json::Map<String, serde_json::Value>,
}

/// What a slot has beside its name.
#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "it names the fields of the schema")]
struct Content {
    /// The message of `input_0.pb` in base64.
    pb: Option<String>,
    #[serde(flatten)]
    value: ValueText,
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DataSetText {
    name: String,
    /// The inputs of the graph.
    inputs: Vec<Slot>,
    outputs: Vec<Slot>,
}

/// |actual − expected| ≤ atol + rtol · |expected|.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Comparison {
    rtol: f64,
    atol: f64,
    #[serde(default = "yes")]
    nan_equal: bool,
}

/// What a runner must prove. The answer of another provider is never that of the one under test.
#[derive(Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Execution {
    require_target_ep: bool,
    allow_cpu_fallback: bool,
}

/// What a model has beside its node. The default is that of an own case.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ModelText {
    #[serde(skip_serializing_if = "Option::is_none")]
    ir_version: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    graph: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    producer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    producer_version: Option<String>,
    /// The opsets of other domains that the model imports.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    imports: BTreeMap<String, i64>,
    /// The whole `ModelProto`.
    #[serde(skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
}

fn yes() -> bool {
    true
}

impl Default for Comparison {
    fn default() -> Comparison {
        let OfficialTolerance { rtol, atol } = OfficialTolerance::default();
        Comparison {
            rtol,
            atol,
            nan_equal: true,
        }
    }
}

impl Default for Execution {
    fn default() -> Execution {
        Execution {
            require_target_ep: true,
            allow_cpu_fallback: false,
        }
    }
}

/// Why a text is not a case, or a case has no text.
#[derive(Debug, thiserror::Error)]
pub enum JsonProblem {
    /// It is not JSON of this form.
    #[error("not a case as JSON text: {0}")]
    Form(#[from] serde_json::Error),
    /// It has another format or version.
    #[error(
        "`format` is `{format}` and `version` {version}; this program reads `{FORMAT}` of version {VERSION}"
    )]
    Version { format: String, version: u32 },
    #[error(transparent)]
    Id(#[from] InvalidCaseId),
    /// A value or an attribute is malformed.
    #[error("{place}: {problem}")]
    Value { place: String, problem: ValueProblem },
    /// A value or a model is not base64.
    #[error("{place}: not base64: {problem}")]
    Base64 {
        place: String,
        problem: base64::DecodeError,
    },
    /// There is neither an operator nor a model, or there are both.
    #[error("it needs either `operator`, for a model with one node, or `model.base64`")]
    Model,
    /// Something that this program does not do.
    #[error("`{field}` must be {value}: {reason}")]
    Demand {
        field: &'static str,
        value: &'static str,
        reason: &'static str,
    },
    /// The case has parts that stay in files.
    #[error("it has {0}, which JSON text cannot hold; write it in the official layout")]
    InFiles(&'static str),
    #[error(transparent)]
    Files(#[from] CorpusError),
    /// Its model or a value cannot be decoded.
    #[error(transparent)]
    Decode(#[from] ModelError),
}
