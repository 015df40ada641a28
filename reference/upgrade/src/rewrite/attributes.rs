//! Attributes with another name, kind, default or set of values.

use std::collections::HashSet;

use onnx_model::AttributeValue;
use onnx_tensor::DType;

use crate::site::{Reason, Site};

/// The order of a norm is a float in version 1.
pub(super) fn order(site: &mut Site) -> Result<(), Reason> {
    if let Some(p) = site.take_float("p")? {
        if p.fract() != 0.0 || p.abs() > 1e9 {
            return Err(format!("`p` is {p}, and version 2 takes whole numbers"));
        }
        site.set("p", AttributeValue::Int(p as i64));
    }
    if site
        .to
        .attribute("kernel_shape")
        .is_some_and(|attribute| attribute.required)
        && site.node.attribute("kernel_shape").is_none()
    {
        return Err("attribute `kernel_shape` is missing".to_owned());
    }
    site.keep();
    Ok(())
}

pub(super) fn concat(site: &mut Site) -> Result<(), Reason> {
    if site.node.attribute("axis").is_none() {
        site.set("axis", AttributeValue::Int(1));
    }
    site.keep();
    Ok(())
}

/// Version 1 names the type as `TensorProto.DataType` does.
pub(super) fn cast(site: &mut Site) -> Result<(), Reason> {
    let name = site.string("to")?.ok_or("attribute `to` is missing")?;
    let dtype = DType::from_onnx_name(&name.to_ascii_lowercase());
    let dtype = dtype.map_err(|_| format!("`{name}` is no element type"))?;
    site.set("to", AttributeValue::Int(i64::from(dtype.to_onnx())));
    site.keep();
    Ok(())
}

/// The defaults of version 1 have fewer digits.
pub(super) fn selu(site: &mut Site) -> Result<(), Reason> {
    for (name, default) in [("alpha", 1.6732), ("gamma", 1.0507)] {
        if site.node.attribute(name).is_none() {
            site.set(name, AttributeValue::Float(default));
        }
    }
    site.keep();
    Ok(())
}

/// Version 10 does not move regions by half a pixel, which version 16 does by default.
pub(super) fn roi_align(site: &mut Site) -> Result<(), Reason> {
    site.set_string("coordinate_transformation_mode", "output_half_pixel");
    site.keep();
    Ok(())
}

pub(super) fn grid_sample(site: &mut Site) -> Result<(), Reason> {
    let renamed = match site.string("mode")?.as_deref() {
        None | Some("bilinear") => "linear",
        Some("bicubic") => "cubic",
        Some("nearest") => "nearest",
        Some(other) => return Err(format!("`mode` is {other:?}")),
    };
    site.set_string("mode", renamed);
    site.keep();
    Ok(())
}

pub(super) fn scatter(site: &mut Site) -> Result<(), Reason> {
    "ScatterElements".clone_into(&mut site.node.operator);
    site.keep();
    Ok(())
}

/// Generated padding of odd size: version 1 adds the odd element at the beginning for SAME_UPPER
/// and otherwise at the end, version 11 the other way round. Padding is generated if an output
/// shape is given, and for SAME without one, whose output has input · stride elements in both
/// versions.
pub(super) fn conv_transpose(site: &mut Site) -> Result<(), Reason> {
    let auto_pad = site.string("auto_pad")?.unwrap_or_else(|| "NOTSET".to_owned());
    let is_same = matches!(auto_pad.as_str(), "SAME_UPPER" | "SAME_LOWER");
    check_output_padding(site)?;
    if is_same || site.node.attribute("output_shape").is_some() {
        let other = if auto_pad == "SAME_UPPER" {
            "SAME_LOWER"
        } else {
            "SAME_UPPER"
        };
        site.set_string("auto_pad", other);
        site.take("pads");
    }
    site.keep();
    Ok(())
}

/// Version 11 requires `output_padding` to be less than the stride or the dilation.
fn check_output_padding(site: &Site) -> Result<(), Reason> {
    let ints = |name: &str| match site.node.attribute(name) {
        None => Ok(Vec::new()),
        Some(AttributeValue::Ints(values)) => Ok(values.clone()),
        Some(_) => Err(format!("attribute `{name}` is no list of integers")),
    };
    let (extra, strides, dilations) = (ints("output_padding")?, ints("strides")?, ints("dilations")?);
    let at = |list: &[i64], axis: usize| list.get(axis).copied().unwrap_or(1);
    let too_large = |(axis, extra): (usize, &i64)| *extra >= at(&strides, axis).max(at(&dilations, axis));
    if extra.iter().enumerate().any(too_large) {
        Err("`output_padding` is not below stride or dilation, which version 11 demands".to_owned())
    } else {
        Ok(())
    }
}

/// Version 1 has strings and their positions. If a string is repeated, version 1 uses its last
/// position, version 2 the first.
pub(super) fn label_encoder_2(site: &mut Site) -> Result<(), Reason> {
    let classes = site
        .take_strings("classes_strings")?
        .ok_or("attribute `classes_strings` is missing")?;
    let bytes = |text: &String| text.as_bytes().to_vec();
    let positions: Vec<i64> = (0..classes.len() as i64).collect();
    if site.dtype(0)? != DType::String {
        site.set("keys_int64s", AttributeValue::Ints(positions));
        site.set(
            "values_strings",
            AttributeValue::Strings(classes.iter().map(bytes).collect()),
        );
        site.keep();
        return Ok(());
    }
    let mut seen = HashSet::new();
    let mut pairs: Vec<(Vec<u8>, i64)> = classes
        .iter()
        .zip(positions)
        .rev()
        .filter(|(class, _)| seen.insert(*class))
        .map(|(c, p)| (bytes(c), p))
        .collect();
    pairs.reverse();
    let (keys, values) = pairs.into_iter().unzip();
    site.set("keys_strings", AttributeValue::Strings(keys));
    site.set("values_int64s", AttributeValue::Ints(values));
    site.keep();
    Ok(())
}

/// If a key is repeated, version 2 uses the first, version 4 the last. Version 2 compares floats by
/// bits, version 4 by value.
pub(super) fn label_encoder_4(site: &mut Site) -> Result<(), Reason> {
    if let Some(AttributeValue::Floats(keys)) = site.node.attribute("keys_floats")
        && keys.iter().any(|key| key.is_nan() || *key == 0.0)
    {
        return Err(
            "a key is 0 or NaN, which meet by bits in version 2 and by value in version 4".to_owned(),
        );
    }
    let is_first = match keys(site)? {
        Some(texts) => {
            let mut seen = HashSet::new();
            texts
                .into_iter()
                .map(|text| seen.insert(text))
                .collect::<Vec<bool>>()
        }
        None => Vec::new(),
    };
    for attribute in &mut site.node.attributes {
        let is_list = attribute.name.starts_with("keys_") || attribute.name.starts_with("values_");
        match &mut attribute.value {
            AttributeValue::Strings(list) if is_list => keep_where(list, &is_first),
            AttributeValue::Ints(list) if is_list => keep_where(list, &is_first),
            AttributeValue::Floats(list) if is_list => keep_where(list, &is_first),
            _ => {}
        }
    }
    site.keep();
    Ok(())
}

fn keep_where<T>(list: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    list.retain(|_| kept.next().copied().unwrap_or(true));
}

/// Returns each key as bytes.
fn keys(site: &Site) -> Result<Option<Vec<Vec<u8>>>, Reason> {
    let lists = ["keys_strings", "keys_int64s", "keys_floats"];
    let Some(list) = lists.iter().find_map(|name| site.node.attribute(name)) else {
        return Ok(None);
    };
    Ok(Some(match list {
        AttributeValue::Strings(list) => list.clone(),
        AttributeValue::Ints(list) => list.iter().map(|key| key.to_le_bytes().to_vec()).collect(),
        AttributeValue::Floats(list) => list.iter().map(|key| key.to_le_bytes().to_vec()).collect(),
        _ => return Err("the keys are no list".to_owned()),
    }))
}
