//! Converts an image between the plain and the blocked layout.

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
    let reorder = match (operand.layout, used.layout) {
        (Layout::Plain, Layout::Blocked) => to_blocked,
        (Layout::Blocked, Layout::Plain) => from_blocked,
        _ => return Ok(None),
    };
    Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
        let (x, y) = (inputs[0], &mut *outputs[0]);
        Ok(reorder(&device.pool, batch, channels, pixels, x, y)?)
    })
}
