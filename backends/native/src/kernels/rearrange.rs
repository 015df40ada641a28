//! Gathers channels of one or several images.

use native_kernels::layout::rearrange_blocked;

use super::affine::image;
use super::{Attempt, Device, Lowered, Use};
use crate::ir::Layout;

pub fn lower(used: &Use, device: &Device, sources: &[usize]) -> Attempt {
    let Some(inputs) = (0..used.inputs.len())
        .map(|position| {
            used.float(position)
                .and_then(|x| Some((x.layout, image(&x.shape)?)))
        })
        .collect::<Option<Vec<_>>>()
    else {
        return Ok(None);
    };
    let Some(&(_, [batch, _, pixels])) = inputs.first() else {
        return Ok(None);
    };
    let alike = |&(layout, [b, _, p]): &(Layout, [usize; 3])| (layout, b, p) == (used.layout, batch, pixels);
    let channels: Vec<usize> = inputs.iter().map(|(_, [_, channels, _])| *channels).collect();
    if !inputs.iter().all(alike) || sources.iter().any(|&source| source >= channels.iter().sum()) {
        return Ok(None);
    }
    // The input and the channel there for each channel of the result.
    let places: Vec<(usize, usize)> = sources
        .iter()
        .map(|&source| {
            let mut rest = source;
            let input = channels.iter().position(|&own| {
                let here = rest < own;
                if !here {
                    rest -= own;
                }
                here
            });
            (input.unwrap_or(0), rest)
        })
        .collect();
    let reads = (0..channels.len()).collect();
    if used.layout == Layout::Plain {
        return Lowered::new(used, device, reads, move |_, inputs, outputs| {
            for (number, plane) in outputs[0].chunks_exact_mut(pixels.max(1)).enumerate() {
                let (input, channel) = places[number % places.len()];
                let from = number / places.len() * channels[input] + channel;
                plane.copy_from_slice(&inputs[input][from * pixels..][..pixels]);
            }
            Ok(())
        });
    }
    Lowered::new(used, device, reads, move |device, inputs, outputs| {
        let images: Vec<(usize, &[f32])> = channels.iter().copied().zip(inputs.iter().copied()).collect();
        Ok(rearrange_blocked(
            &device.pool,
            batch,
            pixels,
            &places,
            &images,
            outputs[0],
        )?)
    })
}
