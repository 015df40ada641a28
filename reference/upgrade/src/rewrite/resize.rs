//! Upsample and Resize.

use onnx_model::AttributeValue;
use onnx_tensor::Tensor;

use crate::site::{Reason, Site};

/// Version 1 enlarges height and width.
pub(super) fn upsample_7(site: &mut Site) -> Result<(), Reason> {
    let mut scale = |name: &str| -> Result<f32, Reason> {
        site.take_float(name)?
            .ok_or_else(|| format!("attribute `{name}` is missing"))
    };
    let scales = vec![1.0, 1.0, scale("height_scale")?, scale("width_scale")?];
    site.set("scales", AttributeValue::Floats(scales));
    if site.string("mode")?.as_deref() == Some("bilinear") {
        site.set_string("mode", "linear");
    }
    site.keep();
    Ok(())
}

pub(super) fn upsample_9(site: &mut Site) -> Result<(), Reason> {
    let scales = site
        .take_floats("scales")?
        .ok_or("attribute `scales` is missing")?;
    let scales = site.constant(Tensor::vector(scales));
    site.set_input(1, scales);
    site.keep();
    Ok(())
}

pub(super) fn to_resize(site: &mut Site) -> Result<(), Reason> {
    "Resize".clone_into(&mut site.node.operator);
    site.keep();
    Ok(())
}

/// The rounding of positions of `nearest` in version 10, which depends on the axis.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scales {
    /// No axis shrinks: down.
    Enlarge,
    /// No axis grows: up.
    Shrink,
    /// Some axes grow and some shrink, or this is unknown.
    Mixed,
}

/// Version 10 has no coordinate modes: positions are `asymmetric`, and `nearest` rounds down along
/// an axis that grows and up along one that shrinks. Axes are sampled one after another, so a
/// mixture is a Resize that enlarges and one that shrinks.
pub(super) fn to_11(site: &mut Site) -> Result<(), Reason> {
    let scales = site.required(1)?;
    let roi = site.constant(Tensor::vector(Vec::<f32>::new()));
    site.set_string("coordinate_transformation_mode", "asymmetric");
    if site.string("mode")?.as_deref() == Some("linear") {
        site.node.inputs.truncate(1);
        site.set_input(1, roi);
        site.set_input(2, scales);
        site.keep();
        return Ok(());
    }
    match direction(site) {
        Scales::Enlarge => place(site, "floor", &roi, scales),
        Scales::Shrink => place(site, "ceil", &roi, scales),
        Scales::Mixed => {
            let one = site.constant(Tensor::vector(vec![1_f32]));
            let grown = site.op("Max", &[&scales, &one], Vec::new());
            let shrunk = site.op("Min", &[&scales, &one], Vec::new());
            let between = site.fresh();
            let mut second = site.node.clone();
            // A name belongs to one node.
            site.node.name.clear();
            let outputs = std::mem::replace(&mut site.node.outputs, vec![between.clone()]);
            place(site, "floor", &roi, grown);
            second.inputs = vec![between];
            second.outputs = outputs;
            site.node = second;
            place(site, "ceil", &roi, shrunk);
        }
    }
    Ok(())
}

/// Adds the node with a rounding of positions and its scales.
fn place(site: &mut Site, nearest: &str, roi: &str, scales: String) {
    site.set_string("nearest_mode", nearest);
    site.node.inputs.truncate(1);
    site.set_input(1, roi.to_owned());
    site.set_input(2, scales);
    site.keep();
}

fn direction(site: &Site) -> Scales {
    let Some(scales) = site
        .constant_input(1)
        .and_then(|scales| scales.to_vec::<f32>().ok())
    else {
        return Scales::Mixed;
    };
    match &scales[..] {
        scales if scales.iter().all(|scale| *scale >= 1.0) => Scales::Enlarge,
        scales if scales.iter().all(|scale| *scale <= 1.0) => Scales::Shrink,
        _ => Scales::Mixed,
    }
}

/// Version 13 refuses inputs without a meaning: scales beside sizes, and a region if the mode has none.
pub(super) fn to_13(site: &mut Site) -> Result<(), Reason> {
    let mode = site.string("coordinate_transformation_mode")?;
    if mode.as_deref() == Some("tf_half_pixel_for_nn") {
        return Err("version 13 has no `tf_half_pixel_for_nn`".to_owned());
    }
    if mode.as_deref() != Some("tf_crop_and_resize") && site.input(1).is_some() {
        site.set_input(1, String::new());
    }
    if site.input(3).is_some() {
        site.set_input(2, String::new());
    }
    site.keep();
    Ok(())
}
