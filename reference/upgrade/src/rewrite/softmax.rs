//! Softmax, LogSoftmax and Hardmax: up to version 12 over all axes from `axis` on, from version 13
//! on over one axis.

use onnx_model::AttributeValue;

use crate::site::{Reason, Site};

/// The axes from `axis` on are merged into one, and split again. If `axis` is the last one, the
/// node does not change.
pub(super) fn to_13(site: &mut Site) -> Result<(), Reason> {
    let axis = site.take_int("axis")?.unwrap_or(1);
    let is_last = axis == -1 || site.rank(0).is_some_and(|rank| axis + 1 == rank as i64);
    if is_last {
        site.set("axis", AttributeValue::Int(-1));
        site.keep();
        return Ok(());
    }
    let x = site.required(0)?;
    let shape = site.op("Shape", &[&x], Vec::new());
    let merged = site.op("Flatten", &[&x], vec![("axis", AttributeValue::Int(axis))]);
    site.set_input(0, merged);
    site.set("axis", AttributeValue::Int(-1));
    let outputs = site.node.outputs.clone();
    let inner = site.fresh();
    site.node.outputs = vec![inner.clone()];
    site.keep();
    split_again(site, inner, shape, outputs);
    Ok(())
}

/// Restores the shape of a merged value. Before version 14 an extent of 0 means that of the merged
/// value, so an empty tensor may be refused there; it never gets another value.
fn split_again(site: &mut Site, merged: String, shape: String, outputs: Vec<String>) {
    const ZERO_IS_ZERO: u32 = 14;
    if site.shared.target >= ZERO_IS_ZERO {
        let zero_is_zero = vec![("allowzero", AttributeValue::Int(1))];
        site.emit("Reshape", vec![merged, shape], outputs, zero_is_zero);
        site.lift_last(ZERO_IS_ZERO);
    } else {
        site.emit("Reshape", vec![merged, shape], outputs, Vec::new())
    }
}
