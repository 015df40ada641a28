//! Versions that remove types.

use onnx_tensor::DType;

use crate::site::{Reason, Site};

/// Integer types are removed.
pub(super) fn floats_only(site: &mut Site) -> Result<(), Reason> {
    match site.dtype(0)? {
        dtype if dtype.is_float() => {
            site.keep();
            Ok(())
        }
        dtype => Err(format!("elements of type {dtype} are no longer taken")),
    }
}

/// In versions 19 to 22 the scale has the type of the input, which excludes integers. In version 23
/// the two types may differ again.
pub(super) fn scale_of_input(site: &mut Site) -> Result<(), Reason> {
    const TYPES_APART: u32 = 23;
    match site.dtype(0)? {
        DType::Float => site.keep(),
        _ if site.shared.target >= TYPES_APART => site.keep_at(TYPES_APART),
        dtype => {
            return Err(format!(
                "elements of type {dtype} with a scale of type float, which versions 19 and 21 do not take"
            ));
        }
    }
    Ok(())
}
