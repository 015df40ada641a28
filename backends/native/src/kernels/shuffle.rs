//! Channels seen as a matrix, which is transposed: by copying planes, or lanes of blocks.

use super::affine::image;
use super::{Attempt, Device, Lowered, Use};
use crate::ir::Layout;

pub fn lower(used: &Use, device: &Device, rows: usize) -> Attempt {
    let Some((x, [_, channels, pixels])) = used.float(0).and_then(|x| Some((x, image(&x.shape)?))) else {
        return Ok(None);
    };
    if rows == 0 || !channels.is_multiple_of(rows) || x.layout != used.layout || channels == 0 {
        return Ok(None);
    }
    let columns = channels / rows;
    // Channel `c` of the result is row `c % rows`, column `c / rows` of the matrix.
    let source = move |channel: usize| (channel % rows) * columns + channel / rows;
    if x.layout == Layout::Plain {
        return Lowered::new(used, device, vec![0], move |_, inputs, outputs| {
            for (number, plane) in outputs[0].chunks_exact_mut(pixels.max(1)).enumerate() {
                let from = number / channels * channels + source(number % channels);
                plane.copy_from_slice(&inputs[0][from * pixels..][..pixels]);
            }
            Ok(())
        });
    }
    let lanes = device.lanes();
    let blocks = channels.div_ceil(lanes);
    Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
        let (x, plane) = (inputs[0], pixels * lanes);
        super::movement::each_part(device, outputs[0], plane, |start, part| {
            for (number, y) in part.chunks_exact_mut(plane).enumerate() {
                let at = start / plane + number;
                let (image, block) = (at / blocks * blocks, at % blocks);
                for lane in 0..lanes {
                    let channel = block * lanes + lane;
                    if channel >= channels {
                        y.iter_mut().skip(lane).step_by(lanes).for_each(|y| *y = 0.0);
                        continue;
                    }
                    let from = source(channel);
                    let x = &x[(image + from / lanes) * plane..][..plane];
                    let x = x.iter().skip(from % lanes).step_by(lanes);
                    y.iter_mut()
                        .skip(lane)
                        .step_by(lanes)
                        .zip(x)
                        .for_each(|(y, x)| *y = *x);
                }
            }
        });
        Ok(())
    })
}
