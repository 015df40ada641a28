//! `activation(x * scale + shift)` by channel: a batch normalization that is not merged into a convolution.

use native_kernels::Activation;
use native_kernels::elementwise::{ChannelLayout, affine};

use super::used::kept;
use super::{Attempt, Device, Lowered, Use};
use crate::ir::Layout;

/// Converts the layout to that of the kernels.
pub fn channels(layout: Layout) -> ChannelLayout {
    match layout {
        Layout::Blocked => ChannelLayout::Blocked,
        _ => ChannelLayout::Plain,
    }
}

/// Returns the numbers of images, channels, and pixels of a channel.
pub fn image(shape: &[usize]) -> Option<[usize; 3]> {
    match *shape {
        [batch, channels, ref pixels @ ..] => Some([batch, channels, pixels.iter().product()]),
        _ => None,
    }
}

pub fn lower(used: &Use, device: &Device, activation: &Activation) -> Attempt {
    let (Some(x), Some(_), Some(_)) = (used.float(0), used.floats(1), used.floats(2)) else {
        return Ok(None);
    };
    let Some(extents) = image(&x.shape) else {
        return Ok(None);
    };
    let (scale, shift) = (kept(used.floats(1))?, kept(used.floats(2))?);
    if scale.len() != extents[1] || shift.len() != extents[1] || x.layout != used.layout {
        return Ok(None);
    }
    let (layout, activation) = (channels(x.layout), *activation);
    Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
        let (x, y) = (inputs[0], &mut *outputs[0]);
        Ok(affine(
            &device.pool,
            layout,
            extents,
            &scale,
            &shift,
            activation,
            x,
            y,
        )?)
    })
}
