//! Poolings over one or two spatial axes and global poolings, with images in the plain or blocked layout.

use native_kernels::pool::{PoolShape, Pooling, global_pool, pool};

use super::affine::{channels, image};
use super::{Attempt, Device, Lowered, Use};
use crate::ir::Operator;
use crate::ops::{Rounding, Window, two_axes};

/// Whether an operator pools images, to one value or an image for each channel.
pub fn pools_images(name: &str) -> bool {
    matches!(
        name,
        "MaxPool" | "AveragePool" | "GlobalAveragePool" | "GlobalMaxPool"
    )
}

pub fn lower(used: &Use, device: &Device, operator: &Operator) -> Attempt {
    let (Some(x), 1) = (used.float(0), used.outputs.len()) else {
        return Ok(None);
    };
    let (&[batch, count, ref spatial @ ..], Some(extents)) = (x.shape.as_slice(), image(&x.shape)) else {
        return Ok(None);
    };
    if x.layout != used.layout || x.shape.contains(&0) {
        return Ok(None);
    }
    let (name, layout) = (operator.schema.name, channels(x.layout));
    let include_pad = operator.attributes.flag("count_include_pad")?;
    let pooling = match name.ends_with("MaxPool") {
        true => Pooling::Max,
        false => Pooling::Average { include_pad },
    };
    if name.starts_with("Global") {
        return Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
            Ok(global_pool(
                &device.pool,
                layout,
                extents,
                pooling,
                inputs[0],
                outputs[0],
            )?)
        });
    }
    let kernel = crate::ops::call::extents(operator.attributes.ints("kernel_shape")?.unwrap_or_default())?;
    let up = operator.attributes.flag("ceil_mode")?;
    let rounding = if up { Rounding::Up } else { Rounding::Down };
    let found = Window::new(&operator.attributes, spatial, &kernel, rounding)?;
    let (Some(window), Some(size), Some(output)) =
        (found.two_axes(), two_axes(spatial, 1), two_axes(&found.output, 1))
    else {
        return Ok(None);
    };
    let shape = PoolShape {
        window,
        pooling,
        ceil_mode: up,
    };
    // Kernels and ONNX may differ in how the mean counts the padding of a last window.
    let same = shape.output(size).is_ok_and(|found| found == output);
    if (include_pad && up) || !same {
        return Ok(None);
    }
    Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
        Ok(pool(
            &device.pool,
            layout,
            [batch, count],
            size,
            &shape,
            inputs[0],
            outputs[0],
        )?)
    })
}
