//! Channels seen as a matrix, which is transposed.

use native_kernels::layout::rearrange_blocked;

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
    let (batch, sources): (usize, Vec<usize>) = (x.shape[0], (0..channels).map(source).collect());
    Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
        let (x, y) = (inputs[0], &mut *outputs[0]);
        Ok(rearrange_blocked(&device.pool, batch, pixels, &sources, x, y)?)
    })
}
