//! ONNX releases and their versions (`docs/Versioning.md`, `onnx.helper.VERSION_TABLE`).

use crate::generated::releases::RELEASES;
use crate::rows::Release;

/// Returns the releases, oldest first.
pub fn releases() -> &'static [Release] {
    &RELEASES
}

/// Returns the first release with this opset of ai.onnx; `None` if the opset is newer than the table.
pub fn first_release(opset: u32) -> Option<&'static Release> {
    RELEASES.iter().find(|release| release.opset >= opset)
}
