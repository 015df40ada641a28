//! ONNX releases and their versions (`docs/Versioning.md`, `onnx.helper.VERSION_TABLE`).

use crate::generated::releases::RELEASES;
use crate::rows::Release;

/// Returns the releases, oldest first.
pub fn releases() -> &'static [Release] {
    &RELEASES
}

/// Returns the first release with this opset of a domain (`""` for ai.onnx); `None` if the opset is newer
/// than the table.
pub fn first_release(domain: &str, opset: u32) -> Option<&'static Release> {
    RELEASES
        .iter()
        .find(|release| release.opset_of(domain) >= Some(opset))
}

/// Returns the IR version for a new model of this opset of a domain: the oldest that supports the opset, so
/// that every runtime of the opset reads it, but at least 8, the first with optional types and functions. It
/// is 8 also if no release has the opset.
pub fn ir_version(domain: &str, opset: u32) -> i64 {
    const WITH_FUNCTIONS: i64 = 8;
    first_release(domain, opset).map_or(WITH_FUNCTIONS, |release| {
        i64::from(release.ir_version).max(WITH_FUNCTIONS)
    })
}
