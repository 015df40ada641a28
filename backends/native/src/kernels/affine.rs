//! `activation(x * scale + shift)` by channel: a batch normalisation that no convolution could take in.

use native_kernels::Activation;

use super::activation::each;
use super::rows::each_part;
use super::used::kept;
use super::{Attempt, Device, Lowered, Use};
use crate::ir::Layout;

pub fn lower(used: &Use, device: &Device, activation: &Activation) -> Attempt {
    let (Some(x), Some(_), Some(_)) = (used.float(0), used.floats(1), used.floats(2)) else {
        return Ok(None);
    };
    let &[_, channels, ref pixels @ ..] = x.shape.as_slice() else {
        return Ok(None);
    };
    let (mut scale, mut shift) = (kept(used.floats(1))?, kept(used.floats(2))?);
    if scale.len() != channels || shift.len() != channels || x.layout != used.layout || channels == 0 {
        return Ok(None);
    }
    let (pixels, activation): (usize, Activation) = (pixels.iter().product::<usize>().max(1), *activation);
    let lanes = device.lanes();
    if x.layout == Layout::Blocked {
        scale.resize(channels.next_multiple_of(lanes), 0.0);
        shift.resize(channels.next_multiple_of(lanes), 0.0);
        return Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
            let x = inputs[0];
            let plane = pixels * lanes;
            each_part(device, outputs[0], plane, |start, part| {
                for (number, y) in part.chunks_exact_mut(plane).enumerate() {
                    let at = start + number * plane;
                    let block = (at / plane) % (scale.len() / lanes) * lanes;
                    let (scale, shift) = (&scale[block..block + lanes], &shift[block..block + lanes]);
                    for (x, y) in x[at..at + plane]
                        .chunks_exact(lanes)
                        .zip(y.chunks_exact_mut(lanes))
                    {
                        for lane in 0..lanes {
                            y[lane] = x[lane] * scale[lane] + shift[lane];
                        }
                    }
                    in_place(activation, y);
                }
            });
            Ok(())
        });
    }
    Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
        let x = inputs[0];
        each_part(device, outputs[0], pixels, |start, part| {
            for (number, y) in part.chunks_exact_mut(pixels).enumerate() {
                let at = start + number * pixels;
                let channel = (at / pixels) % channels;
                let (scale, shift) = (scale[channel], shift[channel]);
                x[at..at + pixels]
                    .iter()
                    .zip(y.iter_mut())
                    .for_each(|(x, y)| *y = x * scale + shift);
                in_place(activation, y);
            }
        });
        Ok(())
    })
}

fn in_place(activation: Activation, y: &mut [f32]) {
    match activation {
        Activation::Identity => {}
        Activation::Relu => y.iter_mut().for_each(|y| *y = if *y < 0.0 { 0.0 } else { *y }),
        other => {
            let x = y.to_vec();
            each(other, &x, y);
        }
    }
}
