//! Attributes that become inputs.

use onnx_model::AttributeValue;
use onnx_tensor::{DType, Tensor};

use crate::site::{Reason, Site, scalar_of};

/// `axes` becomes input 1; without axes, or with an empty list, there is no input.
pub(super) fn axes(site: &mut Site) -> Result<(), Reason> {
    if let Some(AttributeValue::Ints(list)) = site.node.attribute("axes")
        && list.is_empty()
        && site.to.name.starts_with("Reduce")
    {
        site.take("axes");
    }
    if let Some(axes) = site.ints_to_constant("axes")? {
        site.set_input(1, axes);
    }
    site.keep();
    Ok(())
}

pub(super) fn reshape(site: &mut Site) -> Result<(), Reason> {
    let shape = site
        .ints_to_constant("shape")?
        .ok_or("attribute `shape` is missing")?;
    site.set_input(1, shape);
    site.keep();
    Ok(())
}

pub(super) fn slice(site: &mut Site) -> Result<(), Reason> {
    for (index, name) in [(1, "starts"), (2, "ends")] {
        let list = site
            .ints_to_constant(name)?
            .ok_or_else(|| format!("attribute `{name}` is missing"))?;
        site.set_input(index, list);
    }
    if let Some(axes) = site.ints_to_constant("axes")? {
        site.set_input(3, axes);
    }
    site.keep();
    Ok(())
}

pub(super) fn top_k(site: &mut Site) -> Result<(), Reason> {
    let k = site.take_int("k")?.ok_or("attribute `k` is missing")?;
    let k = site.integers(vec![k]);
    site.set_input(1, k);
    site.keep();
    Ok(())
}

/// Versions 17 and 20 have different defaults for `axis`.
pub(super) fn dft(site: &mut Site) -> Result<(), Reason> {
    let axis = site.take_int("axis")?.unwrap_or(1);
    let axis = site.constant(Tensor::scalar(axis));
    site.set_input(2, axis);
    site.keep();
    Ok(())
}

/// An absent bound is the end of the range of the element type in version 1, and of float in version 6.
pub(super) fn clip_6(site: &mut Site) -> Result<(), Reason> {
    const BY_INPUTS: u32 = 11;
    let names = ["min", "max"];
    if names.iter().all(|name| site.node.attribute(name).is_some()) {
        site.keep();
        return Ok(());
    }
    match site.dtype(0)? {
        DType::Float => site.keep(),
        DType::Float16 => {
            let ends = [-65504.0, 65504.0];
            for (name, end) in names.into_iter().zip(ends) {
                if site.node.attribute(name).is_none() {
                    site.set(name, AttributeValue::Float(end));
                }
            }
            site.keep();
        }
        dtype if site.shared.target >= BY_INPUTS => {
            for (index, name) in names.into_iter().enumerate() {
                if let Some(bound) = site.take_float(name)? {
                    let bound = site.constant(scalar_of(bound, dtype)?);
                    site.set_input(index + 1, bound);
                }
            }
            site.keep_at(BY_INPUTS);
        }
        dtype => {
            return Err(format!(
                "an absent bound of elements of type {dtype} has no form below version 11"
            ));
        }
    }
    Ok(())
}

/// A bound has the type of the tensor, and defaults to the range of float.
pub(super) fn clip_11(site: &mut Site) -> Result<(), Reason> {
    let dtype = site.dtype(0)?;
    for (index, name, default) in [(1, "min", f32::MIN), (2, "max", f32::MAX)] {
        let given = site.take_float(name)?;
        if given.is_none() && dtype == DType::Float {
            continue;
        }
        let bound = site.constant(scalar_of(given.unwrap_or(default), dtype)?);
        site.set_input(index, bound);
    }
    site.keep();
    Ok(())
}

/// Version 1 repeats along one axis, counted from the front; the number of repetitions and the axis
/// are floats.
pub(super) fn tile(site: &mut Site) -> Result<(), Reason> {
    let [x, tiles, axis] = [site.required(0)?, site.required(1)?, site.required(2)?];
    let one = site.integers(vec![1]);
    let [tiles, axis] = [tiles, axis].map(|number| {
        let number = site.op("Cast", &[&number], int64());
        site.op("Reshape", &[&number, &one], Vec::new())
    });
    let extents = site.op("Shape", &[&x], Vec::new());
    let rank = site.op("Shape", &[&extents], Vec::new());
    let from = site.op("Sub", &[&rank, &axis], Vec::new());
    let behind = site.op("Sub", &[&from, &one], Vec::new());
    let [before, after] = [axis, behind].map(|count| site.op("Tile", &[&one, &count], Vec::new()));
    let along = vec![("axis", AttributeValue::Int(0))];
    let repeats = site.op("Concat", &[&before, &tiles, &after], along);
    site.node.inputs.truncate(1);
    site.set_input(1, repeats);
    site.keep();
    Ok(())
}

/// The attributes of a Cast to int64.
fn int64() -> Vec<(&'static str, AttributeValue)> {
    vec![("to", AttributeValue::Int(i64::from(DType::Int64.to_onnx())))]
}

/// Version 9 gives off-values for every negative index, version 11 counts it from the end: `depth`
/// is out of range in both.
pub(super) fn one_hot(site: &mut Site) -> Result<(), Reason> {
    let [indices, depth] = [site.required(0)?, site.required(1)?];
    let is_unsigned = |dtype| {
        matches!(
            dtype,
            DType::Uint8 | DType::Uint16 | DType::Uint32 | DType::Uint64
        )
    };
    if site.dtype(0).is_ok_and(is_unsigned) {
        site.keep();
        return Ok(());
    }
    let indices = site.op("Cast", &[&indices], int64());
    let depth = site.op("Cast", &[&depth], int64());
    let no_axes = site.integers(Vec::new());
    let depth = site.op("Reshape", &[&depth, &no_axes], Vec::new());
    let zero = site.constant(Tensor::scalar(0_i64));
    let negative = site.op("Less", &[&indices, &zero], Vec::new());
    let moved = site.op("Where", &[&negative, &depth, &indices], Vec::new());
    site.set_input(0, moved);
    site.set_input(1, depth);
    site.keep();
    Ok(())
}
