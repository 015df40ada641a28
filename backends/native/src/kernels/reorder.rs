//! Between the plain layout of an image and the blocked one.

use native_kernels::layout::{from_blocked, to_blocked};

use super::{Attempt, Device, Lowered, Use};
use crate::ir::Layout;

pub fn lower(used: &Use, device: &Device) -> Attempt {
    let Some(operand) = used.float(0) else {
        return Ok(None);
    };
    let &[batch, channels, ref pixels @ ..] = operand.shape.as_slice() else {
        return Ok(None);
    };
    let pixels: usize = pixels.iter().product();
    match (operand.layout, used.layout) {
        (Layout::Plain, Layout::Blocked) => {
            Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
                Ok(to_blocked(
                    &device.pool,
                    batch,
                    channels,
                    pixels,
                    inputs[0],
                    outputs[0],
                )?)
            })
        }
        (Layout::Blocked, Layout::Plain) => {
            Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
                Ok(from_blocked(
                    &device.pool,
                    batch,
                    channels,
                    pixels,
                    inputs[0],
                    outputs[0],
                )?)
            })
        }
        _ => Ok(None),
    }
}
