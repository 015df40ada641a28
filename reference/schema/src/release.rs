//! Which release of ONNX brought which versions (`docs/Versioning.md`, `onnx.helper.VERSION_TABLE`).

use crate::generated::releases::RELEASES;
use crate::table::canonical_domain;

/// A release of ONNX. Patch releases that changed no version are not listed.
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
    /// The newest opset of ai.onnx.preview.training, which came with 1.7.0.
    pub training_opset: Option<u32>,
}

impl Release {
    /// The newest opset of a domain in this release. `None` for a domain that it did not have, and for
    /// ai.onnx.preview, of which the specification keeps no history.
    pub fn opset_of(&self, domain: &str) -> Option<u32> {
        match canonical_domain(domain) {
            "" => Some(self.opset),
            "ai.onnx.ml" => Some(self.ml_opset),
            "ai.onnx.preview.training" => self.training_opset,
            _ => None,
        }
    }
}

/// The releases, oldest first.
pub fn releases() -> &'static [Release] {
    &RELEASES
}

/// The first release that knew this opset of ai.onnx; `None` when it is newer than the table.
pub fn first_release(opset: u32) -> Option<&'static Release> {
    RELEASES.iter().find(|release| release.opset >= opset)
}
