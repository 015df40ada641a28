//! ONNX releases and their versions (`docs/Versioning.md`, `onnx.helper.VERSION_TABLE`).

use crate::generated::releases::RELEASES;
use crate::table::canonical_domain;

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

/// Returns the releases, oldest first.
pub fn releases() -> &'static [Release] {
    &RELEASES
}

/// Returns the first release with this opset of ai.onnx; `None` if the opset is newer than the table.
pub fn first_release(opset: u32) -> Option<&'static Release> {
    RELEASES.iter().find(|release| release.opset >= opset)
}
