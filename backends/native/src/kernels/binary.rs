//! Elementwise kernels with two operands and broadcasting.

use native_kernels::elementwise::{Binary, ByChannel, Unary, binary, by_channel, unary};

use super::{Attempt, Device, Lowered, Use};
use crate::ir::Layout;

/// Lowers a function of two values.
pub fn lower(used: &Use, device: &Device, function: Binary) -> Attempt {
    let (Some(a), Some(b), 2) = (used.float(0), used.float(1), used.inputs.len()) else {
        return Ok(None);
    };
    if used.layout == Layout::Blocked && a.shape != b.shape {
        return lower_by_channel(used, device, function);
    }
    let (a_shape, b_shape) = if used.layout != Layout::Plain {
        if a.shape != b.shape || [a.layout, b.layout] != [used.layout; 2] {
            return Ok(None);
        }
        let length = used.lengths(device);
        (length.clone(), length)
    } else if used.is_plain() {
        (a.shape.clone(), b.shape.clone())
    } else {
        return Ok(None);
    };
    Lowered::new(used, device, vec![0, 1], move |device, inputs, outputs| {
        binary(
            &device.pool,
            function,
            (&a_shape, inputs[0]),
            (&b_shape, inputs[1]),
            outputs[0],
        )?;
        Ok(())
    })
}

/// Whether a value of shape `values` has one element for each channel of an image of shape `image`,
/// and for each of several images.
pub fn is_by_channel(image: &[usize], values: &[usize]) -> bool {
    let ones = |shape: &[usize]| shape.iter().all(|&extent| extent == 1);
    image.len() > 2 && image.len() == values.len() && image[..2] == values[..2] && ones(&values[2..])
}

/// Lowers a sum or product of a blocked image and one value for each channel.
fn lower_by_channel(used: &Use, device: &Device, function: Binary) -> Attempt {
    let (Some(a), Some(b)) = (used.float(0), used.float(1)) else {
        return Ok(None);
    };
    let op = match function {
        Binary::Add => ByChannel::Add,
        Binary::Mul => ByChannel::Mul,
        Binary::Sub | Binary::Div | Binary::Min | Binary::Max | Binary::PRelu => return Ok(None),
    };
    let swapped = is_by_channel(&b.shape, &a.shape);
    let (image, values) = if swapped { (b, a) } else { (a, b) };
    let blocked = [a, b].iter().all(|operand| operand.layout == Layout::Blocked);
    if !blocked || !is_by_channel(&image.shape, &values.shape) || used.outputs[0] != image.shape {
        return Ok(None);
    }
    let pixels = image.shape[2..].iter().product();
    let planes = image.shape[0] * image.shape[1].div_ceil(device.lanes());
    Lowered::new(used, device, vec![0, 1], move |device, inputs, outputs| {
        let (x, values) = (inputs[usize::from(swapped)], inputs[usize::from(!swapped)]);
        Ok(by_channel(
            &device.pool,
            op,
            [planes, pixels],
            x,
            values,
            outputs[0],
        )?)
    })
}

/// Lowers powers that are a product or a root; others run over whole values.
pub fn power(used: &Use, device: &Device) -> Attempt {
    let (Some(a), true, 2) = (used.float(0), used.is_plain(), used.inputs.len()) else {
        return Ok(None);
    };
    if a.shape != used.outputs[0] {
        return Ok(None);
    }
    let length = vec![a.shape.iter().product::<usize>()];
    match used.floats(1) {
        Some([2.0]) => Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
            let x = (length.as_slice(), inputs[0]);
            binary(&device.pool, Binary::Mul, x, x, outputs[0])?;
            Ok(())
        }),
        Some([0.5]) => Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
            unary(&device.pool, Unary::Sqrt, inputs[0], outputs[0])?;
            // Unlike for the root, the power of −0 is 0, and that of negative infinity is infinite.
            for (y, &x) in outputs[0].iter_mut().zip(inputs[0]) {
                *y = if x == f32::NEG_INFINITY {
                    f32::INFINITY
                } else {
                    *y + 0.0
                };
            }
            Ok(())
        }),
        _ => Ok(None),
    }
}
