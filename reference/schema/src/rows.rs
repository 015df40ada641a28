//! The rows of the generated tables.

use crate::schema::OperatorSchema;

/// A domain and the newest opset that this table knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Domain {
    /// The name; `""` for ai.onnx.
    pub name: &'static str,
    /// The newest opset of the domain.
    pub newest_opset: u32,
}

/// An operator with all its versions.
#[derive(Clone, Copy, Debug)]
pub struct Operator {
    /// The domain; `""` for ai.onnx.
    pub domain: &'static str,
    /// The name, as in `NodeProto.op_type`.
    pub name: &'static str,
    /// The versions, oldest first; at least one.
    pub versions: &'static [OperatorSchema],
}

impl Operator {
    /// Returns the version that a model at this opset uses; `None` if the operator is newer.
    pub fn at(&self, opset: u32) -> Option<&'static OperatorSchema> {
        let count = self.versions.partition_point(|version| version.since <= opset);
        self.versions.get(count.checked_sub(1)?)
    }
}

/// The static body of an operator version, written in the operators of one opset.
#[derive(Clone, Copy, Debug)]
pub struct FunctionBody {
    /// The domain of the operator; `""` for ai.onnx.
    pub domain: &'static str,
    /// The name of the operator.
    pub name: &'static str,
    /// The operator version that it defines.
    pub since: u32,
    /// The opset of ai.onnx whose operators the body uses, and the first for which it is valid. It may be
    /// above `since`.
    pub opset: u32,
    /// An encoded `FunctionProto`.
    pub proto: &'static [u8],
}

/// A release of ONNX. Patch releases that change no version are not listed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Release {
    /// The release, such as `1.22.0`.
    pub version: &'static str,
    /// The newest `ModelProto.ir_version`.
    pub ir_version: u32,
    /// The newest opset of ai.onnx.
    pub opset: u32,
    /// The newest opset of ai.onnx.ml.
    pub ml_opset: u32,
    /// The newest opset of ai.onnx.preview.training, which 1.7.0 introduced.
    pub training_opset: Option<u32>,
}

impl Release {
    /// Returns the newest opset of a domain in this release. `None` for a domain that the release does not
    /// have, and for ai.onnx.preview, whose history the specification does not record.
    pub fn opset_of(&self, domain: &str) -> Option<u32> {
        match canonical_domain(domain) {
            "" => Some(self.opset),
            "ai.onnx.ml" => Some(self.ml_opset),
            "ai.onnx.preview.training" => self.training_opset,
            _ => None,
        }
    }
}

/// Returns the domain as the table writes it: `ai.onnx` becomes `""`, others are unchanged.
pub fn canonical_domain(domain: &str) -> &str {
    if domain == "ai.onnx" { "" } else { domain }
}
