//! Pad.

use crate::site::{Reason, Site, scalar_of};

pub(super) fn to_2(site: &mut Site) -> Result<(), Reason> {
    let pads = site.take("paddings").ok_or("attribute `paddings` is missing")?;
    site.set("pads", pads);
    site.keep();
    Ok(())
}

/// The constant has the type of the tensor; 0 needs none.
pub(super) fn to_11(site: &mut Site) -> Result<(), Reason> {
    let pads = site
        .ints_to_constant("pads")?
        .ok_or("attribute `pads` is missing")?;
    site.set_input(1, pads);
    let value = site.take_float("value")?.unwrap_or(0.0);
    if value.to_bits() != 0 {
        let dtype = site.dtype(0)?;
        let value = site.constant(scalar_of(value, dtype)?);
        site.set_input(2, value);
    }
    site.keep();
    Ok(())
}
