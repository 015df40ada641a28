//! Versions that no longer take some types.

use onnx_tensor::DType;

use crate::site::{Reason, Site};

/// Integers are gone.
pub(super) fn floats_only(site: &mut Site) -> Result<(), Reason> {
    match site.dtype(0)? {
        dtype if dtype.is_float() => {
            site.keep();
            Ok(())
        }
        dtype => Err(format!("elements of type {dtype} are no longer taken")),
    }
}

/// From version 19 to 22 the scale has the type of the input, and no integer is a scale. Version 23 tells the two types apart again.
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
