//! Split.

use onnx_model::AttributeValue;
use onnx_tensor::{Real, dispatch};

use crate::site::{Reason, Site};

/// Version 1 may have lengths as an input, with the type of the tensor.
pub(super) fn to_2(site: &mut Site) -> Result<(), Reason> {
    if site.node.attribute("axis").is_none() {
        return Err("attribute `axis` is missing, and version 1 states no default".to_owned());
    }
    if site.input(1).is_some() {
        let lengths = site.constant_input(1).ok_or("the input `split` is no constant")?;
        let values = dispatch!(real, lengths.dtype(), T => {
            lengths.to_vec::<T>().map(|values| values.into_iter().map(<T as Real>::to_f64).collect::<Vec<f64>>())
        });
        let values = values.map_err(|error| error.to_string())?;
        if values
            .iter()
            .any(|value| value.fract() != 0.0 || value.abs() > 2_f64.powi(53))
        {
            return Err("the input `split` holds no lengths".to_owned());
        }
        site.set(
            "split",
            AttributeValue::Ints(values.into_iter().map(|value| value as i64).collect()),
        );
    }
    site.node.inputs.truncate(1);
    site.keep();
    Ok(())
}

pub(super) fn to_13(site: &mut Site) -> Result<(), Reason> {
    if let Some(lengths) = site.ints_to_constant("split")? {
        site.set_input(1, lengths);
    }
    site.keep();
    Ok(())
}

/// Without lengths, version 18 requires the number of outputs.
pub(super) fn to_18(site: &mut Site) -> Result<(), Reason> {
    if site.input(1).is_none() {
        site.node.inputs.truncate(1);
        let outputs = site.node.outputs.len() as i64;
        site.set("num_outputs", AttributeValue::Int(outputs));
    }
    site.keep();
    Ok(())
}
