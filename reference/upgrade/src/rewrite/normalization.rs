//! BatchNormalization, Dropout, GroupNormalization.

use onnx_model::AttributeValue;
use onnx_tensor::{DType, Tensor};

use crate::site::{Reason, Site};

/// Versions 1 and 6 train unless `is_test` is set; version 7 trains if an output other than Y has a name.
pub(super) fn batch_7(site: &mut Site) -> Result<(), Reason> {
    let is_test = site.take_int("is_test")?.unwrap_or(0) != 0;
    match (is_test, (1..5).any(|index| site.wants(index))) {
        (true, true) => return Err("outputs beyond Y where `is_test` is set".to_owned()),
        (false, false) => {
            let mean = site.fresh();
            site.node.outputs.truncate(1);
            site.node.outputs.push(mean);
        }
        (true, false) | (false, true) => {}
    }
    site.keep();
    Ok(())
}

/// Up to version 7 `spatial` = 0 gives each feature its own statistics. With the features as
/// channels version 9 does the same.
pub(super) fn batch_9(site: &mut Site) -> Result<(), Reason> {
    let spatial = site.take_int("spatial")?.unwrap_or(1) != 0;
    if spatial {
        site.keep();
        return Ok(());
    }
    if (1..5).any(|index| site.wants(index)) {
        return Err("training with `spatial` = 0".to_owned());
    }
    let x = site.required(0)?;
    let shape = site.op("Shape", &[&x], Vec::new());
    let flat = site.op("Flatten", &[&x], vec![("axis", AttributeValue::Int(1))]);
    let all = site.integers(vec![-1]);
    for index in 1..5 {
        let parameter = site.required(index)?;
        let parameter = site.op("Reshape", &[&parameter, &all], Vec::new());
        site.set_input(index, parameter);
    }
    site.set_input(0, flat);
    let result = site.fresh();
    let outputs = std::mem::replace(&mut site.node.outputs, vec![result.clone()]);
    site.keep();
    site.emit("Reshape", vec![result, shape], outputs, Vec::new());
    Ok(())
}

/// Version 14 trains if `training_mode` is set, and has no saved statistics.
pub(super) fn batch_14(site: &mut Site) -> Result<(), Reason> {
    if site.wants(3) || site.wants(4) {
        return Err("version 14 does not give `saved_mean` and `saved_var`".to_owned());
    }
    if site.wants(1) || site.wants(2) {
        site.set("training_mode", AttributeValue::Int(1));
    }
    site.node.outputs.truncate(3);
    site.keep();
    Ok(())
}

/// Versions 1 and 6 train unless `is_test` is set. Only version 12 and later can train again.
pub(super) fn dropout_7(site: &mut Site) -> Result<(), Reason> {
    const TRAINS: u32 = 12;
    if site.take_int("is_test")?.unwrap_or(0) != 0 {
        if site.wants(1) {
            return Err("the mask where `is_test` is set".to_owned());
        }
        site.node.outputs.truncate(1);
        site.keep();
        return Ok(());
    }
    if site.shared.target < TRAINS {
        return Err("training, which versions 7 to 10 do not know".to_owned());
    }
    let ratio = site.take_float("ratio")?.unwrap_or(0.5);
    let ratio = site.constant(Tensor::scalar(ratio));
    let training = site.constant(Tensor::scalar(true));
    site.set_input(1, ratio);
    site.set_input(2, training);
    let cast = former_mask(site)?;
    site.keep_at(TRAINS);
    if let Some((mask, outputs, to)) = cast {
        site.emit("Cast", vec![mask], outputs, vec![("to", AttributeValue::Int(to))]);
        site.lift_last(TRAINS);
    }
    Ok(())
}

/// Up to version 7 the mask has the type of the data, later it is boolean.
pub(super) fn dropout_10(site: &mut Site) -> Result<(), Reason> {
    let cast = former_mask(site)?;
    site.keep();
    if let Some((mask, outputs, to)) = cast {
        site.emit("Cast", vec![mask], outputs, vec![("to", AttributeValue::Int(to))]);
    }
    Ok(())
}

/// Returns a new name for the mask, with its old name and the number of its type; `None` if no node
/// reads the mask.
fn former_mask(site: &mut Site) -> Result<Option<(String, Vec<String>, i64)>, Reason> {
    if !site.wants(1) {
        return Ok(None);
    }
    let dtype: DType = site.dtype(0)?;
    let mask = site.fresh();
    let former = std::mem::replace(&mut site.node.outputs[1], mask.clone());
    Ok(Some((mask, vec![former], i64::from(dtype.to_onnx()))))
}

pub(super) fn dropout_12(site: &mut Site) -> Result<(), Reason> {
    if let Some(ratio) = site.take_float("ratio")? {
        let ratio = site.constant(Tensor::scalar(ratio));
        site.set_input(1, ratio);
    }
    site.keep();
    Ok(())
}

/// Version 18 has a scale and a bias for each group, version 21 for each channel. Version 18
/// computes in the type of X; a wider type is as exact.
pub(super) fn group_21(site: &mut Site) -> Result<(), Reason> {
    let x = site.required(0)?;
    let groups = match site.node.attribute("num_groups") {
        Some(AttributeValue::Int(groups)) => *groups,
        _ => return Err("attribute `num_groups` is no integer".to_owned()),
    };
    if site.dtype(0)? == DType::Double {
        site.set(
            "stash_type",
            AttributeValue::Int(i64::from(DType::Double.to_onnx())),
        );
    }
    let range = vec![("start", AttributeValue::Int(1)), ("end", AttributeValue::Int(2))];
    let channels = site.op("Shape", &[&x], range);
    let groups = site.integers(vec![groups]);
    let one = site.integers(vec![1]);
    let all = site.integers(vec![-1]);
    let each = site.op("Div", &[&channels, &groups], Vec::new());
    let axis = || vec![("axis", AttributeValue::Int(0))];
    let column = site.op("Concat", &[&groups, &one], axis());
    let repeated = site.op("Concat", &[&groups, &each], axis());
    for index in [1, 2] {
        let parameter = site.required(index)?;
        let parameter = site.op("Reshape", &[&parameter, &column], Vec::new());
        let parameter = site.op("Expand", &[&parameter, &repeated], Vec::new());
        let parameter = site.op("Reshape", &[&parameter, &all], Vec::new());
        site.set_input(index, parameter);
    }
    site.keep();
    Ok(())
}
